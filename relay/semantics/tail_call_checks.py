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
    """An evaluation whose value a node on the stack needs: that of `body` in the frame `frame`.

    `known` is the number of sizes that the node's own frame had before. If the node is a call, the
    sizes of the value are checked three times: against the callee's result type `result`, by the
    checks `pending` that tail calls have left, and against `wanted`, the type that the caller
    expects.
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
    """Return the evaluation of a tail call, with the checks of the evaluation that it replaces.

    `entered` is the evaluation of `tail_call`, and `replaced` that of the function which ends with
    it. The type that this function requires of the call's value, and its own result type, become
    pending checks of the result, unless `has_known_dims` returns False for them.
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
