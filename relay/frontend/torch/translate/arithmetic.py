"""Translate PyTorch's binary elementwise operators: arithmetic, comparisons, logic."""

from collections.abc import Mapping
from math import inf, isnan

from relay.frontend.builders.integer_powers import integer_power
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.elementwise import truth
from relay.frontend.torch.translate.indexing import places_of
from relay.frontend.torch.translate.type_promotion import (
    common_dtype,
    default_float,
    operand,
    operands,
)
from relay.ir.expr import Call, Constant, Expr
from relay.numpy.arithmetic import gcd, lcm
from relay.numpy.elementary_functions import arctan2, log1p
from relay.numpy.elementary_functions import logaddexp as logaddexp_of
from relay.numpy.rounding_and_float_tests import copysign as copysign_of
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
    TruncMod,
    add,
    divide,
    multiply,
    subtract,
)
from relay.ops.comparison import (
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEqual,
    equal,
    less,
)
from relay.ops.complex_numbers.operators import Real
from relay.ops.elementwise import Abs, Clip, IsNan, Rint, Trunc
from relay.ops.logical import (
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    LeftShift,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    RightShift,
)
from relay.ops.selection import Where, where
from relay.ops.transcendental import Exp, Log, Power, Sqrt
from relay.support.dtype import bool_, int64


@torch_operator("add")
def add_node(node: TorchNode) -> Expr:
    """Translate `add`: add `alpha · other`; for booleans, logical or."""
    x, y = _scaled_operands(node, "self", "other")
    op = LogicalOr() if x.tensor_type.dtype is bool_ else Add()
    return Call(op, (x, y), span=node.span)


@torch_operator("sub")
def sub_node(node: TorchNode) -> Expr:
    """Translate `sub`: subtract `alpha · other`."""
    x, y = _scaled_operands(node, "self", "other")
    return Call(Subtract(), (x, y), span=node.span)


@torch_operator("rsub")
def rsub(node: TorchNode) -> Expr:
    """Translate `rsub`: `other - alpha · self`."""
    y, x = _scaled_operands(node, "other", "self")
    return Call(Subtract(), (y, x), span=node.span)


def _scaled_operands(node: TorchNode, first: str, second: str) -> tuple[Expr, Expr]:
    x, y = operands(node, node.value(first), node.value(second))
    alpha = node.value("alpha")
    if alpha is None or alpha == 1:
        return x, y
    return x, multiply(y, operand(node, alpha, y.tensor_type.dtype))


@torch_operator("mul")
def mul(node: TorchNode) -> Expr:
    """Translate `mul`; for booleans, logical and."""
    x, y = operands(node, node.value("self"), node.value("other"))
    op = LogicalAnd() if x.tensor_type.dtype is bool_ else Multiply()
    return Call(op, (x, y), span=node.span)


@torch_operator("div", "true_divide", "divide")
def div(node: TorchNode) -> Expr:
    """Translate `div`: float division, or with the quotient rounded down or toward zero."""
    mode = node.value("rounding_mode")
    values = (node.value("self"), node.value("other"))
    found = common_dtype(values)
    if mode is None:
        found = found if found.has_derivatives else default_float()
        return Call(Divide(), tuple(operands(node, *values, dtype=found)), span=node.span)
    x, y = operands(node, *values)
    if mode == "floor":
        return floor_quotient(x, y)
    quotient = Call(Divide(), (x, y), span=node.span)
    return Call(Trunc(), (quotient,)) if found.is_float else quotient


@torch_operator("floor_divide")
def floor_divide(node: TorchNode) -> Expr:
    """Translate `floor_divide`: the quotient rounded down."""
    return floor_quotient(*operands(node, node.value("self"), node.value("other")))


def floor_quotient(x: Expr, y: Expr) -> Expr:
    """Return quotients rounded down; floats use exact remainders, as Python does."""
    dtype = x.tensor_type.dtype
    if not dtype.is_float:
        return Call(FloorDivide(), (x, y))
    rest = Call(FloorMod(), (x, y))
    whole = Call(Rint(), (divide(subtract(x, rest), y),))
    return where(equal(y, constant(0.0, dtype)), divide(x, y), whole)


_PLAIN: Mapping[str, type[OperatorDef]] = {
    "bitwise_and": BitwiseAnd,
    "bitwise_or": BitwiseOr,
    "bitwise_xor": BitwiseXor,
    "bitwise_left_shift": LeftShift,
    "bitwise_right_shift": RightShift,
    "fmod": TruncMod,
    "remainder": FloorMod,
    "__and__": BitwiseAnd,
    "__or__": BitwiseOr,
    "__xor__": BitwiseXor,
    "__lshift__": LeftShift,
    "__rshift__": RightShift,
}

_OF_TRUTH: Mapping[type[OperatorDef], type[OperatorDef]] = {
    BitwiseAnd: LogicalAnd,
    BitwiseOr: LogicalOr,
    BitwiseXor: LogicalXor,
}


