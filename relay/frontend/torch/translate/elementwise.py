"""Translate PyTorch's unary elementwise operators, and conversions."""

from collections.abc import Mapping
from math import pi

import numpy as np
import torch

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.torch.dtypes import torch_dtype
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import floating, operand
from relay.ir.expr import Call, Constant, Expr
from relay.numpy import elementary_functions
from relay.numpy.elementary_functions import sinc
from relay.opdef.definition import OperatorDef
from relay.ops.binary import divide, multiply, subtract
from relay.ops.comparison import Equal, NotEqual, equal, less
from relay.ops.complex_numbers.operators import Angle
from relay.ops.derivatives_at_zero import absolute
from relay.ops.elementwise import (
    Ceil,
    Floor,
    IsFinite,
    IsInf,
    IsNan,
    Negative,
    Rint,
    Sign,
    Trunc,
)
from relay.ops.identity_operators import StopGradient
from relay.ops.logical import BitwiseNot, LogicalNot
from relay.ops.selection import where
from relay.ops.transcendental import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cos,
    Cosh,
    Erf,
    Exp,
    Log,
    Log2,
    Log10,
    Power,
    Rsqrt,
    Sigmoid,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)
from relay.support.dtype import bool_
from relay.support.error_codes import ErrorCode
from relay.support.node import replace

_OF_FLOATS: Mapping[str, type[OperatorDef]] = {
    "acos": Acos,
    "acosh": Acosh,
    "asin": Asin,
    "asinh": Asinh,
    "atan": Atan,
    "atanh": Atanh,
    "cos": Cos,
    "cosh": Cosh,
    "erf": Erf,
    "exp": Exp,
    "log": Log,
    "log10": Log10,
    "log2": Log2,
    "rsqrt": Rsqrt,
    "sigmoid": Sigmoid,
    "sin": Sin,
    "sinh": Sinh,
    "sqrt": Sqrt,
    "tan": Tan,
    "tanh": Tanh,
}

_Classes = Mapping[str, type[OperatorDef]]

_OF_NUMBERS: _Classes = {
    "neg": Negative,
    "_neg_view": Negative,
    "sign": Sign,
    "sgn": Sign,
}

_ROUNDING: _Classes = {
    "ceil": Ceil,
    "floor": Floor,
    "trunc": Trunc,
    "fix": Trunc,
}

_TESTS: Mapping[str, type[OperatorDef]] = {"isnan": IsNan, "isinf": IsInf, "isfinite": IsFinite}


@torch_operator(*_OF_FLOATS)
def of_floats(node: TorchNode) -> Expr:
    """Translate a function of floats; integers are converted to floats first."""
    return Call(_OF_FLOATS[node.operator](), (floating(node.tensor("self")),), span=node.span)


@torch_operator(*_OF_NUMBERS)
def of_numbers(node: TorchNode) -> Expr:
    """Translate a function that keeps the element type; booleans are unchanged."""
    x = node.tensor("self")
    if x.tensor_type.dtype is bool_:
        return x
    return Call(_OF_NUMBERS[node.operator](), (x,), span=node.span)


@torch_operator("abs")
def absolute_value(node: TorchNode) -> Expr:
    """Translate `abs`; booleans are unchanged."""
    x = node.tensor("self")
    return x if x.tensor_type.dtype is bool_ else replace(absolute(x), span=node.span)


@torch_operator("sinc", "special_sinc")
def sinc_node(node: TorchNode) -> Expr:
    """Translate `sinc`: `sin(πx) / (πx)`."""
    return sinc(floating(node.tensor("self")))


@torch_operator(*_ROUNDING)
def rounding(node: TorchNode) -> Expr:
    """Translate a rounding function; integers are unchanged."""
    x = node.tensor("self")
    return (
        Call(_ROUNDING[node.operator](), (x,), span=node.span)
        if x.tensor_type.dtype.is_float
        else x
    )


