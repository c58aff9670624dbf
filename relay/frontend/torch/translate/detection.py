"""Translate torchvision's operators: NMS, region pooling, deformable convolutions."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import add_channels, constant, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.image.deformable import DeformableConv2D, ModulatedDeformableConv2D
from relay.ops.tensor.gather import Take
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression
from relay.ops.vision.roi_align import RoiAlign
from relay.ops.vision.roi_pool import RoiPool
from relay.support.dtype import int64

VISION = "torchvision"
"""The namespace of torchvision's operators."""


@torch_operator("nms", namespace=VISION)
def non_max_suppression(node: TorchNode) -> Expr:
    """Translate `nms`: indices of the boxes that no box of higher score overlaps."""
    boxes, scores = node.tensor("dets"), node.tensor("scores")
    (count,) = scores.tensor_type.shape
    dtype = scores.tensor_type.dtype
    bounds = (
        constant(-1, int64),
        constant(node.number("iou_threshold"), dtype),
        constant(-np.inf, dtype),
    )
    listed = reshape(boxes, (1, count, 4)), reshape(scores, (1, 1, count))
    both = Call(AllClassNonMaxSuppression(), (*listed, *bounds), span=node.span)
    rows = first_of(TupleGetItem(both, 0), TupleGetItem(both, 1))
    return Call(Take(axis=1), (rows, constant(2, int64)))


def _pooled_size(node: TorchNode) -> tuple[int, int]:
    return node.integer("pooled_height"), node.integer("pooled_width")


@torch_operator("roi_align", namespace=VISION)
def roi_align(node: TorchNode) -> Expr:
    """Translate `roi_align`: average interpolated samples of regions."""
    op = RoiAlign(
        pooled_size=_pooled_size(node),
        spatial_scale=node.number("spatial_scale"),
        sample_ratio=node.integer("sampling_ratio"),
        aligned=node.flag("aligned"),
    )
    return Call(op, (node.tensor("input"), node.tensor("rois")), span=node.span)


@torch_operator("roi_pool", namespace=VISION)
def roi_pool(node: TorchNode) -> Sequence[Expr | None]:
    """Translate `roi_pool`: the maximum of each part of a region; indices are omitted."""
    op = RoiPool(pooled_size=_pooled_size(node), spatial_scale=node.number("spatial_scale"))
    return [Call(op, (node.tensor("input"), node.tensor("rois")), span=node.span), None]


@torch_operator("deform_conv2d", namespace=VISION)
def deformable_convolution(node: TorchNode) -> Expr:
    """Translate `deform_conv2d`: convolve at offsets that are an operand, optionally masked."""
    x, weight, offset = (node.tensor(name) for name in ("input", "weight", "offset"))
    strides, pads, dilation = (
        (node.integer(f"{name}_h"), node.integer(f"{name}_w"))
        for name in ("stride", "pad", "dilation")
    )
    kind = ModulatedDeformableConv2D if node.flag("use_mask") else DeformableConv2D
    op = kind(
        strides=strides,
        padding=pads * 2,
        dilation=dilation,
        groups=node.integer("groups"),
        deformable_groups=node.integer("offset_groups"),
    )
    masks = [node.tensor("mask")] if node.flag("use_mask") else []
    node.ignore("mask")
    return add_channels(Call(op, (x, offset, *masks, weight), span=node.span), node.tensor("bias"))
