"""Translate StableHLO elementwise operations."""

from collections.abc import Callable, Mapping

import numpy as np

from relay.frontend.builders.integer_powers import power_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.expr import Call, Constant, Expr
from relay.numpy.elementary_functions import arctan2, expm1, log1p
from relay.opdef.definition import OperatorDef
from relay.ops.binary import (
    Add,
    Divide,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    TruncMod,
    divide,
    multiply,
    subtract,
)
from relay.ops.cast import Cast, Reinterpret
from relay.ops.comparison import (
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEqual,
    equal,
)
from relay.ops.elementwise import Abs, Ceil, Floor, IsFinite, Negative, Rint, Round, Sign
from relay.ops.logical import (
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    LeftShift,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
    RightShift,
)
from relay.ops.selection import Where, where
from relay.ops.transcendental import (
    Cos,
    Erf,
    Exp,
    Log,
    Power,
    Rsqrt,
    Sigmoid,
    Sin,
    Sqrt,
    Tan,
    Tanh,
)
from relay.support.dtype import DType, bool_, dtype
from relay.support.error_codes import ErrorCode

Classes = Mapping[str, type[OperatorDef]]

_SAME: Classes = {
    "abs": Abs, "add": Add, "ceil": Ceil, "cosine": Cos, "divide": Divide, "exponential": Exp,
    "floor": Floor, "is_finite": IsFinite, "log": Log, "logistic": Sigmoid, "maximum": Maximum,
    "minimum": Minimum, "multiply": Multiply, "negate": Negative,
    "remainder": TruncMod, "round_nearest_afz": Round, "round_nearest_even": Rint,
    "rsqrt": Rsqrt, "sign": Sign, "sine": Sin, "sqrt": Sqrt, "subtract": Subtract, "tan": Tan,
    "tanh": Tanh,
}  # fmt: skip
_ON_TRUTH: Classes = {"add": LogicalOr, "multiply": LogicalAnd, "maximum": LogicalOr,
                      "minimum": LogicalAnd}  # fmt: skip
_LOGIC: Mapping[str, tuple[type[OperatorDef], type[OperatorDef]]] = {
    "and": (LogicalAnd, BitwiseAnd),
    "not": (LogicalNot, BitwiseNot),
    "or": (LogicalOr, BitwiseOr),
    "xor": (LogicalXor, BitwiseXor),
}
_FUNCTIONS: Mapping[str, Callable[..., Expr]] = {
    "atan2": arctan2,
    "exponential_minus_one": expm1,
    "log_plus_one": log1p,
    "power": power_of,
}
_COMPARISONS: Classes = {"EQ": Equal, "GE": GreaterEqual, "GT": Greater, "LE": LessEqual,
                         "LT": Less, "NE": NotEqual}  # fmt: skip


@hlo_operation(*_SAME)
def same(node: HloNode) -> Expr:
    """Translate an operation with an equivalent Relay operator; booleans use the logical one."""
    node.ignore("result_accuracy")
    of_truth = node.type(0).dtype is bool_ and node.op in _ON_TRUTH
    op = _ON_TRUTH[node.op] if of_truth else _SAME[node.op]
    return Call(op(), node.operands, span=node.span)


@hlo_operation(*_LOGIC)
def logic(node: HloNode) -> Expr:
    """Translate `and`, `or`, `xor` and `not`, on booleans or on the bits of integers."""
    of_truth, of_bits = _LOGIC[node.op]
    op = of_truth if node.type(0).dtype is bool_ else of_bits
    return Call(op(), node.operands, span=node.span)


@hlo_operation(*_FUNCTIONS)
def function(node: HloNode) -> Expr:
    """Translate an elementwise operation that needs several Relay operators."""
    node.ignore("result_accuracy")
    return _FUNCTIONS[node.op](*node.operands)


@hlo_operation("erf", namespace="chlo")
def erf(node: HloNode) -> Expr:
    """Translate `erf`."""
    return Call(Erf(), node.operands, span=node.span)


