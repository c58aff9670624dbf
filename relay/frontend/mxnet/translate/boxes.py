"""Translate MXNet operators on boxes and regions: suppression, overlaps, decoding, pooling."""

from collections.abc import Callable
from math import prod

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import add_channels, constant, reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.node_errors import static_size
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.cast import Cast
from relay.ops.image.deformable import Correlation, ModulatedDeformableConv2D
from relay.ops.vision.box_selection import GetValidCounts, NonMaxSuppression
from relay.ops.vision.region_proposal import Proposal
from relay.ops.vision.roi_pool import RoiPool
from relay.support.dtype import int32


def _columns(x: Expr, begin: int, end: int | None = None) -> Expr:
    """Return columns of the last axis."""
    size = x.tensor_type.static_shape[-1]
    return rnp.take(x, np.arange(size)[begin : size if end is None else end], axis=-1)


def _corners(boxes: Expr) -> Expr:
    """Return boxes `(centre, size)` as `(left, top, right, bottom)`."""
    centre, half = _columns(boxes, 0, 2), rnp.divide(_columns(boxes, 2, 4), 2)
    return rnp.concatenate([rnp.subtract(centre, half), rnp.add(centre, half)], axis=-1)


def _centres(boxes: Expr) -> Expr:
    """Return boxes `(left, top, right, bottom)` as `(centre, size)`."""
    first, last = _columns(boxes, 0, 2), _columns(boxes, 2, 4)
    centre = rnp.divide(rnp.add(first, last), 2)
    return rnp.concatenate([centre, rnp.subtract(last, first)], axis=-1)


@mxnet_operator("_contrib_box_nms", "_contrib_box_non_maximum_suppression")
def box_nms(node: MxNode) -> Expr:
    """Translate `box_nms`: the best boxes that do not overlap, by score, then rows of -1."""
    shape = node.type().static_shape
    x = reshape(node.tensor(), (prod(shape[:-2]), *shape[-2:]))
    start, kind = node.integer("coord_start", 2), node.integer("id_index", -1)
    score = node.integer("score_index", 1)
    source, target = (node.text(f"{each}_format", "corner") for each in ("in", "out"))
    if source == "center":
        x = _replaced(x, start, _corners)
    x = _without_background(node, x, kind, score)
    least, overlap = node.number("valid_thresh", 0.0), node.number("overlap_thresh", 0.5)
    dtype = x.tensor_type.dtype
    valid = Call(GetValidCounts(kind, score), (x, constant(least, dtype)), span=node.span)
    counts, rows, places = (TupleGetItem(valid, index) for index in range(3))
    op = NonMaxSuppression(
        force_suppress=node.flag("force_suppress"),
        top_k=node.integer("topk", -1),
        coord_start=start,
        score_index=score,
        id_index=kind,
        return_indices=False,
        invalid_to_bottom=True,
    )
    limits = constant(-1, int32), constant(overlap, dtype)
    found = Call(op, (rows, counts, places, *limits), span=node.span)
    if target == "center":
        is_there = rnp.greater_equal(_columns(found, score, score + 1), np.asarray(0, dtype.numpy))
        found = rnp.where(is_there, _replaced(found, start, _centres), found)
    return reshape(found, shape)


def _replaced(x: Expr, start: int, change: Callable[[Expr], Expr]) -> Expr:
    parts = [_columns(x, 0, start), change(_columns(x, start, start + 4)), _columns(x, start + 4)]
    return rnp.concatenate([each for each in parts if each.tensor_type.shape[-1] != 0], axis=-1)


def _without_background(node: MxNode, x: Expr, kind: int, score: int) -> Expr:
    """Return rows with the score -inf in those of the class `background_id`."""
    background = node.integer("background_id", -1)
    if kind < 0 or background < 0:
        return x
    dtype = x.tensor_type.dtype.numpy
    is_background = rnp.equal(_columns(x, kind, kind + 1), np.asarray(background, dtype))
    column = np.arange(x.tensor_type.static_shape[-1]) == score
    return rnp.where(rnp.logical_and(is_background, column), np.asarray(-np.inf, dtype), x)


