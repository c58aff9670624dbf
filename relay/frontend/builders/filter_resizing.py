"""Resize images `(N, H, W, C)` by filters: each element is a weighted mean of its region."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from relay import numpy as rnp
from relay.frontend.node_errors import static_sizes
from relay.ir.expr import Array, Constant, Expr
from relay.ops.functions import core


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


FILTERS: Mapping[str, Filter] = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": Filter(1.5, lambda x: np.where(x >= 1.5, 0, np.exp(-2 * x * x))),
    "box": Filter(1, lambda x: np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))),
    "triangle": Filter(1, lambda x: np.maximum(1 - x, 0)),
    "keyscubic": _cubic((1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2)),
    "mitchellcubic": _cubic((7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
}
"""The filters by TensorFlow's names."""


def filter_weights(
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


def resized_by_filter(x: Expr, size: Sequence[int], how: Filter, *, smooths: bool) -> Expr:
    """Return images of static sizes resized by a filter, which `smooths` widens to shrink them."""
    rows, columns = (
        filter_weights(how, old, new, new / old, 0.0, smooths=smooths)
        for old, new in zip(static_sizes(x.tensor_type.shape[1:3]), size, strict=True)
    )
    return weighted(x, rows, columns)


def weighted(x: Expr, rows: Array, columns: Array) -> Expr:
    """Return float32 images whose rows and columns are weighted sums of those of `x`."""
    x = core.cast(x, "float32")
    tall = rnp.einsum("oh,bhwc->bowc", Constant(rows.astype(np.float32)), x)
    return rnp.einsum("pw,bowc->bopc", Constant(columns.astype(np.float32)), tall)
