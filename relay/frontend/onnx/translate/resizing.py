"""Translate ONNX image resizing."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import TypeVar

import numpy as np

from relay.frontend.builders.resizing_at_run_time import (
    SIMPLE,
    RunTimeResize,
    by_scales,
    by_sizes,
    keeping_ratio,
)
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.antialias import antialiased, cubic, linear
from relay.frontend.onnx.translate.run_time_tensors import as_int64, part, scalar
from relay.ir.dims import ANY, Dim, is_static, product
from relay.ir.expr import Call, Constant, Expr
from relay.ops.image.resize import Resize1D, Resize2D, Resize3D
from relay.ops.image.resize_base import Resize
from relay.ops.image.resize_coordinates import MODES
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

T = TypeVar("T")

_RESIZE: Mapping[int, type[Resize]] = {1: Resize1D, 2: Resize2D, 3: Resize3D}
_METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}
_ROUNDING = {"round_prefer_floor": "round_prefer_floor", "round_prefer_ceil": "round_prefer_ceil",
             "floor": "floor", "ceil": "ceil"}  # fmt: skip

_POLICIES = ("stretch", "not_larger", "not_smaller")


@onnx_operator("Resize")
def resize(node: OnnxNode) -> Expr:
    """Translate `Resize`; raises `F030` and `F038` for unsupported forms."""
    legacy = node.opset < 11
    scales_at, sizes_at = (1, 3) if legacy else (2, 3)
    mode = "asymmetric" if legacy else coordinate_mode(node)
    rounding = SIMPLE if legacy else node.choice("nearest_mode", _ROUNDING, "round_prefer_floor")
    policy = node.choice("keep_aspect_ratio_policy", _POLICIES, "stretch")
    rank = node.rank(0)
    given_axes: list[int] = list(node.attribute("axes", range(rank)))
    axes = [axis % rank for axis in given_axes]
    at = sizes_at if node.has(sizes_at) and not legacy else scales_at
    crops = mode == "tf_crop_and_resize"
    if crops and _is_antialiased(node):
        raise _antialiased_region(node)
    crops_at_run_time = crops and not isinstance(node.expr(1), Constant)
    if crops_at_run_time or not _is_known_at_import(node, at, node.type(0).shape):
        return _at_run_time(node, axes, at, mode, rounding)
    if at == scales_at:
        return _by_scales(node, axes, _scales(node, at), mode, rounding)
    wanted = node.dims(at, "the sizes")
    if policy == "stretch":
        shape = _replaced(node.type(0).shape, axes, wanted)
        return _resized(node, shape, None, mode, rounding)
    old = [node.type(0).shape[axis] for axis in axes]
    if not is_static((*old, *wanted)):
        return _at_run_time(node, axes, at, mode, rounding)
    return _keeping_ratio(node, axes, static_sizes(tuple(wanted)), policy, rounding)


def coordinate_mode(node: OnnxNode, default: str = "half_pixel") -> str:
    """Return the coordinate transformation mode of a node; raises `F038` for unknown ones."""
    return node.choice("coordinate_transformation_mode", MODES, default, ErrorCode.F038)


def _mode(node: OnnxNode) -> str:
    """Return how a node interpolates; raises `F026` for unknown ways."""
    return node.choice("mode", _METHODS, "nearest")


def _is_antialiased(node: OnnxNode) -> bool:
    """Whether a node smooths an image; `nearest` reads single pixels and ignores `antialias`."""
    return bool(node.attribute("antialias", 0)) and _mode(node) != "nearest"


def _antialiased_region(node: OnnxNode) -> RelayImportError:
    problem = "antialias=1 is not supported together with a region of interest"
    help_ = "export the model with antialias=0, or without tf_crop_and_resize"
    return node.error(ErrorCode.F030, problem, help_)


def scaled_image(node: OnnxNode, scales: Sequence[float], mode: str, rounding: str) -> Expr:
    """Return the node's first input resized by one scale for each axis.

    `mode` is ONNX's coordinate transformation mode, `rounding` that of the nearest pixel.
    """
    return _by_scales(node, range(node.rank(0)), scales, mode, rounding)


def _by_scales(
    node: OnnxNode, axes: Sequence[int], given: Sequence[float], mode: str, rounding: str
) -> Expr:
    old = node.type(0).shape
    sizes = [_scaled(node, old[axis], scale) for axis, scale in zip(axes, given, strict=True)]
    scales = _replaced([1.0] * len(old), axes, given)
    return _resized(node, _replaced(old, axes, sizes), scales, mode, rounding)


def _keeping_ratio(
    node: OnnxNode, axes: Sequence[int], wanted: Sequence[int], policy: str, rounding: str
) -> Expr:
    """Resize all axes by one scale; `policy` says whether `wanted` limits or covers the result."""
    mode, shape = coordinate_mode(node), node.type(0).shape
    old = [np.float32(size) for size in static_sizes(tuple(shape[axis] for axis in axes))]
    ratios = [np.float32(b) / a for a, b in zip(old, wanted, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    sizes = [floor(size * scale + np.float32(0.5)) for size in old]
    scales = _replaced([1.0] * len(shape), axes, [float(scale)] * len(axes))
    return _resized(node, _replaced(shape, axes, sizes), scales, mode, rounding)


def _replaced(before: Sequence[T], axes: Sequence[int], after: Sequence[T]) -> list[T]:
    """Return a list with the items at `axes` replaced."""
    found = dict(zip(axes, after, strict=True))
    return [found.get(axis, item) for axis, item in enumerate(before)]


@onnx_operator("Upsample")
def upsample(node: OnnxNode) -> Expr:
    """Translate `Upsample`, the predecessor of `Resize`."""
    if node.opset >= 9 and not _is_known_at_import(node, 1, node.type(0).shape):
        return _at_run_time(node, range(node.rank(0)), 1, "asymmetric", SIMPLE)
    scales = node.required("scales") if node.opset < 9 else _scales(node, 1)
    return scaled_image(node, scales, "asymmetric", SIMPLE)


def _is_known_at_import(node: OnnxNode, index: int, shape: Sequence[Dim]) -> bool:
    """Whether the sizes or scales of input `index`, and the `shape`, are known at import."""
    known = node.is_known(index) or isinstance(node.expr(index), Constant)
    return known and ANY not in shape


def _at_run_time(node: OnnxNode, axes: Sequence[int], index: int, mode: str, rounding: str) -> Expr:
    """Resize to run-time sizes or scales, or resize a region."""
    x, given = node.expr(0), node.expr(index)
    regions = _regions(node, axes) if mode == "tf_crop_and_resize" else {}
    how = RunTimeResize(
        _mode(node),
        mode,
        rounding,
        node.attribute("cubic_coeff_a", -0.75),
        bool(node.attribute("exclude_outside", 0)),
        _is_antialiased(node),
        regions,
        node.attribute("extrapolation_value", 0.0),
    )
    parts = {axis: scalar(part(given, i, i + 1)) for i, axis in enumerate(axes)}
    if given.tensor_type.dtype.is_float:
        return by_scales(x, how, parts)
    known = node.known(index)
    old = x.tensor_type.shape
    kept = {axis for i, axis in enumerate(axes) if known is not None and known[i] is old[axis]}
    policy = node.choice("keep_aspect_ratio_policy", _POLICIES, "stretch")
    if policy != "stretch":
        return keeping_ratio(x, how, {axis: as_int64(size) for axis, size in parts.items()}, policy)
    sizes = {axis: as_int64(size) for axis, size in parts.items() if axis not in kept}
    return by_sizes(x, how, sizes)


def _regions(node: OnnxNode, axes: Sequence[int]) -> dict[int, tuple[Expr, Expr]]:
    """Return the begin and the end of the region (`roi`) along each of some axes."""
    listed = _axes_of_roi(node, axes, node.type(1).shape[0])
    ends = [scalar(part(node.expr(1), i, i + 1)) for i in range(2 * len(listed))]
    places = {axis: (ends[i], ends[len(listed) + i]) for i, axis in enumerate(listed)}
    return {axis: places[axis] for axis in axes}


def _axes_of_roi(node: OnnxNode, axes: Sequence[int], entries: Dim) -> Sequence[int]:
    """Return the axes of a region with this number of entries: `axes`, or all if they suffice."""
    rank = node.rank(0)
    return range(rank) if entries == 2 * rank else axes


def _scales(node: OnnxNode, index: int) -> list[float]:
    return [float(scale) for scale in node.constant(index, "the scales").ravel().tolist()]


def _scaled(node: OnnxNode, size: Dim, scale: float) -> Dim:
    if isinstance(size, int):  # as ONNX Runtime does it, in float32
        return floor(np.float32(size) * np.float32(scale))
    ratio = Fraction(scale).limit_denominator(64)
    if abs(float(ratio) - scale) > 1e-6:
        raise node.error(
            ErrorCode.F032,
            f"an axis that is scaled by {scale} needs a size that is known at compile time",
        )
    return size * ratio.numerator // ratio.denominator


def _resized(
    node: OnnxNode, shape: Sequence[Dim], scales: Sequence[float] | None, mode: str, rounding: str
) -> Expr:
    """Return the resized image; before opset 11, positions are rounded according to each scale."""
    old = node.type(0).shape
    _mode(node)  # which is checked even if the size stays the same
    if tuple(shape) == old and mode != "tf_crop_and_resize":
        return node.expr(0)  # as in ONNX Runtime, whatever scale led to the same size
    if rounding != SIMPLE or scales is None:
        return _resize(node, shape, scales, mode, rounding)
    for is_smaller, towards in ((True, "ceil"), (False, "floor")):
        axes = [axis for axis, s in enumerate(scales) if s != 1 and (s < 1) == is_smaller]
        if axes:
            sizes = _replaced(node.type(0).shape, axes, [shape[axis] for axis in axes])
            part = _replaced([1.0] * len(shape), axes, [scales[axis] for axis in axes])
            node = node.with_inputs({0: _resize(node, sizes, part, mode, towards)})
    return node.expr(0)


def _resize(
    node: OnnxNode, shape: Sequence[Dim], scales: Sequence[float] | None, mode: str, rounding: str
) -> Expr:
    x = node.expr(0)
    old = x.tensor_type.shape
    if _is_antialiased(node):
        return _antialiased(node, shape, scales, mode)
    if tuple(shape[:2]) != old[:2] or len(shape) - 2 not in _RESIZE:
        return _resized_other_axes(node, shape, scales, mode, rounding)
    op = _operator(
        node, len(shape) - 2, shape[2:], None if scales is None else scales[2:], mode, rounding
    )
    return Call(op, (x,), span=node.span)


def _antialiased(
    node: OnnxNode, shape: Sequence[Dim], scales: Sequence[float] | None, mode: str
) -> Expr:
    """Resize with antialiasing; raises `F032` unless all sizes are known."""
    x = node.expr(0)
    if not is_static((*shape, *x.tensor_type.shape)):
        raise node.error(
            ErrorCode.F032,
            f"antialias=1 needs sizes that are known at compile time, but the input is {x.type}",
        )
    is_linear = _mode(node) == "linear"
    by = linear if is_linear else cubic(node.attribute("cubic_coeff_a", -0.75))
    excludes = bool(node.attribute("exclude_outside", 0))
    return antialiased(x, static_sizes(tuple(shape)), scales, mode, by, excludes=excludes)


def _operator(
    node: OnnxNode,
    rank: int,
    size: Sequence[Dim],
    scales: Sequence[float] | None,
    mode: str,
    rounding: str,
) -> Resize:
    roi = _roi(node, rank) if mode == "tf_crop_and_resize" else None
    return _RESIZE[rank](
        size=tuple(size),
        roi=roi,
        method=_METHODS[_mode(node)],
        coordinate_transformation_mode=mode,
        rounding_method=_ROUNDING[rounding],
        cubic_alpha=node.attribute("cubic_coeff_a", -0.75),
        cubic_exclude=bool(node.attribute("exclude_outside", 0)),
        extrapolation_value=node.attribute("extrapolation_value", 0.0),
        scales=None if scales is None else tuple(scales),
    )


def _roi(node: OnnxNode, rank: int) -> tuple[float, ...]:
    """Return the region (`roi`) along the spatial axes: the begin of each, then the end."""
    roi = [float(each) for each in node.constant(1, "roi, the region of interest,").ravel()]
    whole = node.rank(0)
    listed = [axis % whole for axis in node.attribute("axes", range(whole))]
    axes = _axes_of_roi(node, listed, len(roi))
    begins, ends = [0.0] * whole, [1.0] * whole
    for i, axis in enumerate(axes):
        begins[axis], ends[axis] = roi[i], roi[len(axes) + i]
    return (*begins[-rank:], *ends[-rank:])


def _resized_other_axes(
    node: OnnxNode, shape: Sequence[Dim], scales: Sequence[float] | None, mode: str, rounding: str
) -> Expr:
    """Resize axes that are not spatial, by transposing them to the end, three at a time."""
    x = node.expr(0)
    old = x.tensor_type.shape
    changed = [i for i, (a, b) in enumerate(zip(old, shape, strict=True)) if a != b]
    if mode == "tf_crop_and_resize":
        message = "a region of interest is supported for one, two or three spatial axes"
        raise node.error(ErrorCode.F038, message)
    if len(changed) > 3:
        first = [old[i] if i in changed[3:] else size for i, size in enumerate(shape)]
        rest = node.with_inputs({0: _resize(node, first, scales, mode, rounding)})
        return _resize(rest, shape, scales, mode, rounding)
    kept = [i for i in range(len(old)) if i not in changed]
    order = (*kept, *changed)
    lead = [old[i] for i in kept]
    flat = (1, product(lead))
    moved = reshape(Call(Transpose(order), (x,)), (*flat, *(old[i] for i in changed)))
    chosen = None if scales is None else [scales[i] for i in changed]
    op = _operator(node, len(changed), [shape[i] for i in changed], chosen, mode, rounding)
    result = reshape(Call(op, (moved,), span=node.span), (*lead, *(shape[i] for i in changed)))
    return Call(Transpose(tuple(order.index(i) for i in range(len(old)))), (result,))
