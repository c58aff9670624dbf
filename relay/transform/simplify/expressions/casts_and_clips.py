"""Rewrite rules for casts and clips that have no effect."""

import math

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip
from relay.support.dtype import DType, Kind
from relay.transform.rewriting import Rule

x, clip, inner, outer = wildcard(), operators(Clip), operators(Cast), operators(Cast)
cast, clipped = outer(x), clip(x)
cast_twice, clip_cast_twice = outer(inner(x)), outer(inner(clip(x)))


def widens(narrow: DType, wide: DType) -> bool:
    """Whether every number of one type is representable in the other; false for bfloat16.

    >>> from relay.support.dtype import dtype
    >>> pairs = [("uint8", "int16"), ("int8", "uint16"), ("int32", "float32"), ("int8", "float16")]
    >>> [widens(dtype(a), dtype(b)) for a, b in pairs]
    [True, False, False, True]
    """
    if Kind.BFLOAT in (narrow.kind, wide.kind):
        return False
    return bool(np.can_cast(narrow.numpy, wide.numpy, "safe"))


def _same_type(found: Found) -> Expr | None:
    return found[x] if found[outer].dtype is found[x].tensor_type.dtype else None


def _once(found: Found) -> Expr | None:
    if not widens(found[x].tensor_type.dtype, found[inner].dtype):
        return None
    return Call(found[outer], (found[x],), span=found[cast_twice].span)


def _without_narrowing(found: Found) -> Expr | None:
    """Drop an integer cast between a clip and another cast, if it keeps all clipped values."""
    data, between = found[x].tensor_type.dtype, found[inner].dtype
    low, high = (math.trunc(max(min(each, 2.0**64), -(2.0**64))) for each in _limits(found[clip]))
    if not (data.is_integer and between.is_integer and between.holds(low) and between.holds(high)):
        return None
    limited = Call(found[clip], (found[x],), span=found[clip_cast_twice].span)
    return Call(found[outer], (limited,), span=found[clip_cast_twice].span)


def _without_limit(found: Found) -> Expr | None:
    """Drop a clip whose interval contains all integers of the operand's type."""
    data = found[x].tensor_type.dtype
    if not data.is_integer:
        return None
    least = -(1 << data.bits - 1) if data.kind is Kind.INT else 0
    low, high = _limits(found[clip])
    return found[x] if low <= least and least + (1 << data.bits) - 1 <= high else None


def _limits(op: Clip) -> tuple[float, float]:
    return op.a_min, op.a_max


RULES = (
    Rule(cast, _same_type),
    Rule(clip_cast_twice, _without_narrowing),
    Rule(cast_twice, _once),
    Rule(clipped, _without_limit),
)
