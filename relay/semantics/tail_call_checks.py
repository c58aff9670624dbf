"""Shape checks that remain after a tail call, whose frame is gone."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr
from relay.ir.types import Type, substitute_dims
from relay.semantics.values import EvaluationFrame
from relay.support.node import node
from relay.support.span import Span


@node
class Promise:
    """A type that a value must have, with the sizes of its dimensions and the source span."""

    ty: Type
    sizes: Mapping[DimVar, int]
    span: Span | None


Promises: TypeAlias = dict[Type, Promise]
"""The pending checks of a value in order, one for each type with known sizes."""


@node
class Entered:
    """The evaluation that a node on the stack waits for: a body in another frame.

    `known` is the number of sizes that the node's own frame had before. The value of a call is
    checked against `result` in the callee's frame, then against the types in `owed`, and then
    against `wanted` in the caller's frame.
    """

    body: Expr
    frame: EvaluationFrame
    known: int = 0
    result: Type | None = None
    wanted: Type | None = None
    owed: Promises | None = None


def in_place(
    last: Call, entered: Entered, ending: Entered, says_sizes: Callable[[Type], bool]
) -> Entered:
    """Return what the caller waits for after a tail call: the callee's body, with more checks.

    The caller takes over the checks of the tail call and of the function that made it.
    """
    sizes = ending.frame.sizes
    pairs = ((entered.wanted, last.span), (ending.result, ending.body.span))
    known = [(ending.frame.types.of(ty), at) for ty, at in pairs if ty is not None]
    new = [Promise(ty, sizes, at) for ty, at in known if says_sizes(ty)]
    owed = _promised(new, ending.owed or {}) if new else ending.owed
    body, frame, result = entered.body, entered.frame, entered.result
    return Entered(body, frame, result=result, wanted=ending.wanted, owed=owed)


def _promised(new: Iterable[Promise], before: Promises) -> Promises:
    """Return the new checks followed by the earlier ones, without duplicates."""
    found: Promises = {}
    for each in new:
        found.setdefault(_with_sizes(each.ty, (*each.sizes.items(),)), each)
    for ty, each in before.items():
        found.setdefault(ty, each)
    return found


@lru_cache(maxsize=64)  # most loops have the same sizes in each iteration
def _with_sizes(ty: Type, sizes: tuple[tuple[DimVar, int], ...]) -> Type:
    return substitute_dims(ty, dict(sizes))