@torch_operator("round")
def round_node(node: TorchNode) -> Expr:
    """Translate `round` to a number of decimals; halves are rounded to even."""
    x, decimals = node.tensor("self"), int(node.value("decimals") or 0)
    if not x.tensor_type.dtype.is_float:
        return x
    if decimals == 0:
        return Call(Rint(), (x,), span=node.span)
    scale = constant(10.0 ** abs(decimals), x.tensor_type.dtype)
    there, back = (multiply, divide) if decimals > 0 else (divide, multiply)
    return back(Call(Rint(), (there(x, scale),)), scale)


@torch_operator(*_TESTS)
def tests(node: TorchNode) -> Expr:
    """Translate a test for special floats such as NaN; it is false for integers."""
    x = node.tensor("self")
    if x.tensor_type.dtype.has_derivatives:
        return Call(_TESTS[node.operator](), (x,), span=node.span)
    differ = NotEqual if node.operator != "isfinite" else Equal
    return Call(differ(), (x, x), span=node.span)


@torch_operator("isposinf", "isneginf")
def signed_infinity(node: TorchNode) -> Expr:
    """Translate `isposinf` and `isneginf`."""
    x = node.tensor("self")
    if not x.tensor_type.dtype.is_float:
        return Call(NotEqual(), (x, x), span=node.span)
    limit = np.inf if node.operator == "isposinf" else -np.inf
    return equal(x, constant(limit, x.tensor_type.dtype))


@torch_operator("signbit")
def signbit(node: TorchNode) -> Expr:
    """Translate `signbit`: negative numbers, and -0."""
    x = node.tensor("self")
    if not x.tensor_type.dtype.is_float:
        return less(x, constant(0, x.tensor_type.dtype))
    zero, one = (constant(each, x.tensor_type.dtype) for each in (0.0, 1.0))
    of_zero = less(divide(one, x), zero)
    return where(equal(x, zero), of_zero, less(x, zero))


@torch_operator("logical_not")
def logical_not(node: TorchNode) -> Expr:
    """Translate `logical_not`: whether elements are zero."""
    return Call(LogicalNot(), (truth(node.tensor("self")),), span=node.span)


@torch_operator("bitwise_not")
def bitwise_not(node: TorchNode) -> Expr:
    """Translate `bitwise_not`; booleans are negated."""
    x = node.tensor("self")
    op = LogicalNot() if x.tensor_type.dtype is bool_ else BitwiseNot()
    return Call(op, (x,), span=node.span)


def truth(x: Expr) -> Expr:
    """Return a boolean tensor: which elements are nonzero."""
    dtype = x.tensor_type.dtype
    return x if dtype is bool_ else Call(NotEqual(), (x, constant(0, dtype)))


@torch_operator("reciprocal")
def reciprocal(node: TorchNode) -> Expr:
    """Translate `reciprocal`: 1 divided by each element."""
    x = floating(node.tensor("self"))
    return divide(constant(1.0, x.tensor_type.dtype), x)


@torch_operator("square")
def square(node: TorchNode) -> Expr:
    """Translate `square`."""
    x = node.tensor("self")
    return multiply(x, x)


@torch_operator("exp2")
def exp2(node: TorchNode) -> Expr:
    """Translate `exp2`: 2 to the power of each element."""
    x = floating(node.tensor("self"))
    return Call(Power(), (constant(2.0, x.tensor_type.dtype), x), span=node.span)


@torch_operator("expm1")
def expm1(node: TorchNode) -> Expr:
    """Translate `expm1`: `exp(x) - 1`, accurate near 0."""
    return elementary_functions.expm1(floating(node.tensor("self")))


@torch_operator("log1p")
def log1p(node: TorchNode) -> Expr:
    """Translate `log1p`: `log(1 + x)`, accurate near 0."""
    return elementary_functions.log1p(floating(node.tensor("self")))


