"""Rank splits: after a choice between ranks, the rest is translated for each of them.

A value of Relay has one rank, but exporters ask at run time whether an axis is 1 and drop it then.
Such an `If` is a *fork*: the nodes behind it are translated once for each branch, until what the
branches give has one type again. A branch in which types do not fit stops the program.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, Union

from relay.frontend.builders.lists import as_type, common_type
from relay.frontend.onnx.value import OnnxValue
from relay.ir.expr import Expr, If, Tuple, TupleGetItem
from relay.ir.failure import branch_failure
from relay.support.errors import RelayTypeError
from relay.support.span import Span

Results: TypeAlias = Union[Sequence[OnnxValue], "Fork", RelayTypeError]
"""What nodes give: values, one of two results, or the error that they cannot give any."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Fork:
    """One of two results that have no type in common."""

    condition: Expr
    then: Results
    other: Results
    span: Span

    def __str__(self) -> str:
        return f"one branch gives {_shown(self.then)}, the other {_shown(self.other)}"


def decision(condition: Expr, then: Results, other: Results, span: Span) -> Results:
    """Return one of two results: as values if they have types in common."""
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
    """Return what can be made, or the error of types that do not fit."""
    try:
        return make()
    except RelayTypeError as error:
        return error


def on_each(results: Results, go_on: Callable[[Sequence[OnnxValue]], Results]) -> Results:
    """Return what comes of results, whichever they are; forks in forks bound the recursion."""
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


def _shown(results: Results) -> str:
    match results:
        case RelayTypeError():
            return f"nothing: {results.message}"
        case Fork():
            return str(results)
        case _:
            return ", ".join(repr(each.expr.ty) for each in results)
