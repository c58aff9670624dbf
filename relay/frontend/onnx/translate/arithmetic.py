"""Translate elementwise arithmetic, comparisons and logic of ONNX."""

from functools import reduce

import numpy as np

from relay.frontend.builders.integer_powers import integer_power
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import scalar
from relay.frontend.onnx.value import LARGEST_KNOWN
from relay.ir.dims import Symbolic
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.table import OPERATORS
from relay.ops.binary import Add, Divide, FloorMod, Maximum, Minimum, Multiply, TruncMod
from relay.ops.cast import Cast, Reinterpret
from relay.ops.comparison import Greater, Less
from relay.ops.elementwise import Clip, Rint
from relay.ops.logical import LeftShift, LogicalAnd, RightShift
from relay.ops.tensor.arange import Arange
from relay.support.dtype import bool_, uint8

_SAME_MEANING = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Add": "add",
    "And": "logical_and",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "BitwiseAnd": "bitwise_and",
    "BitwiseNot": "bitwise_not",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Div": "divide",
    "Equal": "equal",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "IsNaN": "isnan",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Log": "log",
    "Mul": "multiply",
    "Neg": "negative",
    "Not": "logical_not",
    "Or": "logical_or",
    "Relu": "nn.relu",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Sub": "subtract",
    "Tan": "tan",
    "Tanh": "tanh",
    "Xor": "logical_xor",
}
"""ONNX operators without attributes that equal a Relay operator."""


@onnx_operator(*_SAME_MEANING)
def same_meaning(node: OnnxNode) -> Expr:
    """Translate an operator to the Relay operator that has the same arguments and meaning."""
    op = OPERATORS.find(_SAME_MEANING[node.op])
    return Call(op(), tuple(node.exprs()), span=node.span)


@onnx_operator("Max", "Min", "Sum", "Mean")
def variadic(node: OnnxNode) -> Expr:
    """Translate `Max`, `Min`, `Sum` and `Mean` of any number of tensors, with broadcasting."""
    op = {"Max": Maximum(), "Min": Minimum()}.get(node.op, Add())
    parts = node.exprs()
    total = reduce(lambda a, b: Call(op, (a, b), span=node.span), parts)
    if node.op == "Mean":
        count = constant(len(parts), total.tensor_type.dtype)
        return Call(Divide(), (total, count), span=node.span)
    return total


@onnx_operator("Pow")
def power(node: OnnxNode) -> Expr:
    """Translate `Pow`; the exponent may have another element type than the base."""
    base, exponent = node.expr(0), node.expr(1)
    if base.tensor_type.dtype.is_integer:
        return integer_power(base, exponent)
    if exponent.tensor_type.dtype is not base.tensor_type.dtype:
        exponent = cast(exponent, base)
    if isinstance(exponent, Constant) and exponent.array.size == 1 and exponent.array.item() == 2:
        return Call(Multiply(), (base, base), span=node.span)
    return Call(OPERATORS.find("power")(), (base, exponent), span=node.span)


def cast(x: Expr, like: Expr) -> Expr:
    """Convert `x` to the element type of `like`; a constant is converted during import."""
    dtype = like.tensor_type.dtype
    if isinstance(x, Constant):
        return Constant(x.array.astype(dtype.numpy), span=x.span)
    return Call(Cast(dtype), (x,), span=x.span)


@onnx_operator("Mod")
def mod(node: OnnxNode) -> Expr:
    """Translate `Mod`; the sign is that of the divisor, or of the dividend with `fmod`."""
    op = TruncMod() if node.attribute("fmod", 0) else FloorMod()
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@onnx_operator("BitShift")
def bit_shift(node: OnnxNode) -> Expr:
    """Translate `BitShift` to the left or right."""
    direction = node.choice("direction", ("LEFT", "RIGHT"))
    op = LeftShift() if direction == "LEFT" else RightShift()
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@onnx_operator("Round")
def round_node(node: OnnxNode) -> Expr:
    """Translate `Round` to the nearest integer, with halves rounded to even."""
    return Call(Rint(), (node.expr(0),))


@onnx_operator("Reciprocal")
def reciprocal(node: OnnxNode) -> Expr:
    """Translate `Reciprocal`: 1 divided by each element."""
    x = node.expr(0)
    return Call(Divide(), (constant(1.0, x.tensor_type.dtype), x), span=node.span)


@onnx_operator("IsInf")
def is_inf(node: OnnxNode) -> Expr:
    """Translate `IsInf`, which tests for infinities of both signs or of one."""
    x = node.expr(0)
    result = Call(OPERATORS.find("isinf")(), (x,), span=node.span)
    zero = constant(0.0, x.tensor_type.dtype)
    if not node.attribute("detect_negative", 1):
        result = Call(LogicalAnd(), (result, Call(Greater(), (x, zero))))
    if not node.attribute("detect_positive", 1):
        result = Call(LogicalAnd(), (result, Call(Less(), (x, zero))))
    return result


@onnx_operator("BitCast")
def bit_cast(node: OnnxNode) -> Expr:
    """Translate `BitCast`: reinterpret bits as another type of the same width.

    A boolean is represented by the byte 0 or 1.
    """
    x, to = node.expr(0), tensor_dtype(node.required("to"), node.span)
    if x.tensor_type.dtype is bool_ or to is bool_:
        x = Call(Cast(bool_ if to is bool_ else uint8), (x,), span=node.span)
    if x.tensor_type.dtype is to:
        return x
    return Call(Reinterpret(to), (x,), span=node.span)


@onnx_operator("Clip")
def clip(node: OnnxNode) -> Expr:
    """Translate `Clip`; the bounds are attributes or tensors, depending on the opset."""
    x = node.expr(0)
    if node.opset < 11:
        low, high = node.attribute("min", -np.inf), node.attribute("max", np.inf)
        return Call(Clip(low, high), (x,), span=node.span)
    bounds = [node.optional(1), node.optional(2)]
    if all(bound is None or isinstance(bound, Constant) for bound in bounds):
        low, high = (
            bound.array.item() if isinstance(bound, Constant) else default
            for bound, default in zip(bounds, (-np.inf, np.inf), strict=True)
        )
        return Call(Clip(low, high), (x,), span=node.span)
    for op, bound in zip((Maximum(), Minimum()), bounds, strict=True):
        x = x if bound is None else Call(op, (x, bound), span=node.span)
    return x


_RANGE = ("start", "limit", "delta")


@onnx_operator("Range")
def range_node(node: OnnxNode) -> Expr:
    """Translate `Range` to a constant, a symbolic size, or a length computed at run time."""
    if all(map(node.is_known, range(3))):
        (start,), (limit,), (delta,) = (node.dims(i, name) for i, name in enumerate(_RANGE))
        if isinstance(limit, Symbolic) and isinstance(start, int) and isinstance(delta, int):
            args = tuple(map(scalar, node.exprs()))
            return Call(Arange(start, limit, delta), args, span=node.span)
    if not all(isinstance(each, Constant) for each in node.exprs()):
        return Call(Arange(), tuple(map(scalar, node.exprs())), span=node.span)
    start, limit, delta = (node.constant(i, name).item() for i, name in enumerate(_RANGE))
    known = Call(Arange(start, limit, delta), tuple(map(scalar, node.exprs())), span=node.span)
    if known.tensor_type.static_shape[0] > LARGEST_KNOWN:
        return known  # the size of constants computed at import is bounded
    values = np.arange(start, limit, delta, dtype=node.type(0).dtype.numpy)
    return Constant(values, span=node.span)
