"""Translate TensorFlow Lite's binary elementwise operators: arithmetic, comparisons, logic."""

from collections.abc import Mapping

import numpy as np

from relay.frontend.builders.integer_powers import power_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.integer_arithmetic import (
    activated,
    clipped_range,
    integer_range,
    over_power,
    scaled,
    stored,
    without_zero,
)
from relay.frontend.tflite.lookup_tables import coded, looked_up_pair
from relay.frontend.tflite.model import LiteTensor
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.quotient_tables import quotients
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Expr
from relay.numpy.elementary_functions import arctan2
from relay.opdef.definition import OperatorDef
from relay.ops.binary import (
    Add,
    Divide,
    FloorDivide,
    FloorMod,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    multiply,
    square,
    subtract,
)
from relay.ops.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from relay.ops.logical import BitwiseXor, LogicalAnd, LogicalOr, RightShift
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode

Classes = Mapping[str, type[OperatorDef]]

_SUMS: Classes = {"ADD": Add, "SUB": Subtract}
_PLAIN: Classes = {
    "BITWISE_XOR": BitwiseXor,
    "FLOOR_DIV": FloorDivide,
    "FLOOR_MOD": FloorMod,
    "LOGICAL_AND": LogicalAnd,
    "LOGICAL_OR": LogicalOr,
    "RIGHT_SHIFT": RightShift,
}
_EXTREMES: Classes = {"MAXIMUM": Maximum, "MINIMUM": Minimum}
_COMPARISONS: Classes = {
    "EQUAL": Equal,
    "GREATER": Greater,
    "GREATER_EQUAL": GreaterEqual,
    "LESS": Less,
    "LESS_EQUAL": LessEqual,
    "NOT_EQUAL": NotEqual,
}


def _both(node: LiteNode, op: OperatorDef) -> Expr:
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@lite_operator(*_SUMS)
def addition(node: LiteNode) -> Expr:
    """Translate `ADD` and `SUB`.

    Quantised operands are first rescaled to a common step, `2 * larger scale / 2**shift`.
    """
    node.ignore("PotScaleInt16")
    op = _SUMS[node.op]()
    if not node.result.is_quantized:
        return activated(node, _both(node, op))
    limited = integer_range(node.result, *clipped_range(node))
    if _has_power_of_two_scales(node):
        return stored(Call(op, _shifted(node)), node.result, limited)
    shift = 15 if node.result.element == "INT16" else 20
    left, right, twice = _common_scale(node, shift)
    factor = twice / float(np.float32(1 << shift) * node.result.scale)
    return stored(scaled(Call(op, (left, right)), [factor]), node.result, limited)


def _common_scale(node: LiteNode, shift: int) -> tuple[Expr, Expr, float]:
    """Return both operands in a common scale, times `2^shift`, and the common scale.

    It is twice the larger one of their scales.
    """
    scales = node.tensor(0).scale, node.tensor(1).scale
    twice = float(2 * max(scales))
    left, right = (
        scaled(multiply(without_zero(node, n), constant(1 << shift, int32)), [float(s) / twice])
        for n, s in enumerate(scales)
    )
    return left, right, twice


def _power_of_two_exponent(scale: float) -> int | None:
    """Return the exponent of a scale that is a power of two; None for other scales."""
    log = np.log2(scale)
    return int(np.rint(log)) if abs(log - np.rint(log)) < 1e-3 else None


def _has_power_of_two_scales(node: LiteNode) -> bool:
    """Whether 16-bit numbers with power-of-two scales are added after a bit shift."""
    tensors = (node.tensor(0), node.tensor(1), node.result)
    if node.result.element != "INT16" or not node.option_or("PotScaleInt16", default=False):
        return False
    return all(
        each.zero == 0 and _power_of_two_exponent(float(each.scale)) is not None for each in tensors
    )


def _shifted(node: LiteNode) -> tuple[Expr, Expr]:
    """Return both operands shifted to the scale of the result, which one of them has already."""
    out = _power_of_two_exponent(float(node.result.scale))
    powers = [_power_of_two_exponent(float(node.tensor(index).scale)) for index in (0, 1)]
    places = [0 if power is None or out is None else out - power for power in powers]
    if min(places) != 0:
        scales = " and ".join(str(node.tensor(index).scale) for index in (0, 1))
        problem = (
            f"one operand must have the same scale as the result, {node.result.scale}, but the "
            f"scales are {scales}"
        )
        raise node.error(ErrorCode.F026, problem)
    left, right = (over_power(without_zero(node, n), by) for n, by in enumerate(places))
    return left, right


