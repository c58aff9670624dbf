"""Conversions to floats of 8 bits."""

from typing import Any, cast

import ml_dtypes

from relay.ir.expr import Call, Expr
from relay.ops.cast import Cast
from relay.ops.elementwise import Clip
from relay.support.dtype import DType, float32


def saturated(x: Expr, to: DType) -> Expr:
    """Return a tensor as 8-bit floats; too large numbers become the largest, NaN stays."""
    limits = cast("Any", ml_dtypes.finfo)(to.numpy)
    if not x.tensor_type.dtype.is_float:
        x = Call(Cast(float32), (x,), span=x.span)
    inside = Call(Clip(float(limits.min), float(limits.max)), (x,), span=x.span)
    return Call(Cast(to), (inside,), span=x.span)