@torch_operator("frac")
def frac(node: TorchNode) -> Expr:
    """Translate `frac`: the fractional part."""
    x = node.tensor("self")
    return subtract(x, Call(Trunc(), (x,), span=node.span))


@torch_operator("angle")
def angle(node: TorchNode) -> Expr:
    """Translate `angle`; that of real numbers is 0, pi for negative ones, NaN for NaN."""
    x = floating(node.tensor("self"))
    dtype = x.tensor_type.dtype
    if dtype.is_complex:
        return Call(Angle(), (x,), span=node.span)
    turned = where(less(x, constant(0.0, dtype)), constant(np.pi, dtype), constant(0.0, dtype))
    return where(Call(IsNan(), (x,)), x, turned)


_FACTORS = {"deg2rad": pi / 180, "rad2deg": 180 / pi}


@torch_operator(*_FACTORS)
def angles(node: TorchNode) -> Expr:
    """Translate `deg2rad` and `rad2deg`."""
    x = floating(node.tensor("self"))
    return multiply(x, constant(_FACTORS[node.operator], x.tensor_type.dtype))


@torch_operator("logit")
def logit(node: TorchNode) -> Expr:
    """Translate `logit`: `log(x / (1 - x))`, with x clamped to `eps` … `1 - eps` if given."""
    x = floating(node.tensor("self"))
    one = constant(1.0, x.tensor_type.dtype)
    if "eps" in node:
        eps = node.number("eps")
        low, high = (constant(each, x.tensor_type.dtype) for each in (eps, 1 - eps))
        x = where(less(x, low), low, where(less(high, x), high, x))
    node.ignore("eps")
    return Call(Log(), (divide(x, subtract(one, x)),), span=node.span)


@torch_operator("nan_to_num")
def nan_to_num(node: TorchNode) -> Expr:
    """Translate `nan_to_num`: by default NaN becomes 0, infinities the largest floats."""
    x = node.tensor("self")
    dtype = x.tensor_type.dtype
    given = [node.value(name) for name in ("nan", "posinf", "neginf")]
    if not dtype.is_float:
        return x
    largest = _largest(x)
    nan, high, low = (
        default if value is None else value
        for value, default in zip(given, (0.0, largest, -largest), strict=True)
    )
    infinite = where(
        less(x, constant(0.0, dtype)), operand(node, low, dtype), operand(node, high, dtype)
    )
    finite = where(Call(IsInf(), (x,)), infinite, x)
    return where(Call(IsNan(), (x,)), operand(node, nan, dtype), finite)


def _largest(x: Expr) -> float:
    """Return the largest finite number of a tensor's float type."""
    return torch.finfo(torch_dtype(x.tensor_type.dtype)).max


_SAME = (
    "clone", "contiguous", "alias", "lift_fresh_copy", "lift_fresh", "positive", "resolve_conj",
    "resolve_neg", "alias_copy", "cpu",
)  # fmt: skip


@torch_operator(*_SAME)
def same(node: TorchNode) -> Expr:
    """Translate operators that return their operand: tensors are immutable in Relay."""
    return node.tensor("self") if "self" in node else node.tensor("input")


@torch_operator("detach", "detach_copy")
def detach(node: TorchNode) -> Expr:
    """Translate `detach`: the operand, whose derivative is zero."""
    x = node.tensor("self")
    return x if isinstance(x, Constant) else Call(StopGradient(), (x,))


@torch_operator(
    "dropout", "native_dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"
)
def dropout(node: TorchNode) -> object:
    """Translate dropout, which has no effect; raises `F036` in training mode.

    Its in-place variants name their operand differently.
    """
    node.ignore("p")
    if node.flag("train") and node.number("p") != 0.0:
        raise node.error(
            ErrorCode.F036,
            "the model is in training mode",
            help="call model.eval() before loading the model",
        )
    x = same(node)
    return [x, Call(Equal(), (x, x))] if node.operator == "native_dropout" else x
