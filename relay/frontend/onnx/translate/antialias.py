"""Resize images with antialiasing: each element is a weighted mean of its source region."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.cast import Cast
from relay.ops.image.resize_coordinates import source
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import float32

_REACH = 2
"""The distance from which all weights are zero."""

Filter = Callable[[Array], Array]
"""The weights of elements at distances, in elements of the smaller image."""


def antialiased(
    x: Expr,
    sizes: Sequence[int],
    scales: Sequence[float] | None,
    coordinates: str,
    by: Filter,
    *,
    excludes: bool,
) -> Expr:
    """Return an image resized to static sizes, one axis after the other.

    Elements outside of the image repeat the border, unless the resize `excludes` them.
    """
    element, rank = x.tensor_type.dtype, x.tensor_type.rank
    wide = x if element.is_float else Call(Cast(float32), (x,))
    for axis, (old, new) in enumerate(zip(x.tensor_type.static_shape, sizes, strict=True)):
        if old == new:
            continue
        scale = None if scales is None else scales[axis]
        weights = _weights(old, new, scale, coordinates, by, excludes=excludes)
        turned = (*range(axis), *range(axis + 1, rank), axis)
        back = tuple(turned.index(i) for i in range(rank))
        matrix = Constant(weights.T.astype(wide.tensor_type.dtype.numpy))
        wide = Call(Transpose(back), (multiplied(Call(Transpose(turned), (wide,)), matrix),))
    return wide if element.is_float else Call(Cast(element), (wide,))


def _weights(
    old: int, new: int, scale: float | None, coordinates: str, by: Filter, *, excludes: bool
) -> Array:
    """Return the interpolation matrix of an axis: a row of source weights per result element."""
    how = source(coordinates, old, new, scale)
    step, offset, below = (float(str(each)) for each in (how.step, how.offset, how.denominator))
    places = (np.arange(new) * step + offset) / below
    share = min(new / old if scale is None else scale, 1.0)
    beyond = 0 if excludes else int(np.ceil(_REACH / share)) + 1
    taps = np.arange(-beyond, old + beyond)
    found = by(np.abs(taps - places[:, None]) * share)
    result = np.zeros((new, old))
    np.add.at(result.T, np.clip(taps, 0, old - 1), found.T)
    return result / result.sum(axis=1, keepdims=True)


def linear(distance: Array) -> Array:
    """Return weights that decrease linearly from 1 to 0 at a distance of 1."""
    return np.clip(1 - distance, 0, None)


def cubic(a: float) -> Filter:
    """Return Keys's cubic filter with parameter `a`, which is 0 from a distance of 2 on."""

    def weights(d: Array) -> Array:
        near = (a + 2) * d**3 - (a + 3) * d**2 + 1
        far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
        return np.where(d <= 1, near, np.where(d < 2, far, 0.0))

    return weights
