"""Translate TensorFlow Lite's unary elementwise operators, and casts."""

from collections.abc import Mapping

import numpy as np

from relay.frontend.tflite.fixed_point import times
from relay.frontend.tflite.integer_arithmetic import multiplier
from relay.frontend.tflite.lookup_tables import Real, all_codes, coded, looked_up
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.activation import of_reals
from relay.ir.expr import Array, Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import square as squared
from relay.ops.cast import Cast, Reinterpret
from relay.ops.creation import ZerosLike
from relay.ops.elementwise import Abs, Ceil, Floor, Negative, Rint, Sign
from relay.ops.logical import LogicalNot
from relay.ops.transcendental import Cos, Exp, Log, Rsqrt, Sin, Sqrt
from relay.support.error_codes import ErrorCode

_PLAIN: Mapping[str, type[OperatorDef]] = {
    "CEIL": Ceil,
    "COS": Cos,
    "FLOOR": Floor,
    "LOGICAL_NOT": LogicalNot,
    "NEG": Negative,
    "ROUND": Rint,
    "SIGN": Sign,
    "SIN": Sin,
    "ZEROS_LIKE": ZerosLike,
}


@lite_operator(*_PLAIN)
def plain(node: LiteNode) -> Expr:
    """Translate an operator that has an equivalent Relay operator; not quantised."""
    node.check_not_quantised()
    return Call(_PLAIN[node.op](), (node.expr(0),), span=node.span)


@lite_operator("EXP")
def exponential(node: LiteNode) -> Expr:
    """Translate `EXP`, by a lookup table for quantised tensors."""
    return of_reals(node, Exp(), np.exp)


@lite_operator("LOG")
def logarithm(node: LiteNode) -> Expr:
    """Translate `LOG`; the logarithm of a quantised number up to 0 is the least result."""
    return of_reals(node, Log(), _with_limit(node, np.log, 0))


def _with_limit(node: LiteNode, function: Real, end: int) -> Real:
    """Return a function that has the least (0) or greatest (1) quantised result up to 0."""
    target = node.result
    if not target.is_quantized or target.dtype is None:
        return function
    limit = float(target.scale) * (target.dtype.limits[end] - target.zero)
    return lambda x: np.where(x > 0, function(x), limit)


@lite_operator("ABS")
def absolute(node: LiteNode) -> Expr:
    """Translate `ABS`; quantised numbers are converted to the scale of the result."""
    if not node.result.is_quantized:
        return Call(Abs(), (node.expr(0),), span=node.span)
    source = node.tensor(0)
    size = np.abs(all_codes(source) - source.zero)
    if source.scale != node.result.scale:
        size = times(size, multiplier(float(source.scale / node.result.scale)))
    return looked_up(node.expr(0), coded(size, node.result))


@lite_operator("RSQRT")
def rsqrt(node: LiteNode) -> Expr:
    """Translate `RSQRT`: 1 / sqrt(x); tables round the root to float32, too."""

    def function(x: Array) -> Array:
        return 1 / np.sqrt(x).astype(np.float32)

    return of_reals(node, Rsqrt(), _with_limit(node, function, 1))


@lite_operator("SQRT")
def square_root(node: LiteNode) -> Expr:
    """Translate `SQRT`; roots of quantised numbers are rounded down, to steps of the result."""
    if not node.result.is_quantized:
        return Call(Sqrt(), (node.expr(0),), span=node.span)
    source = node.tensor(0)
    real = source.scale * (all_codes(source) - source.zero).astype(np.float32)
    steps = np.floor(np.sqrt(np.maximum(real, 0)) / node.result.scale)
    return looked_up(node.expr(0), coded(steps.astype(np.int64), node.result))


@lite_operator("SQUARE")
def square(node: LiteNode) -> Expr:
    """Translate `SQUARE` of floats."""
    node.check_not_quantised()
    return squared(node.expr(0))


@lite_operator("CAST")
def cast(node: LiteNode) -> Expr:
    """Translate `CAST` to the element type of the result."""
    node.ignore("InDataType", "OutDataType")  # the tensors have these types
    if node.result.dtype is None:
        raise node.error(ErrorCode.F017, f"tensors of type {node.result.element} are not supported")
    return Call(Cast(node.result.dtype), (node.expr(0),), span=node.span)


@lite_operator("BITCAST")
def bitcast(node: LiteNode) -> Expr:
    """Translate `BITCAST` between element types of the same width."""
    if node.result.dtype is None:
        raise node.error(ErrorCode.F017, f"tensors of type {node.result.element} are not supported")
    return Call(Reinterpret(node.result.dtype), (node.expr(0),), span=node.span)
