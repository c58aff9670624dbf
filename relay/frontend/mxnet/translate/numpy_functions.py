"""Translate elementwise NumPy operators and reductions of MXNet (`_np_…`, `_npi_…`).

Floating-point results of integers are float32, and an integer beside a float gets its type; NumPy
itself uses float64 in both cases.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr
from relay.ops.cast import Cast
from relay.support.dtype import DType, float32, float64, int64

Function = Callable[..., Expr]

_OF_FLOATS: Mapping[str, Function] = {
    name: getattr(rnp, name) for name in (
        "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "cos", "cosh",
        "degrees", "exp", "expm1", "log", "log10", "log1p", "log2", "radians", "sin", "sinh",
        "sqrt", "tan", "tanh",
    )
}  # fmt: skip
_UNARY: Mapping[str, Function] = {
    name: getattr(rnp, name) for name in (
        "absolute", "bitwise_not", "ceil", "fix", "floor", "isfinite", "isinf", "isnan",
        "isneginf", "isposinf", "logical_not", "negative", "reciprocal", "rint", "sign", "square",
        "trunc",
    )
}  # fmt: skip
_BINARY: Mapping[str, Function] = {
    name: getattr(rnp, name) for name in (
        "add", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "equal", "greater",
        "greater_equal", "lcm", "less", "less_equal", "mod", "multiply", "not_equal", "power",
        "subtract",
    )
}  # fmt: skip


def _ldexp(x: Expr, exponent: Expr) -> Expr:
    return rnp.multiply(x, rnp.power(np.asarray(2, x.tensor_type.dtype.numpy), exponent))


_BINARY_OF_FLOATS: Mapping[str, Function] = {
    "arctan2": rnp.arctan2, "hypot": rnp.hypot, "true_divide": rnp.true_divide,
    "ldexp": _ldexp,
}  # fmt: skip


def floating(x: Expr) -> Expr:
    """Return a tensor of floats; integers become float32."""
    return x if x.tensor_type.dtype.is_float else Call(Cast(float32), (x,))


def dtype_of(node: MxNode) -> DType | None:
    """Return the attribute `dtype`; None if it is absent."""
    return None if node.text("dtype", "None") == "None" else node.dtype()


def axes_of(node: MxNode, name: str = "axis") -> tuple[int, ...] | None:
    """Return an attribute that is a list of axes; None means all."""
    node.ignore(name)
    return node.ints(name) if name in node else None


def axis_of(node: MxNode, name: str = "axis") -> int | None:
    """Return an attribute that is an axis; None means all elements."""
    node.ignore(name)
    return node.integer(name) if name in node else None


@mxnet_operator(*(f"_npi_{name}" for name in _OF_FLOATS))
def of_floats(node: MxNode) -> Expr:
    """Translate an elementwise function with floating-point results."""
    return _OF_FLOATS[node.op.removeprefix("_npi_")](floating(node.tensor()))


@mxnet_operator(*(f"_npi_{name}" for name in _UNARY))
def unary(node: MxNode) -> Expr:
    """Translate an elementwise function that keeps the element type, or a test."""
    return _UNARY[node.op.removeprefix("_npi_")](node.tensor())


@mxnet_operator(*(f"_npi_{name}" for name in (*_BINARY, *_BINARY_OF_FLOATS)))
def binary(node: MxNode) -> Expr:
    """Translate an elementwise function of two tensors."""
    name = node.op.removeprefix("_npi_")
    if name in _BINARY:
        return _BINARY[name](*together(node.tensor(), node.tensor(1)))
    pair = together(floating(node.tensor()), floating(node.tensor(1)))
    return _BINARY_OF_FLOATS[name](*pair)


def together(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """Return two tensors; if only one of them has floats, both with its element type."""
    first, second = x.tensor_type.dtype, y.tensor_type.dtype
    if first.is_float and not second.is_float:
        return x, Call(Cast(first), (y,))
    if second.is_float and not first.is_float:
        return Call(Cast(second), (x,)), y
    return x, y


_SCALARS = ("add", "multiply", "subtract", "rsubtract", "true_divide", "rtrue_divide", "mod",
            "rmod", "power", "rpower", "arctan2", "rarctan2", "copysign", "rcopysign", "ldexp",
            "rldexp", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal",
            "less", "less_equal", "greater", "greater_equal")  # fmt: skip


@mxnet_operator(*(f"_npi_{name}_scalar" for name in _SCALARS))
def with_number(node: MxNode) -> Expr:
    """Translate an elementwise function of a tensor and a number.

    If the name starts with `r`, the number is the first operand.
    """
    name, x = node.op.removeprefix("_npi_").removesuffix("_scalar"), node.tensor()
    value = node.number("scalar", 1.0)
    functions = {**_BINARY, **_BINARY_OF_FLOATS}
    is_reversed = name not in functions
    name = name.removeprefix("r") if is_reversed else name
    is_whole = value == int(value) and node.flag("is_int", default=True)
    if name in _BINARY_OF_FLOATS:
        x = floating(x)
    elif not is_whole and not x.tensor_type.dtype.is_float:
        x = Call(Cast(float64), (x,))
    number = constant(value, x.tensor_type.dtype)
    return functions[name](number, x) if is_reversed else functions[name](x, number)


_REDUCTIONS: Mapping[str, Function] = {
    "_np_sum": rnp.sum, "_np_max": rnp.max, "_np_min": rnp.min, "_np_prod": rnp.prod,
    "_npi_mean": rnp.mean, "_npi_std": rnp.std, "_npi_var": rnp.var, "_np_any": rnp.any,
    "_np_all": rnp.all,
}  # fmt: skip
_AVERAGES = ("_npi_mean", "_npi_std", "_npi_var")


@mxnet_operator(*_REDUCTIONS)
def reduction(node: MxNode) -> Expr:
    """Translate a reduction along axes, or over all elements."""
    x, axes = node.tensor(), axes_of(node)
    named = {"ddof": node.integer("ddof", 0)} if node.op in ("_npi_std", "_npi_var") else {}
    x = floating(x) if node.op in _AVERAGES else x
    to = dtype_of(node) or (None if node.op in ("_np_any", "_np_all") else x.tensor_type.dtype)
    found = _REDUCTIONS[node.op](x, axis=axes, keepdims=node.flag("keepdims"), **named)
    return found if to is None else as_type(found, to)


def as_type(x: Expr, to: DType) -> Expr:
    """Return a tensor converted to an element type."""
    return x if x.tensor_type.dtype is to else Call(Cast(to), (x,))


@mxnet_operator("_npi_argmax", "_npi_argmin")
def place(node: MxNode) -> Expr:
    """Translate `argmax` and `argmin`."""
    function = rnp.argmax if node.op == "_npi_argmax" else rnp.argmin
    found = function(node.tensor(), axis=axis_of(node), keepdims=node.flag("keepdims"))
    return as_type(found, int64)


@mxnet_operator("_np_cumsum", "cumsum")
def cumsum(node: MxNode) -> Expr:
    """Translate `cumsum`: sums of the elements up to each one."""
    x = node.tensor()
    return as_type(rnp.cumsum(x, axis=axis_of(node)), dtype_of(node) or x.tensor_type.dtype)


@mxnet_operator("_npi_average")
def average(node: MxNode) -> Sequence[Expr]:
    """Translate `average`: a weighted mean, and the sum of the weights."""
    x, axes = floating(node.tensor()), axes_of(node)
    node.ignore("returned")
    if not node.flag("weighted", default=True):
        count = rnp.sum(rnp.ones_like(x), axis=axes)
        return [rnp.mean(x, axis=axes), count]
    weights = floating(node.tensor(1))
    shape = x.tensor_type.shape
    if weights.tensor_type.rank != len(shape):
        assert axes is not None, "weights have the shape of the tensor without an axis"
        sizes = [size if axis == axes[0] % len(shape) else 1 for axis, size in enumerate(shape)]
        weights = rnp.reshape(weights, tuple(sizes))
    spread = rnp.broadcast_to(weights, shape)
    total = rnp.sum(spread, axis=axes)
    return [rnp.divide(rnp.sum(rnp.multiply(x, spread), axis=axes), total), total]
