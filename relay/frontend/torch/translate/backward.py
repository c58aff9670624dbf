"""Translate PyTorch's backward operators: of convolutions, poolings, samplers, distances, paddings.

Backward operators without a rule here are Relay's derivatives of the translated forward operators.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from relay.autodiff.grad import vjp
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.torch.node import NOTHING, Argument, TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.antialiased import antialiased
from relay.frontend.torch.translate.convolution import average_pool, convolution
from relay.frontend.torch.translate.padding import replication
from relay.frontend.torch.translate.reduction import distances, distances_of_pairs
from relay.frontend.torch.translate.resizing import grid_sampler
from relay.frontend.torch.translate.shapes import broadcast
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, Function, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.walk import substitute
from relay.opdef.definition import OperatorDef
from relay.ops.binary import divide, multiply, subtract
from relay.ops.creation import Zeros
from relay.ops.nn.adaptive_pool_operators import AdaptiveAvgPool2D, AdaptiveAvgPool3D
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.scatter import ScatterElements


@torch_operator("convolution_backward")
def convolution_backward(node: TorchNode) -> Sequence[Expr | None]:
    """Translate `convolution_backward`; `output_mask` selects gradients.

    They are those of the data, the weight and the bias.
    """
    node.ignore("bias_sizes")
    slope, wanted = node.tensor("grad_output"), node.sequence("output_mask")
    by_data, by_weight = _gradients(convolution(node), slope)
    axes = tuple(axis for axis in range(slope.tensor_type.rank) if axis != 1)
    by_bias = Call(Sum(axis=axes), (slope,), span=node.span)
    found = (by_data, by_weight, by_bias)
    return [each if is_wanted else None for each, is_wanted in zip(found, wanted, strict=True)]


@torch_operator("avg_pool2d_backward", "avg_pool3d_backward")
def average_pool_backward(node: TorchNode) -> Expr | None:
    """Translate the backward operators of average pooling: the gradient of the data."""
    return _gradients(average_pool(node), node.tensor("grad_output"))[0]


def _gradients(result: Expr, slope: Expr) -> Sequence[Expr | None]:
    """Return the gradients of a call's operands, given the gradient `slope` of its result."""
    assert isinstance(result, Call), "graphs of training have batches"
    assert isinstance(result.op, OperatorDef), "the call is that of an operator"
    return result.op.gradient(result, slope)


@torch_operator(
    "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices_backward",
    "adaptive_max_pool2d_backward",
    "adaptive_max_pool3d_backward",
)
def max_pool_backward(node: TorchNode) -> Expr:
    """Translate the backward operators of max pooling.

    Each gradient is added at the index of the maximum of its window.
    """
    node.ignore("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    x, slope, places = node.type("self"), node.tensor("grad_output"), node.tensor("indices")
    rank = int(node.operator[node.operator.index("pool") + len("pool")])
    lead = x.shape[: x.rank - rank]
    zeros = broadcast(constant(0, x.dtype), (*lead, product(x.shape[len(lead) :])))
    flat = (*lead, product(slope.tensor_type.shape[len(lead) :]))
    op = ScatterElements(len(lead), "add")
    summed = Call(op, (zeros, reshape(places, flat), reshape(slope, flat)), span=node.span)
    return reshape(summed, x.shape)


def _pulled_back(
    build: Callable[[Sequence[Expr]], Expr], operands: Sequence[Expr], slope: Expr
) -> list[Expr]:
    """Return the gradients of operands; `build` makes a result with the gradient `slope`."""
    params = [Var(f"x{index}", each.type) for index, each in enumerate(operands)]
    forward = Module.of(Function(tuple(params), build(params)))
    pulled = vjp(forward, tuple(range(len(params)))).main
    values = dict(zip(pulled.params, (*operands, slope), strict=True))
    gradients = TupleGetItem(substitute(pulled.body, values), 1)
    return [TupleGetItem(gradients, index) for index in range(len(params))]


@torch_operator("grid_sampler_2d_backward", "grid_sampler_3d_backward")
def grid_sampler_backward(node: TorchNode) -> Sequence[Expr | None]:
    """Translate the backward operators of grid sampling: gradients of the image and the grid."""
    wanted = node.sequence("output_mask")
    found = _backward_of(node, grid_sampler, "grad_output", "input", "grid")
    return [each if is_wanted else None for each, is_wanted in zip(found, wanted, strict=True)]


@torch_operator("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_average_pool_backward(node: TorchNode) -> Expr:
    """Translate the backward operators of adaptive average pooling."""
    x, slope = node.tensor("self"), node.tensor("grad_output")
    rank = int(node.operator[len("_adaptive_avg_pool")])
    sizes = slope.tensor_type.shape[-rank:]
    op = {2: AdaptiveAvgPool2D, 3: AdaptiveAvgPool3D}[rank](output_size=sizes)
    return _pulled_back(lambda values: Call(op, tuple(values)), [x], slope)[0]


def _backward_of(
    node: TorchNode, forward: Callable[[TorchNode], Expr], slope: str, *names: str
) -> list[Expr]:
    """Return the gradients of arguments, given the translation of the forward operator."""

    def build(values: Sequence[Expr]) -> Expr:
        return forward(_with_arguments(node, **dict(zip(names, values, strict=True))))

    found = _pulled_back(build, [node.tensor(name) for name in names], node.tensor(slope))
    node.ignore(*node.arguments)
    return found


@torch_operator("_upsample_bilinear2d_aa_backward", "_upsample_bicubic2d_aa_backward")
def antialiased_backward(node: TorchNode) -> Expr:
    """Translate the backward operators of antialiased resizing."""
    slope = node.tensor("grad_output")
    image = Call(Zeros(node.ints("input_size"), slope.tensor_type.dtype), ())

    def build(values: Sequence[Expr]) -> Expr:
        given = _with_arguments(node, input=values[0])
        return antialiased(replace(given, name=node.name.replace("_backward", "")))

    node.ignore(*node.arguments)
    return _pulled_back(build, [image], slope)[0]


@torch_operator(*(f"replication_pad{rank}d_backward" for rank in (1, 2, 3)))
def replication_backward(node: TorchNode) -> Expr:
    """Translate the backward operators of padding with the edge."""
    return _backward_of(node, replication, "grad_output", "self")[0]


@torch_operator("_cdist_backward")
def pair_distances_backward(node: TorchNode) -> Expr:
    """Translate the backward operator of `cdist` for the first of its arguments."""
    return _backward_of(node, distances, "grad", "x1", "x2")[0]


@torch_operator("_pdist_backward")
def distances_backward(node: TorchNode) -> Expr:
    """Translate the backward operator of `pdist`."""
    return _backward_of(node, distances_of_pairs, "grad", "self")[0]


@torch_operator("_weight_norm_interface_backward")
def weight_norm_backward(node: TorchNode) -> Sequence[Expr]:
    """Translate the backward operator of `weight_norm`: gradients of the direction and length."""
    slope, v, g, norms = (
        node.tensor(name) for name in ("grad_w", "saved_v", "saved_g", "saved_norms")
    )
    axes = tuple(a for a in range(v.tensor_type.rank) if a != node.integer("dim"))
    along = Call(Sum(axis=axes, keepdims=True), (multiply(slope, v),))
    direct = subtract(slope, divide(multiply(v, along), multiply(norms, norms)))
    return [multiply(divide(g, norms), direct), divide(along, norms)]


def _with_arguments(node: TorchNode, **values: Expr) -> TorchNode:
    """Return a node with other values of arguments."""
    changed = {name: Argument(each, NOTHING) for name, each in values.items()}
    return replace(node, arguments={**node.arguments, **changed})