@torch_operator(*_PLAIN)
def plain(node: TorchNode) -> Expr:
    """Translate an operator on the common element type of its operands."""
    x, y = operands(node, node.value("self"), node.value("other"))
    op = _PLAIN[node.operator]
    op = _OF_TRUTH.get(op, op) if x.tensor_type.dtype is bool_ else op
    return Call(op(), (x, y), span=node.span)


_COMPARISONS: Mapping[str, type[OperatorDef]] = {
    "eq": Equal,
    "ne": NotEqual,
    "lt": Less,
    "le": LessEqual,
    "gt": Greater,
    "ge": GreaterEqual,
}


@torch_operator(*_COMPARISONS)
def comparison(node: TorchNode) -> Expr:
    """Translate a comparison in the common element type of its operands."""
    x, y = operands(node, node.value("self"), node.value("other"))
    return Call(_COMPARISONS[node.operator](), (x, y), span=node.span)


_LOGIC: Mapping[str, type[OperatorDef]] = {
    "logical_and": LogicalAnd,
    "logical_or": LogicalOr,
    "logical_xor": LogicalXor,
}


@torch_operator(*_LOGIC)
def logic(node: TorchNode) -> Expr:
    """Translate a logical operator; nonzero elements are true."""
    sides = (truth(node.tensor("self")), truth(node.tensor("other")))
    return Call(_LOGIC[node.operator](), sides, span=node.span)


_EXTREMES: Mapping[str, type[OperatorDef]] = {"maximum": Maximum, "minimum": Minimum}


@torch_operator(*_EXTREMES)
def extreme(node: TorchNode) -> Expr:
    """Translate `maximum` and `minimum`, which propagate NaN."""
    x, y = operands(node, node.tensor("self"), node.tensor("other"))
    return extreme_of(_EXTREMES[node.operator], x, y)


def extreme_of(op: type[OperatorDef], x: Expr, y: Expr) -> Expr:
    """Return the elementwise maximum or minimum; for booleans logical or and and."""
    if x.tensor_type.dtype is bool_:
        op = LogicalOr if op is Maximum else LogicalAnd
    return Call(op(), (x, y))


@torch_operator("fmax", "fmin")
def extreme_number(node: TorchNode) -> Expr:
    """Translate `fmax` and `fmin`, which ignore NaN in one operand.

    The derivative of equal operands is that of the first one.
    """
    x, y = operands(node, node.tensor("self"), node.tensor("other"))
    is_maximum = node.operator == "fmax"
    if not x.tensor_type.dtype.is_float:
        return extreme_of(Maximum if is_maximum else Minimum, x, y)
    kept = Call((GreaterEqual if is_maximum else LessEqual)(), (x, y))
    return where(Call(LogicalOr(), (kept, Call(IsNan(), (y,)))), x, y)


@torch_operator("clamp", "clip", "clamp_min", "clamp_max")
def clamp(node: TorchNode) -> Expr:
    """Translate `clamp`: limit from below, then from above; the limits may be tensors.

    An element that equals a limit keeps its derivative.
    """
    x, low, high = node.value("self"), node.value("min"), node.value("max")
    given = [each for each in (x, low, high) if each is not None]
    x = operand(node, x, common_dtype(given))
    dtype = x.tensor_type.dtype
    if dtype.is_float and all(map(_is_number, given[1:])):
        least, most = -inf if low is None else low, inf if high is None else high
        return Call(Clip(float(least), float(most)), (x,), span=node.span)
    for op, limit in ((Maximum, low), (Minimum, high)):
        x = x if limit is None else _limited(op, x, operand(node, limit, dtype))
    return x


def _is_number(limit: object) -> bool:
    return isinstance(limit, bool | int | float) and not isnan(limit)


def _limited(op: type[OperatorDef], x: Expr, limit: Expr) -> Expr:
    """Return the maximum or minimum of a tensor and a limit; of equal numbers, the tensor's."""
    if not x.tensor_type.dtype.is_float:
        return extreme_of(op, x, limit)
    kept = Call((GreaterEqual if op is Maximum else LessEqual)(), (x, limit))
    return where(Call(LogicalOr(), (kept, Call(IsNan(), (x,)))), x, limit)


@torch_operator("pow")
def power(node: TorchNode) -> Expr:
    """Translate `pow`; squares become products."""
    x, y = operands(node, node.value("self"), node.value("exponent"))
    dtype = x.tensor_type.dtype
    if isinstance(y, Constant) and y.array.size == 1:
        if y.array.item() == 2:
            return multiply(x, x)
        if y.array.item() == 1:
            return x
        if y.array.item() == 0.5 and dtype.has_derivatives:
            return Call(Sqrt(), (x,), span=node.span)
    if dtype.has_derivatives:
        return Call(Power(), (x, y), span=node.span)
    return integer_power(x, y)


@torch_operator("addcmul", "addcdiv")
def add_product(node: TorchNode) -> Expr:
    """Translate `addcmul` and `addcdiv`: add `value` times a product or a quotient."""
    x, a, b = operands(node, *(node.tensor(name) for name in ("self", "tensor1", "tensor2")))
    combined = (multiply if node.operator == "addcmul" else divide)(a, b)
    factor = node.value("value")
    if factor != 1:
        combined = multiply(combined, operand(node, factor, x.tensor_type.dtype))
    return add(x, combined)


