"""Translate ONNX Runtime's layers for diffusion and vision models (domain `com.microsoft`)."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import channels_first, channels_last, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.convolution import convolved, maximum_pooling
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import add, multiply
from relay.ops.image.crop_and_resize import CropAndResize
from relay.ops.nn.more_activations import Gelu
from relay.ops.nn.normalization import GroupNorm
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.transcendental import Sigmoid


@onnx_operator("NhwcMaxPool", domain=MICROSOFT)
def nhwc_max_pool(node: OnnxNode) -> Expr:
    """Translate `NhwcMaxPool`: max pooling with channels last."""
    node = node.with_inputs({0: channels_first(node.expr(0))})
    return channels_last(maximum_pooling(node).result)


@onnx_operator("NhwcConv", domain=MICROSOFT)
def nhwc_conv(node: OnnxNode) -> Expr:
    """Translate `NhwcConv`: convolution with channels last in data, weight and result."""
    given = {place: channels_first(node.expr(place)) for place in (0, 1)}
    return channels_last(convolved(node.with_inputs(given)))


@onnx_operator("GroupNorm", "SkipGroupNorm", domain=MICROSOFT)
def group_norm(node: OnnxNode) -> Sequence[Expr]:
    """Translate `GroupNorm` and `SkipGroupNorm`; the latter normalises a sum, its 2nd output.

    `activation` 1 is SiLU: multiply by the sigmoid. Without `channels_last`, channels are the
    second axis.
    """
    x, is_last = node.expr(0), bool(node.attribute("channels_last", 1))
    for place in (3, 4):
        if node.has(place):
            x = add(x, _of_image(node.expr(place), x))
    op = GroupNorm(
        axis=1, num_groups=node.required("groups"), epsilon=node.attribute("epsilon", 1e-5)
    )
    args = (channels_first(x) if is_last else x, node.expr(1), node.expr(2))
    result = Call(op, args, span=node.span)
    if node.attribute("activation", 0):
        result = multiply(result, Call(Sigmoid(), (result,)))
    return [channels_last(result) if is_last else result, x]


def _of_image(skip: Expr, x: Expr) -> Expr:
    """Return the skip tensor; one number per channel is reshaped to broadcast to images."""
    shape = skip.tensor_type.shape
    if len(shape) != 2:
        return skip
    return reshape(skip, (shape[0], *(1,) * (x.tensor_type.rank - 2), shape[1]))


@onnx_operator("BiasAdd", domain=MICROSOFT)
def bias_add(node: OnnxNode) -> Expr:
    """Translate `BiasAdd`: add a bias along the last axis, and another tensor."""
    return add(add(node.expr(0), node.expr(1)), node.expr(2))


@onnx_operator("BiasSplitGelu", domain=MICROSOFT)
def bias_split_gelu(node: OnnxNode) -> Expr:
    """Translate `BiasSplitGelu`: after adding a bias, multiply one half by GELU of the other.

    The halves are those of the last axis.
    """
    x = add(node.expr(0), node.expr(1))
    halves = Call(Split(2, x.tensor_type.rank - 1), (x,))
    left, right = (TupleGetItem(halves, index) for index in (0, 1))
    return multiply(left, Call(Gelu("none"), (right,), span=node.span))


@onnx_operator("ExpandDims", domain=MICROSOFT)
def expand_dims(node: OnnxNode) -> Expr:
    """Translate `ExpandDims` at a constant axis."""
    (axis,) = node.ints(1, "the axis")
    return Call(ExpandDims(axis), (node.expr(0),), span=node.span)


@onnx_operator("CropAndResize", domain=MICROSOFT)
def crop_and_resize(node: OnnxNode) -> Expr:
    """Translate `CropAndResize`: crop boxes out of images, and resize each."""
    mode = node.choice("mode", ("bilinear", "nearest"), "bilinear")
    op = CropAndResize(
        node.ints(3, "the size"),
        method="bilinear" if mode == "bilinear" else "nearest_neighbor",
        extrapolation_value=node.attribute("extrapolation_value", 0.0),
    )
    return Call(op, (node.expr(0), node.expr(1), node.expr(2)), span=node.span)