@mxnet_operator("_contrib_box_iou")
def box_iou(node: MxNode) -> Expr:
    """Translate `box_iou`: the intersection over the union of all pairs of boxes."""
    boxes = [node.tensor(), node.tensor(1)]
    if node.text("format", "corner") == "center":
        boxes = [_corners(each) for each in boxes]
    shapes = [each.tensor_type.static_shape[:-1] for each in boxes]
    first, second = reshape(boxes[0], (-1, 1, 4)), reshape(boxes[1], (1, -1, 4))
    zero = np.asarray(0, first.tensor_type.dtype.numpy)
    low = rnp.maximum(_columns(first, 0, 2), _columns(second, 0, 2))
    high = rnp.minimum(_columns(first, 2, 4), _columns(second, 2, 4))
    shared = rnp.prod(rnp.maximum(rnp.subtract(high, low), zero), axis=-1)
    areas = [
        rnp.prod(rnp.maximum(rnp.subtract(_columns(each, 2, 4), _columns(each, 0, 2)), zero), -1)
        for each in (first, second)
    ]
    union = rnp.subtract(rnp.add(*areas), shared)
    has_area = rnp.greater(union, zero)
    divisor = rnp.where(has_area, union, np.asarray(1, zero.dtype))
    found = rnp.where(has_area, rnp.divide(shared, divisor), zero)
    return reshape(found, (*shapes[0], *shapes[1]))


@mxnet_operator("_contrib_box_decode")
def box_decode(node: MxNode) -> Expr:
    """Translate `box_decode`: move and scale anchors by predictions; the results are corners."""
    x, anchors = node.tensor(), node.tensor(1)
    dtype = x.tensor_type.dtype.numpy
    if node.text("format", "center") == "corner":
        anchors = _centres(anchors)
    factors = np.array([node.number(f"std{i}", 1.0) for i in range(4)], dtype)
    moved = rnp.multiply(x, factors)
    size = _columns(anchors, 2, 4)
    centre = rnp.add(rnp.multiply(_columns(moved, 0, 2), size), _columns(anchors, 0, 2))
    logs = _columns(moved, 2, 4)
    if node.number("clip", -1.0) > 0:
        logs = rnp.minimum(logs, np.asarray(node.number("clip"), dtype))
    half = rnp.divide(rnp.multiply(rnp.exp(logs), size), 2)
    return rnp.concatenate([rnp.subtract(centre, half), rnp.add(centre, half)], axis=-1)


@mxnet_operator("ROIPooling")
def roi_pooling(node: MxNode) -> Expr:
    """Translate `ROIPooling`: the maxima of the windows of regions."""
    op = RoiPool(pooled_size=node.ints("pooled_size"), spatial_scale=node.number("spatial_scale"))
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("_contrib_Proposal", "_contrib_MultiProposal")
def proposal(node: MxNode) -> Expr:
    """Translate `Proposal`: the best boxes of a region proposal network."""
    if node.flag("output_score"):
        raise node.wrong("output_score")
    op = Proposal(
        scales=node.numbers("scales", (4.0, 8.0, 16.0, 32.0)),
        ratios=node.numbers("ratios", (0.5, 1.0, 2.0)),
        feature_stride=node.integer("feature_stride", 16),
        threshold=node.number("threshold", 0.7),
        rpn_pre_nms_top_n=node.integer("rpn_pre_nms_top_n", 6000),
        rpn_post_nms_top_n=node.integer("rpn_post_nms_top_n", 300),
        rpn_min_size=node.integer("rpn_min_size", 16),
        iou_loss=node.flag("iou_loss"),
    )
    return Call(op, tuple(node.inputs[:3]), span=node.span)


@mxnet_operator("_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution")
def deformable(node: MxNode) -> Expr:
    """Translate convolutions that read the image at moved points, and may weight these."""
    node.ignore("im2col_step")
    if node.text("layout", "None") not in ("None", "NCHW"):
        raise node.wrong("layout")
    ones = (1, 1)
    shared = {
        "strides": node.ints("stride", ones),
        "dilation": node.ints("dilate", ones),
        "padding": node.ints("pad", (0, 0)) * 2,
        "groups": node.integer("num_group", 1),
        "deformable_groups": node.integer("num_deformable_group", 1),
        "kernel_size": node.ints("kernel"),
    }
    is_weighted = node.op.startswith("_contrib_Modulated")
    x, offset, *weights = node.inputs
    mask = weights.pop(0) if is_weighted else None
    if mask is None:
        offset, mask = _inside(node, x, offset)
    found = Call(ModulatedDeformableConv2D(**shared), (x, offset, mask, weights[0]), span=node.span)
    return add_channels(found, None if node.flag("no_bias") else weights[1])


