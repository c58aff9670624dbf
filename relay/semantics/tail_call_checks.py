"""Shape checks that remain to be done after tail calls, whose callers' frames no longer exist."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr
from relay.ir.types import Type, substitute_dims
from relay.semantics.evaluator_values import EvaluationFrame
from relay.support.node import node
from relay.support.span import Span


@node
class Promise:
    """A pending check: a type that a value must have, the sizes in it, and the source span."""

    ty: Type
    sizes: Mapping[DimVar, int]
    span: Span | None


Promises: TypeAlias = dict[Type, Promise]
"""The pending checks of a value in order, by the type with its sizes filled in."""


@node
class Entered:
    """The evaluation that a node on the stack waits for: `body` in the frame `frame`.

    `known` is the number of sizes in the node's own frame before that evaluation. If the node is a
    call, its value is checked against `result` in the callee's frame, then against the pending
    checks `owed`, and then against `wanted` in the caller's frame.
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
    """Return what a caller waits for after its callee made a tail call: the new callee's body.

    The checks of the tail call, and of the function that made it, become pending checks.
    """
    sizes = ending.frame.sizes
    pairs = ((entered.wanted, last.span), (ending.result, ending.body.span))
    known = [(ending.frame.types.of(ty), at) for ty, at in pairs if ty is not None]
    new = [Promise(ty, sizes, at) for ty, at in known if says_sizes(ty)]
    owed = _promised(new, ending.owed or {}) if new else ending.owed
    body, frame, result = entered.body, entered.frame, entered.result
    return Entered(body, frame, result=result, wanted=ending.wanted, owed=owed)


def _promised(new: Iterable[Promise], before: Promises) -> Promises:
    """Return the checks `new` followed by `before`, without duplicates."""
    found: Promises = {}
    for each in new:
        found.setdefault(_with_sizes(each.ty, (*each.sizes.items(),)), each)
    for ty, each in before.items():
        found.setdefault(ty, each)
    return found


@lru_cache(maxsize=64)  # most loops have the same sizes in each iteration
def _with_sizes(ty: Type, sizes: tuple[tuple[DimVar, int], ...]) -> Type:
    return substitute_dims(ty, dict(sizes))
