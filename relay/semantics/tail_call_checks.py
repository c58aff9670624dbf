"""Checks that remain after a tail call, whose caller is gone."""

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
    """A type that a value is promised to have, what its names of sizes stand for, and where."""

    ty: Type
    sizes: Mapping[DimVar, int]
    span: Span | None


Promises: TypeAlias = dict[Type, Promise]
"""What a value is still tested for, first things first, once for each type with known sizes."""


@node
class Entered:
    """What a node that was begun is waiting for: the value of another node, in another call.

    `known` is how many names of sizes the node's own call knew before. A call waits for a value of
    type `result`, which is tested for `owed` then, and for the type `wanted` in its own call.
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
    """Return what the caller of a function waits for that ends with a call; it owes more tests.

    What the last call wanted, and what the function had promised, the caller tests from now on.
    """
    sizes = ending.frame.sizes
    pairs = ((entered.wanted, last.span), (ending.result, ending.body.span))
    known = [(ending.frame.types.of(ty), at) for ty, at in pairs if ty is not None]
    new = [Promise(ty, sizes, at) for ty, at in known if says_sizes(ty)]
    owed = _promised(new, ending.owed or {}) if new else ending.owed
    body, frame, result = entered.body, entered.frame, entered.result
    return Entered(body, frame, result=result, wanted=ending.wanted, owed=owed)


def _promised(new: Iterable[Promise], before: Promises) -> Promises:
    """Return promises that are tested first, and then those there were."""
    found: Promises = {}
    for each in new:
        found.setdefault(_with_sizes(each.ty, (*each.sizes.items(),)), each)
    for ty, each in before.items():
        found.setdefault(ty, each)
    return found


@lru_cache(maxsize=64)  # most loops have the same sizes in each step
def _with_sizes(ty: Type, sizes: tuple[tuple[DimVar, int], ...]) -> Type:
    return substitute_dims(ty, dict(sizes))
