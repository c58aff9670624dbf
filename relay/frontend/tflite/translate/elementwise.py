"""Translate TensorFlow Lite's unary elementwise operators, and casts."""

from collections.abc import Mapping

import numpy as np

from relay.frontend.tflite.fixed_point import times
from relay.frontend.tflite.integer_arithmetic import multiplier
from relay.frontend.tflite.lookup_tables import Real, all_codes, coded, looked_up
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.activation import of_reals
from relay.ir.expr import Call, Expr
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

_REAL: Mapping[str, tuple[type[OperatorDef], Real]] = {
    "EXP": (Exp, np.exp),
    "LOG": (Log, np.log),
}


@lite_operator(*_PLAIN)
def plain(node: LiteNode) -> Expr:
    """Translate an operator that has an equivalent Relay operator; not quantised."""
    if node.result.is_quantized:
        raise node.error(ErrorCode.F030, "the operator is not supported for quantised tensors")
    return Call(_PLAIN[node.op](), (node.expr(0),), span=node.span)


@lite_operator(*_REAL)
def real(node: LiteNode) -> Expr:
    """Translate a real function, by a lookup table for quantised tensors."""
    op, function = _REAL[node.op]
    return of_reals(node, op(), function)


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
    return of_reals(node, Rsqrt(), lambda x: 1 / np.sqrt(x).astype(np.float32))


@lite_operator("SQRT")
def square_root(node: LiteNode) -> Expr:
    """Translate `SQRT`; roots of quantised numbers are rounded down, to steps of the result."""
    if not node.result.is_quantized:
        return Call(Sqrt(), (node.expr(0),), span=node.span)
    source = node.tensor(0)
    if source.element != "INT8":
        raise node.error(ErrorCode.F030, "only quantised numbers of type int8 are supported")
    real = source.scale * (all_codes(source) - source.zero).astype(np.float32)
    steps = np.floor(np.sqrt(np.maximum(real, 0)) / node.result.scale)
    return looked_up(node.expr(0), coded(steps.astype(np.int64), node.result))


@lite_operator("SQUARE")
def square(node: LiteNode) -> Expr:
    """Translate `SQUARE` of floats."""
    if node.result.is_quantized:
        raise node.error(ErrorCode.F030, "the operator is not supported for quantised tensors")
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
