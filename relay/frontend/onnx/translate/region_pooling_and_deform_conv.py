"""Translate region pooling (ROI), and deformable convolutions."""

from relay.frontend.builders.tensor_helpers import add_channels, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.convolution import convolution_attributes
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.cast import Cast
from relay.ops.image.deformable import DeformableConv2D, ModulatedDeformableConv2D
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.vision.roi_align import RoiAlign
from relay.ops.vision.roi_pool import RoiPool
from relay.support.error_codes import ErrorCode

_POOLINGS = {"avg": "avg", "max": "weighted_max"}
_POSITIONS = ("half_pixel", "output_half_pixel")
_HALF_PIXEL_SINCE = 16


@onnx_operator("RoiAlign")
def roi_align(node: OnnxNode) -> Expr:
    """Translate `RoiAlign`: pool regions from interpolated samples."""
    default = "half_pixel" if node.opset >= _HALF_PIXEL_SINCE else "output_half_pixel"
    op = RoiAlign(
        (node.attribute("output_height", 1), node.attribute("output_width", 1)),
        node.attribute("spatial_scale", 1.0),
        node.attribute("sampling_ratio", 0) or -1,
        mode=_POOLINGS[node.choice("mode", _POOLINGS, "avg")],
        aligned=node.choice("coordinate_transformation_mode", _POSITIONS, default) == "half_pixel",
    )
    regions = node.expr(1)
    count, _ = regions.tensor_type.shape
    images = Call(Cast(regions.tensor_type.dtype), (reshape(node.expr(2), (count, 1)),))
    numbered = Call(Concatenate(1), (Tuple((images, regions)),))
    return Call(op, (node.expr(0), numbered), span=node.span)


@onnx_operator("MaxRoiPool")
def max_roi_pool(node: OnnxNode) -> Expr:
    """Translate `MaxRoiPool`: divide regions into cells, and return the maximum of each."""
    op = RoiPool(tuple(node.required("pooled_shape")), node.attribute("spatial_scale", 1.0))
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@onnx_operator("DeformConv")
def deform_conv(node: OnnxNode) -> Expr:
    """Translate `DeformConv`: 2D convolution at offsets that are an input, optionally masked."""
    if node.rank(0) != _IMAGES:
        raise node.error(
            ErrorCode.F031,
            f"the images must have rank {_IMAGES}, (N, C, H, W), but have rank {node.rank(0)}",
        )
    x, weight, offset = (node.expr(index) for index in range(3))
    attributes = convolution_attributes(node, weight)
    groups = node.attribute("offset_group", 1)
    if node.has(4):
        op = ModulatedDeformableConv2D(**attributes, deformable_groups=groups)
        result = Call(op, (x, offset, node.expr(4), weight), span=node.span)
    else:
        plain = DeformableConv2D(**attributes, deformable_groups=groups)
        result = Call(plain, (x, offset, weight), span=node.span)
    return add_channels(result, node.optional(3))


_IMAGES = 4  # batch, channels, height, width
