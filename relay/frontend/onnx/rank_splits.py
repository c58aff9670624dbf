"""Rank splits: translate the nodes after a node whose results have one of several ranks.

A Relay value has one rank, but exporters test at run time whether an axis is 1 and then remove it,
and `Squeeze` without axes removes all axes of size 1. Such a node is called a *fork*: the nodes
after it are translated once for each branch, until the results of the branches have a common type.
A branch with a type error traps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, Union

from relay.frontend.builders.lists_and_options import as_type, common_type
from relay.frontend.onnx.value import OnnxValue
from relay.ir.expr import Expr, If, Tuple, TupleGetItem
from relay.ir.trap import branch_failure
from relay.support.errors import RelayTypeError
from relay.support.span import Span

Results: TypeAlias = Union[Sequence[OnnxValue], "Fork", RelayTypeError]
"""Results of nodes: values, one of two results, or the error that there are none."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Fork:
    """The results of both branches of an `If` whose results have no common type."""

    condition: Expr
    then: Results
    other: Results
    span: Span

    def __str__(self) -> str:
        *others, last = dict.fromkeys(_shown(self))
        alternatives = ", ".join(others) + f" or {last}" if others else last
        return f"data decide whether the results have the types {alternatives}"


def decision(condition: Expr, then: Results, other: Results, span: Span) -> Results:
    """Return an `If` of two branches' results: values if these have common types, else a `Fork`."""
    if isinstance(then, RelayTypeError) and isinstance(other, RelayTypeError):
        return then
    if isinstance(then, RelayTypeError) and not isinstance(other, Fork | RelayTypeError):
        then = _stopping(other, then, span)
    if isinstance(other, RelayTypeError) and not isinstance(then, Fork | RelayTypeError):
        other = _stopping(then, other, span)
    if isinstance(then, Fork | RelayTypeError) or isinstance(other, Fork | RelayTypeError):
        return Fork(condition, then, other, span)
    types = [common_type(a.expr.ty, b.expr.ty) for a, b in zip(then, other, strict=True)]
    known = [ty for ty in types if ty is not None]
    if len(known) < len(types):
        return Fork(condition, then, other, span)
    sides = [
        Tuple(tuple(as_type(each.expr, ty) for each, ty in zip(side, known, strict=True)))
        for side in (then, other)
    ]
    chosen = If(condition, *sides, span=span)
    return [OnnxValue(TupleGetItem(chosen, index)) for index in range(len(known))]


def attempt(make: Callable[[], Made]) -> Made | RelayTypeError:
    """Return the result of `make()`; if that raises a type error, return the error."""
    try:
        return make()
    except RelayTypeError as error:
        return error


def on_each(results: Results, go_on: Callable[[Sequence[OnnxValue]], Results]) -> Results:
    """Return the results of `go_on` for each branch of a fork, or for results without a fork.

    A type error in place of results is returned unchanged. The nesting of forks bounds the
    recursion.
    """
    match results:
        case RelayTypeError():
            return results
        case Fork(condition, then, other, span):
            first = attempt(lambda: on_each(then, go_on))
            second = attempt(lambda: on_each(other, go_on))
            return decision(condition, first, second, span)
        case _:
            return go_on(results)


def _stopping(like: Sequence[OnnxValue], error: RelayTypeError, span: Span) -> list[OnnxValue]:
    return [OnnxValue(branch_failure(each.expr.type, error, span)) for each in like]


def _shown(results: Results) -> list[str]:
    """Return the types of each alternative; the nesting of forks bounds the recursion."""
    match results:
        case RelayTypeError():
            return [f"none, because of an error ({results.message})"]
        case Fork():
            return _shown(results.then) + _shown(results.other)
        case _:
            return [", ".join(repr(each.expr.ty) for each in results)]