@hlo_operation("cbrt")
def cbrt(node: HloNode) -> Expr:
    """Translate `cbrt`: the cube root, which has the sign of its operand."""
    node.ignore("result_accuracy")
    (x,) = node.operands
    of = x.tensor_type.dtype
    size = Call(Abs(), (x,))
    root = Call(Power(), (size, constant(1 / 3, of)))
    square = multiply(root, root)
    off = subtract(multiply(square, root), size)
    near = subtract(root, divide(off, multiply(constant(3.0, of), square)))  # a Newton step
    found = where(Call(IsFinite(), (near,)), near, root)
    return where(equal(x, constant(0.0, of)), x, multiply(Call(Sign(), (x,)), found))


@hlo_operation("compare")
def compare(node: HloNode) -> Expr:
    """Translate `compare`; floats are compared by IEEE 754, or in their total order."""
    direction = node.enumeration("comparison_direction")
    if node.type(0).dtype.is_complex and direction not in ("EQ", "NE"):
        problem = "complex numbers have no order, so they cannot be compared or sorted"
        raise node.error(ErrorCode.F030, problem)
    kind = node.enumeration("compare_type") if "compare_type" in node else ""
    sides = node.operands
    if kind == "TOTALORDER":
        sides = tuple(_ordered_bits(each) for each in sides)
    return Call(_COMPARISONS[direction](), sides, span=node.span)


def _ordered_bits(x: Expr) -> Expr:
    """Return the bits of floats as integers that have the same order as the floats."""
    bits = x.tensor_type.dtype.bits
    to = dtype(f"int{bits}")
    whole = Call(Reinterpret(to), (x,))
    sign = Call(RightShift(), (whole, constant(bits - 1, to)))
    others = Constant(np.array((1 << (bits - 1)) - 1, to.numpy))
    return Call(BitwiseXor(), (whole, Call(BitwiseAnd(), (sign, others))))


@hlo_operation("select")
def select(node: HloNode) -> Expr:
    """Translate `select`."""
    return Call(Where(), node.operands, span=node.span)


@hlo_operation("clamp")
def clamp(node: HloNode) -> Expr:
    """Translate `clamp`: limit elements to an interval."""
    low, x, high = node.operands
    return Call(Minimum(), (Call(Maximum(), (x, low)), high), span=node.span)


@hlo_operation("convert")
def convert(node: HloNode) -> Expr:
    """Translate `convert` to the element type of the result."""
    to = node.result_type.dtype
    (x,) = node.operands
    return x if x.tensor_type.dtype is to else Call(Cast(to), (x,), span=node.span)


@hlo_operation("shift_left", "shift_right_logical", "shift_right_arithmetic")
def shift(node: HloNode) -> Expr:
    """Translate shifts; a distance of at least the width shifts out all bits."""
    x, places = node.operands
    of = x.tensor_type.dtype
    left, to = node.op == "shift_left", _shifted_as(of, node.op)
    op = LeftShift() if left else RightShift()
    moved = _as(Call(op, (_as(x, to), _as(places, to)), span=node.span), of)
    width = constant(of.bits, _unsigned(of))
    far = Call(GreaterEqual(), (_as(places, _unsigned(of)), width))
    gone = constant(0, of)
    if node.op == "shift_right_arithmetic":
        last = constant(of.bits - 1, to)
        gone = _as(Call(RightShift(), (_as(x, to), last)), of)
    return where(far, gone, moved)


def _unsigned(of: DType) -> DType:
    return dtype(f"uint{of.bits}")


def _shifted_as(of: DType, op: str) -> DType:
    """Return the type in which to shift: unsigned, except for arithmetic right shifts.

    The reason is that right shifts of unsigned types insert zeros.
    """
    return dtype(f"int{of.bits}") if op == "shift_right_arithmetic" else _unsigned(of)


def _as(x: Expr, to: DType) -> Expr:
    return x if x.tensor_type.dtype is to else Call(Reinterpret(to), (x,))