@torch_operator("lerp")
def lerp(node: TorchNode) -> Expr:
    """Translate `lerp`: interpolate between two tensors, starting from the nearer end."""
    x, y = node.tensor("self"), node.tensor("end")
    dtype = x.tensor_type.dtype
    weight = operand(node, node.value("weight"), dtype)
    way = subtract(y, x)
    near = add(x, multiply(weight, way))
    far = subtract(y, multiply(way, subtract(constant(1.0, dtype), weight)))
    return where(less(Call(Abs(), (weight,)), constant(0.5, dtype.part)), near, far)


@torch_operator("where")
def where_node(node: TorchNode) -> "Expr | list[Expr]":
    """Translate `where`; with only a condition, return the indices where it is true."""
    condition = truth(node.tensor("condition"))
    if "self" not in node.arguments:
        return [converted(each, int64) for each in places_of(condition)]
    x, y = operands(node, node.value("self"), node.value("other"))
    return Call(Where(), (condition, x, y), span=node.span)


@torch_operator("masked_fill")
def masked_fill(node: TorchNode) -> Expr:
    """Translate `masked_fill`: replace elements by one number where the mask is true."""
    x = node.tensor("self")
    return where(
        truth(node.tensor("mask")), operand(node, node.value("value"), x.tensor_type.dtype), x
    )


@torch_operator("atan2", "arctan2")
def atan2(node: TorchNode) -> Expr:
    """Translate `atan2`: the angle of the point `(other, self)`, from -pi to pi."""
    y, x = operands(node, node.tensor("self"), node.tensor("other"))
    dtype = y.tensor_type.dtype
    if not dtype.is_float:
        dtype = default_float()
        y, x = converted(y, dtype), converted(x, dtype)
    return arctan2(y, x)


@torch_operator("hypot")
def hypot(node: TorchNode) -> Expr:
    """Translate `hypot`: `sqrt(x² + y²)`."""
    x, y = operands(node, node.tensor("self"), node.tensor("other"))
    return Call(Sqrt(), (add(multiply(x, x), multiply(y, y)),), span=node.span)


@torch_operator("gcd", "lcm")
def divisor_or_multiple(node: TorchNode) -> Expr:
    """Translate `gcd` and `lcm`: the greatest common divisor, and the least common multiple."""
    function = gcd if node.operator == "gcd" else lcm
    return function(*operands(node, node.tensor("self"), node.tensor("other")))


@torch_operator("logaddexp")
def logaddexp(node: TorchNode) -> Expr:
    """Translate `logaddexp`: `log(exp(x) + exp(y))`, without overflow."""
    return log_sum(*operands(node, node.tensor("self"), node.tensor("other")))


def log_sum(x: Expr, y: Expr) -> Expr:
    """Return `log(exp(x) + exp(y))`, without overflow."""
    if not x.tensor_type.dtype.is_complex:
        return logaddexp_of(x, y)
    return _complex_log_sum(x, y)


def _complex_log_sum(x: Expr, y: Expr) -> Expr:
    """Return `log(exp(x) + exp(y))`; as in PyTorch, imaginary parts are not reduced to (-π, π]."""
    real, other_real = (Call(Real(), (each,)) for each in (x, y))
    is_first = Call(Greater(), (real, other_real))
    larger, smaller = where(is_first, x, y), where(is_first, y, x)
    added = log1p(Call(Exp(), (subtract(smaller, larger),)))
    both_endless = equal(Call(Real(), (larger,)), constant(-inf, real.tensor_type.dtype))
    return where(both_endless, larger, add(larger, added))


@torch_operator("copysign")
def copysign(node: TorchNode) -> Expr:
    """Translate `copysign`: the magnitude of `self` with the sign of `other`."""
    x, y = operands(node, node.value("self"), node.value("other"))
    dtype = x.tensor_type.dtype if x.tensor_type.dtype.is_float else default_float()
    x, y = converted(x, dtype), converted(y, dtype)
    return copysign_of(x, y)


@torch_operator("heaviside")
def heaviside(node: TorchNode) -> Expr:
    """Translate `heaviside`: 0 below zero, 1 above, and `values` where the element is zero."""
    x, values = operands(node, node.tensor("self"), node.tensor("values"))
    zero, one = (constant(each, x.tensor_type.dtype) for each in (0, 1))
    known = where(Call(Greater(), (x, zero)), one, where(less(x, zero), zero, x))
    return where(equal(x, zero), values, known)


@torch_operator("xlogy")
def xlogy(node: TorchNode) -> Expr:
    """Translate `xlogy`: `x · log(y)`, which is 0 if x is 0."""
    x, y = operands(node, node.value("self"), node.value("other"))
    dtype = x.tensor_type.dtype if x.tensor_type.dtype.is_float else default_float()
    x, y = converted(x, dtype), converted(y, dtype)
    product = multiply(x, Call(Log(), (y,), span=node.span))
    known = where(equal(x, constant(0.0, dtype)), constant(0.0, dtype), product)
    return where(Call(IsNan(), (y,)), y, known)
