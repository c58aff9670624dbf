"""The pass that promotes half-precision convolutions and dense layers to float32."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Constant, Expr
from relay.ops.cast import Cast
from relay.ops.nn.conv import Convolution
from relay.ops.nn.conv_transpose import ConvolutionTranspose
from relay.ops.nn.matmul import Dense
from relay.support.dtype import float32
from relay.support.node import replace, value
from relay.transform.rewriting import RewritePass, Rule

data, weight = wildcard(), wildcard()
layer = operators(Convolution, ConvolutionTranspose, Dense)
result = layer(data, weight)

_FEW = 8
"""The number of rows below which the time to read the weights dominates."""


@value
class PromoteHalfPrecision(RewritePass):
    """Rewrite a layer of half precision to one of float32 between casts.

    The machine multiplies in float32 anyway, and a kernel would convert each operand at every read.
    Sums are unchanged: they are in float32, rounded at the end. Constant weights are converted at
    compile time, and the layers that produce the operands store them in float32, after rounding.

    These layers are rewritten:

    1. Convolutions and transposed convolutions.
    2. Dense layers on data with many rows. With few rows, or an unknown number, the time is
       dominated by reading the weights.
    """

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule that matches layers of half precision."""
        return (Rule(result, _widened),)


def _widened(found: Found) -> Expr | None:
    call, op = found[result], found[layer]
    types = [arg.tensor_type for arg in call.args]
    if any(not ty.dtype.is_float or ty.dtype.bits >= float32.bits for ty in types):
        return None
    if isinstance(op, Dense) and not _has_many_rows(types[0].shape):  # case 2
        return None
    wide = Call(replace(op, out_dtype=None), tuple(map(_wide, call.args)), span=call.span)
    kind = call.tensor_type.dtype
    return wide if kind is float32 else Call(Cast(kind), (wide,), span=call.span)


def _has_many_rows(shape: Sequence[object]) -> bool:
    rows = [size for size in shape[:-1] if isinstance(size, int)]
    return len(rows) == len(shape) - 1 and int(np.prod(rows)) >= _FEW


def _wide(expr: Expr) -> Expr:
    if isinstance(expr, Constant):
        return Constant(expr.array.astype(np.float32), span=expr.span)
    return Call(Cast(float32), (expr,), span=expr.span)
