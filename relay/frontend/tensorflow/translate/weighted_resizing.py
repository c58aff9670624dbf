"""Translate TensorFlow's resizing by filters: each element is a weighted mean of its region."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from relay import numpy as rnp
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import is_static, static
from relay.ir.expr import Array, Constant, Expr
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode


@dataclass(frozen=True)
class Filter:
    """An interpolation filter: the weight by distance, which is 0 beyond the radius."""

    radius: float
    weight: Callable[[Array], Array]


def _lanczos(radius: int) -> Filter:
    return Filter(radius, lambda x: np.where(x > radius, 0, np.sinc(x) * np.sinc(x / radius)))


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Filter:
    """Return a filter of two cubic polynomials, up to the distances 1 and 2."""
    return Filter(2, lambda x: np.where(x >= 2, 0, np.where(x >= 1, np.polyval(far, x),
                                                            np.polyval(near, x))))  # fmt: skip


_FILTERS: Mapping[str, Filter] = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": Filter(1.5, lambda x: np.where(x >= 1.5, 0, np.exp(-2 * x * x))),
    "box": Filter(1, lambda x: np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))),
    "triangle": Filter(1, lambda x: np.maximum(1 - x, 0)),
    "keyscubic": _cubic((1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2)),
    "mitchellcubic": _cubic((7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
}


@tf_operator("ScaleAndTranslate")
def scale_and_translate(node: TfNode) -> Expr:
    """Translate `ScaleAndTranslate`: resize by a filter, as `tf.image.resize` with antialiasing."""
    how = _FILTERS[node.text("kernel_type", "lanczos3")]
    smooths = "antialias" not in node or node.flag("antialias")
    scales, moves = node.constant(2, "the scales"), node.constant(3, "the translations")
    rows, columns = (
        _filter_weights(how, *sizes, float(scale), float(move), smooths=smooths)
        for sizes, scale, move in zip(_sizes(node), scales, moves, strict=True)
    )
    return _resized(node, rows, columns)


def _filter_weights(
    how: Filter, size: int, count: int, scale: float, move: float, *, smooths: bool
) -> Array:
    """Return the matrix that resizes an axis; rows with positions outside of the image are zero."""
    step = np.float32(1) / np.float32(scale)
    wide = max(step, np.float32(1)) if smooths else np.float32(1)
    places = (np.arange(count, dtype=np.float32) + np.float32(0.5)) * step - step * np.float32(move)
    reach = np.float32(how.radius) * wide
    first = np.clip(np.ceil(places - reach - np.float32(0.5)), 0, size - 1)
    last = np.clip(np.floor(places + reach - np.float32(0.5)), 0, size - 1)
    taps = np.arange(size, dtype=np.float32)
    weights = how.weight(np.abs(taps + np.float32(0.5) - places[:, None]) / wide)
    is_inside = (taps >= first[:, None]) & (taps <= last[:, None])
    exists = (places >= 0) & (places <= size)
    weights = np.where(is_inside & exists[:, None], weights, 0)
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=np.abs(total) > 1e-30)


@tf_operator("ResizeArea")
def resize_area(node: TfNode) -> Expr:
    """Translate `ResizeArea`: the mean of the region that each element covers."""
    aligns = node.flag("align_corners")
    rows, columns = (_area_weights(*sizes, aligns=aligns) for sizes in _sizes(node))
    return _resized(node, rows, columns)


def _area_weights(size: int, count: int, *, aligns: bool) -> Array:
    """Return the matrix of the shares that elements of an axis have in each region."""
    step = (size - 1) / (count - 1) if aligns and count > 1 else size / count
    begin = (np.arange(count) * step)[:, None]
    found = np.zeros((count, size))
    for tap in range(int(np.ceil(begin[-1, 0] + step))):  # the last element continues at the end
        share = np.minimum(tap + 1, begin + step) - np.maximum(tap, begin)
        found[:, min(tap, size - 1)] += np.maximum(share, 0)[:, 0]
    return found / step


def _sizes(node: TfNode) -> list[tuple[int, int]]:
    """Return the old and the new size of height and width; raises `F032` if unknown."""
    old = node.type(0).shape[1:3]
    if not is_static(old):
        problem = "the height and width of the images must be known at compile time"
        raise node.error(ErrorCode.F032, problem)
    return list(zip(static(old), node.ints(1, "the size"), strict=True))


def _resized(node: TfNode, rows: Array, columns: Array) -> Expr:
    x = core.cast(node.expr(0), "float32")
    tall = rnp.einsum("oh,bhwc->bowc", Constant(rows.astype(np.float32)), x)
    return rnp.einsum("pw,bowc->bopc", Constant(columns.astype(np.float32)), tall)