@lite_operator("MUL")
def multiplication(node: LiteNode) -> Expr:
    """Translate `MUL`."""
    if not node.result.is_quantized:
        return activated(node, _both(node, Multiply()))
    scales = node.tensor(0).scale, node.tensor(1).scale
    factor = float(scales[0] * scales[1] / node.result.scale)
    product = multiply(without_zero(node, 0), without_zero(node, 1))
    limited = integer_range(node.result, *clipped_range(node))
    return stored(scaled(product, [factor]), node.result, limited)


@lite_operator("DIV")
def division(node: LiteNode) -> Expr:
    """Translate `DIV`; integers are rounded toward zero, 8-bit quantised numbers use a table."""
    if node.result.element not in ("INT8", "UINT8"):
        node.check_not_quantised()
    if not node.result.is_quantized:
        return activated(node, _both(node, Divide()))
    found = quotients(node.tensor(0), node.tensor(1), node.result)
    low, high = integer_range(node.result, *clipped_range(node))
    limited = np.clip(found, low - node.result.zero, high - node.result.zero)
    return looked_up_pair(node.expr(0), node.expr(1), coded(limited, node.result))


@lite_operator(*_PLAIN)
def plain(node: LiteNode) -> Expr:
    """Translate an operator that has an equivalent Relay operator; not quantised."""
    node.check_not_quantised()
    return _both(node, _PLAIN[node.op]())


@lite_operator("POW")
def power(node: LiteNode) -> Expr:
    """Translate `POW` of floats or integers; not quantised."""
    node.check_not_quantised()
    return power_of(node.expr(0), node.expr(1))


@lite_operator(*_EXTREMES)
def extreme(node: LiteNode) -> Expr:
    """Translate `MAXIMUM` and `MINIMUM`.

    Quantised operands must have the scale and the zero point of the result.
    """
    tensors = node.tensor(0), node.tensor(1)
    if node.result.is_quantized and any(_differ(each, node) for each in tensors):
        raise node.error(
            ErrorCode.F030,
            "quantised operands with another scale or zero point than the result are not supported",
        )
    return _both(node, _EXTREMES[node.op]())


def _differ(tensor: LiteTensor, node: LiteNode) -> bool:
    found = tensor.quantization
    out = node.result
    return found is None or found.scales[0] != out.scale or found.zeros[0] != out.zero


@lite_operator(*_COMPARISONS)
def comparison(node: LiteNode) -> Expr:
    """Translate a comparison; quantised numbers are rescaled in fixed point first."""
    op = _COMPARISONS[node.op]()
    if not (node.tensor(0).is_quantized and node.tensor(1).is_quantized):
        return _both(node, op)
    left, right = (
        scaled(
            multiply(without_zero(node, index), constant(1 << 8, int32)),
            [float(node.tensor(index).scale)],
        )
        for index in (0, 1)
    )
    return Call(op, (left, right), span=node.span)


@lite_operator("SQUARED_DIFFERENCE")
def squared_difference(node: LiteNode) -> Expr:
    """Translate `SQUARED_DIFFERENCE`."""
    if not node.result.is_quantized:
        return square(_both(node, Subtract()))
    left, right, twice = _common_scale(node, 7)
    factor = twice * twice / float(np.float32(1 << 14) * node.result.scale)
    return stored(scaled(square(subtract(left, right)), [factor]), node.result)


@lite_operator("ADD_N")
def add_n(node: LiteNode) -> Expr:
    """Translate `ADD_N`: the sum of any number of tensors."""
    node.check_not_quantised()
    first, *others = node.exprs()
    for each in others:
        first = add(first, each)
    return first


@lite_operator("ATAN2")
def arc_tangent(node: LiteNode) -> Expr:
    """Translate `ATAN2`."""
    node.check_not_quantised()
    return arctan2(*node.exprs())
