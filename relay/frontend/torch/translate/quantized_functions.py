"""Translate functions of quantised tensors: dequantise, compute with floats, quantise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch.utils import _pytree as pytree

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.torch.node import NOTHING, Argument, TorchNode
from relay.frontend.torch.quantised_tensor import (
    QuantisedTensor,
    Scale,
    ZeroPoint,
    quantised,
    scalar,
)
from relay.frontend.torch.registry import Translation, torch_operator, translation
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.dtype import float64, int8
from relay.support.error_codes import ErrorCode

MODULES = "quantized"
"""The namespace of the operators of quantised modules."""

MOVES = frozenset((
    "alias", "cat", "channel_shuffle", "chunk", "clone", "contiguous", "detach", "dropout",
    "expand", "feature_dropout", "flatten", "flip", "index_select", "max_pool1d", "max_pool2d",
    "max_pool3d", "narrow", "permute", "pixel_shuffle", "pixel_unshuffle", "repeat", "reshape",
    "select", "slice", "split", "split_with_sizes", "squeeze", "stack", "t", "transpose",
    "unbind", "unflatten", "unsqueeze", "upsample_nearest1d", "upsample_nearest2d",
    "upsample_nearest3d", "view",
))  # fmt: skip
"""Operators whose results consist of elements of their operand."""

RANGES: Mapping[str, tuple[float, int]] = {
    "sigmoid": (1 / 256, 0),
    "hardsigmoid": (1 / 256, 0),
    "tanh": (2 / 256, 128),
    "softmax": (1 / 256, 0),
}
"""Scales and zero points (as uint8) of functions with a fixed range."""

_OWN = frozenset(("dequantize", "int_repr", "q_scale", "q_zero_point"))
"""Operators of TorchScript whose translations expect quantised tensors."""


def called(translate: Translation, node: TorchNode) -> object:
    """Return the result of a node whose arguments may be quantised tensors.

    The first case that applies is used:

    1. Without quantised arguments, and for operators that are defined for them, `translate` is
       called.
    2. Operators that move or compare elements are applied to the integers.
    3. Other operators are applied to the real numbers that the integers represent, and their
       results are quantised like the first argument.
    """
    found = [x for x in _leaves(node) if isinstance(x, QuantisedTensor)]
    if not found or node.name.startswith(f"{MODULES}::") or node.operator in _OWN:
        return translate(node)
    first = found[0]
    if node.operator in MOVES:
        return _mapped(lambda x: replace(first, data=x), translate(_with(node, lambda x: x.data)))
    scale, zero = first.scale, first.zero
    if node.operator in RANGES:
        scale, zero = RANGES[node.operator]
        zero -= 128 if first.tensor_type.dtype is int8 else 0
    dtype = first.tensor_type.dtype
    results = translate(_with(node, lambda x: x.real))
    return _mapped(lambda x: quantised(x, scale, zero, dtype), results)


def _leaves(node: TorchNode) -> list[object]:
    return pytree.tree_leaves([each.value for each in node.arguments.values()])


def _with(node: TorchNode, change: Callable[[QuantisedTensor], Expr]) -> TorchNode:
    """Return a node with each quantised tensor replaced by the expression `change(tensor)`."""

    def changed(leaf: object) -> object:
        return change(leaf) if isinstance(leaf, QuantisedTensor) else leaf

    arguments = {
        name: replace(each, value=pytree.tree_map(changed, each.value))
        for name, each in node.arguments.items()
    }
    return replace(node, arguments=arguments)


def _mapped(make: Callable[[Expr], object], results: object) -> object:
    def changed(leaf: object) -> object:
        return make(leaf) if isinstance(leaf, Expr) else leaf

    return pytree.tree_map(changed, results)


def quantised_operand(node: TorchNode, name: str) -> QuantisedTensor:
    """Return an argument that is a quantised tensor."""
    found = node.value(name)
    assert isinstance(found, QuantisedTensor), "PyTorch requires a quantised tensor"
    return found


def result_parameters(node: TorchNode) -> tuple[Scale, ZeroPoint]:
    """Return the scale and the zero point of a result."""
    scale, zero = next(pair for pair in _PARAMETERS if pair[0] in node.arguments)
    return scale_and_zero_point(node, scale, zero)


def scale_and_zero_point(node: TorchNode, scale: str, zero: str) -> tuple[Scale, ZeroPoint]:
    """Return the arguments of these names: numbers, or expressions of run-time values."""
    step = node.value(scale) if node.is_run_time(scale) else node.number(scale)
    point = node.value(zero) if node.is_run_time(zero) else node.integer(zero)
    return step, point


_PARAMETERS = (
    ("output_scale", "output_zero_point"),
    ("Y_scale_i", "Y_zero_point_i"),
    ("scale", "zero_point"),
)


@torch_operator("add", "add_relu", "mul", "mul_relu", namespace=MODULES)
def binary(node: TorchNode) -> QuantisedTensor:
    """Translate the sum and product of two quantised tensors."""
    x, y = quantised_operand(node, "qa"), quantised_operand(node, "qb")
    real = (add if node.operator.startswith("add") else multiply)(x.real, y.real)
    if node.operator.endswith("_relu"):
        real = Call(Relu(), (real,))
    return quantised(real, *result_parameters(node), x.tensor_type.dtype)


@torch_operator("relu6", namespace=MODULES)
def relu6(node: TorchNode) -> QuantisedTensor:
    """Translate `relu6`, whose result has the parameters of its argument."""
    node.ignore("inplace")
    x = quantised_operand(node, "qx")
    return x.of_reals(Call(Clip(0.0, 6.0), (x.real,)))


@torch_operator("mul_scalar", namespace=MODULES)
def multiply_scalar(node: TorchNode) -> QuantisedTensor:
    """Translate multiplication by a positive number, which changes only the scale.

    Raises `F030` for other numbers.
    """
    x, factor = quantised_operand(node, "qa"), node.number("b")
    if factor <= 0:
        message = f"multiplying a quantised tensor by the number {factor} is not supported"
        raise node.error(ErrorCode.F030, message, help="call dequantize() first, and multiply then")
    if isinstance(x.scale, Expr):
        return replace(x, scale=multiply(scalar(x.scale, float64), constant(factor, float64)))
    return replace(x, scale=x.scale * factor)


@torch_operator("cat", "cat_relu", namespace=MODULES)
def concatenation(node: TorchNode) -> QuantisedTensor:
    """Translate concatenation of quantised tensors with different scales."""
    parts = [x for x in node.sequence("qx") if isinstance(x, QuantisedTensor)]
    whole = Tuple(tuple(each.real for each in parts))
    real: Expr = Call(Concatenate(node.integer("dim")), (whole,), span=node.span)
    if node.operator == "cat_relu":
        real = Call(Relu(), (real,))
    if "scale" not in node:
        return parts[0].of_reals(real)
    return quantised(real, *result_parameters(node), parts[0].tensor_type.dtype)


_FUNCTIONS: Mapping[str, str] = {
    "batch_norm": "batch_norm", "batch_norm1d": "batch_norm", "batch_norm1d_relu": "batch_norm",
    "batch_norm2d": "batch_norm", "batch_norm2d_relu": "batch_norm", "batch_norm3d": "batch_norm",
    "batch_norm3d_relu": "batch_norm", "celu": "celu", "elu": "elu", "group_norm": "group_norm",
    "hardswish": "hardswish", "instance_norm": "instance_norm", "layer_norm": "layer_norm",
    "leaky_relu": "leaky_relu", "prelu": "prelu", "sigmoid": "sigmoid", "softmax": "softmax",
}  # fmt: skip
"""Functions of quantised modules, and the operators of real numbers that they apply."""

_FOLLOWED_BY_RELU = frozenset(("batch_norm1d_relu", "batch_norm2d_relu", "batch_norm3d_relu"))
"""Functions of quantised modules whose results a ReLU replaces; `leaky_relu` is not among them."""

_NAMES: Mapping[str, Sequence[str]] = {
    "qx": ("self", "input"),
    "input": ("self", "input"),
    "self": ("self",),
    "mean": ("running_mean",),
    "var": ("running_var",),
}
"""Names of arguments that the operators of real numbers have under other names."""


@torch_operator(*_FUNCTIONS, namespace=MODULES)
def function(node: TorchNode) -> QuantisedTensor:
    """Translate a function of quantised tensors by its floating-point variant."""
    x = next(x for x in _leaves(node) if isinstance(x, QuantisedTensor))
    scale, zero = result_parameters(node)
    translate = translation(f"aten::{_FUNCTIONS[node.operator]}")
    assert translate is not None, "the functions of real numbers are translated"
    real: Any = translate(_of_reals(node))
    if node.operator in _FOLLOWED_BY_RELU:
        real = Call(Relu(), (real,))
    return quantised(real, scale, zero, x.tensor_type.dtype)


def _of_reals(node: TorchNode) -> TorchNode:
    """Return the call of the floating-point variant of a quantised operator."""
    node.ignore(*node.arguments)
    arguments: dict[str, Argument] = {}
    for name, each in _with(node, lambda x: x.real).arguments.items():
        for other in _NAMES.get(name, (name,)):
            arguments[other] = each
    arguments["use_input_stats"] = Argument(True, NOTHING)
    return replace(node, name=f"aten::{_FUNCTIONS[node.operator]}", arguments=arguments)
