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
class PendingCheck:
    """A check of a value's sizes that is still to be done.

    `ty` is the type that the value must have, `sizes` those of dimensions in it, and `span` the
    source location.
    """

    ty: Type
    sizes: Mapping[DimVar, int]
    span: Span | None


PendingChecks: TypeAlias = dict[Type, PendingCheck]
"""The pending checks of a value in order, by the type with its sizes filled in."""


@node
class Entered:
    """The evaluation that a node on the stack waits for: `body` in the frame `frame`.

    `known` is the number of sizes in the node's own frame before that evaluation. If the node is a
    call, its value is checked against `result` in the callee's frame, then by the checks `pending`,
    and then against `wanted` in the caller's frame.
    """

    body: Expr
    frame: EvaluationFrame
    known: int = 0
    result: Type | None = None
    wanted: Type | None = None
    pending: PendingChecks | None = None


def after_tail_call(
    tail_call: Call, entered: Entered, replaced: Entered, has_known_dims: Callable[[Type], bool]
) -> Entered:
    """Return the evaluation that replaces `replaced`, an evaluation that ends with a tail call.

    `entered` is the evaluation of the tail call. The checks of `entered` and `replaced` become
    pending checks of the result, without those for types of which `has_known_dims` is False.
    """
    sizes = replaced.frame.sizes
    pairs = ((entered.wanted, tail_call.span), (replaced.result, replaced.body.span))
    known = [(replaced.frame.types.of(ty), at) for ty, at in pairs if ty is not None]
    new = [PendingCheck(ty, sizes, at) for ty, at in known if has_known_dims(ty)]
    pending = _without_duplicates(new, replaced.pending or {}) if new else replaced.pending
    body, frame, result = entered.body, entered.frame, entered.result
    return Entered(body, frame, result=result, wanted=replaced.wanted, pending=pending)


def _without_duplicates(new: Iterable[PendingCheck], before: PendingChecks) -> PendingChecks:
    """Return the checks `new` followed by those of `before`, without duplicates."""
    found: PendingChecks = {}
    for each in new:
        found.setdefault(_with_sizes(each.ty, (*each.sizes.items(),)), each)
    for ty, each in before.items():
        found.setdefault(ty, each)
    return found


@lru_cache(maxsize=64)  # most loops have the same sizes in each iteration
def _with_sizes(ty: Type, sizes: tuple[tuple[DimVar, int], ...]) -> Type:
    return substitute_dims(ty, dict(sizes))
