"""Translate PyTorch's backward operators of convolutions and poolings."""

from collections.abc import Sequence

from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.convolution import average_pool, convolution
from relay.frontend.torch.translate.shapes import broadcast
from relay.ir.dims import product
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
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