def _inside(node: MxNode, x: Expr, offset: Expr) -> tuple[Expr, Expr]:
    """Return offsets to points that are clamped to the image, and a mask of the points inside."""
    kernel, size = node.ints("kernel"), x.tensor_type.static_shape[2:]
    strides, dilation = node.ints("stride", (1, 1)), node.ints("dilate", (1, 1))
    batch, count, *result = offset.tensor_type.static_shape
    dtype = offset.tensor_type.dtype.numpy
    begins = [
        np.arange(result[axis]) * strides[axis] - node.ints("pad", (0, 0))[axis] for axis in (0, 1)
    ]
    taps = np.stack(np.meshgrid(*map(np.arange, kernel), indexing="ij"), -1).reshape(-1, 2)
    places = np.stack(np.meshgrid(*begins, indexing="ij"))
    base = (taps * dilation)[:, :, None, None] + places[None]
    groups = count // base[:, :, 0, 0].size
    shape = (batch, groups, *base.shape)
    points = rnp.add(rnp.reshape(offset, shape), base.astype(dtype))
    sizes = np.array(size).reshape(2, 1, 1)
    is_inside = rnp.logical_and(
        rnp.greater_equal(points, dtype.type(0)), rnp.less(points, sizes.astype(dtype))
    )
    mask = rnp.all(is_inside, axis=3)
    clamped = rnp.minimum(rnp.maximum(points, dtype.type(0)), (sizes - 1).astype(dtype))
    moved = rnp.reshape(rnp.subtract(clamped, base.astype(dtype)), (batch, count, *result))
    flat = rnp.reshape(mask, (batch, count // 2, *result))
    return moved, Call(Cast(offset.tensor_type.dtype), (flat,))


@mxnet_operator("Correlation")
def correlation(node: MxNode) -> Expr:
    """Translate `Correlation`: compare patches of two images at displacements."""
    op = Correlation(
        kernel_size=node.integer("kernel_size", 1),
        max_displacement=node.integer("max_displacement", 1),
        stride1=node.integer("stride1", 1),
        stride2=node.integer("stride2", 1),
        padding=(node.integer("pad_size", 0),) * 2,
        is_multiply=node.flag("is_multiply", default=True),
    )
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("_contrib_PSROIPooling")
def position_sensitive_pooling(node: MxNode) -> Expr:
    """Translate `PSROIPooling`: means of the windows of regions, each over other channels.

    Channel `(d, g, h)` of the image belongs to result `d` and to place `(g, h)` of the group, which
    is that of the window.
    """
    x, regions = node.inputs
    size, scale = node.integer("pooled_size"), node.number("spatial_scale")
    group = node.integer("group_size", 0) or size
    batch, _, height, width = x.tensor_type.shape
    maps = rnp.reshape(x, (batch, node.integer("output_dim"), group, group, height, width))
    places = np.arange(size) * group // size
    maps = rnp.take(rnp.take(maps, places, axis=2), places, axis=3)
    numbers, left, top, right, bottom = (rnp.take(regions, i, axis=1) for i in range(5))
    rows, columns = (
        _windows(first, last, scale, size, static_size(extent))
        for first, last, extent in ((top, bottom, height), (left, right, width))
    )
    area = rnp.multiply(*(
        rnp.expand_dims(rnp.sum(each, axis=2), axis)
        for each, axis in ((rows, 2), (columns, 1))
    ))  # fmt: skip
    sums = rnp.einsum("ndpqhw,rqw->nrdpqh", maps, columns)
    sums = rnp.einsum("nrdpqh,rph->nrdpq", sums, rows)
    images = rnp.arange(static_size(batch), dtype="float32")
    own = rnp.equal(rnp.expand_dims(numbers, 1), images)
    found = rnp.einsum("nrdpq,rn->rdpq", sums, rnp.astype(own, x.tensor_type.dtype.numpy))
    return rnp.divide(found, rnp.expand_dims(rnp.maximum(area, 1.0), 1))


def _windows(first: Expr, last: Expr, scale: float, count: int, extent: int) -> Expr:
    """Return for each region and window 1 at the places of an axis inside, otherwise 0."""
    begin = rnp.multiply(rnp.round(first), scale)
    end = rnp.multiply(rnp.add(rnp.round(last), 1.0), scale)
    step = rnp.divide(rnp.maximum(rnp.subtract(end, begin), 0.1), float(count))
    begin, step = (rnp.expand_dims(each, (1, 2)) for each in (begin, step))
    numbers = np.arange(count, dtype=np.float32)[:, None]
    low = rnp.floor(rnp.add(rnp.multiply(step, numbers), begin))
    high = rnp.ceil(rnp.add(rnp.multiply(step, numbers + 1), begin))
    places = np.arange(extent, dtype=np.float32)
    inside = rnp.logical_and(rnp.less_equal(low, places), rnp.greater(high, places))
    return rnp.astype(inside, "float32")
