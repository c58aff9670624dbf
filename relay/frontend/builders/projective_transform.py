"""Move the pixels of images by projective transforms, as TensorFlow's image operators do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.node_errors import static_sizes
from relay.ir.expr import Expr
from relay.ops.functions import core


def _unchanged(place: Expr, _size: int) -> Expr:
    return place


def _nearest(place: Expr, size: int) -> Expr:
    return rnp.clip(place, 0.0, float(size - 1))


def _mirrored(place: Expr, size: int) -> Expr:
    """Return places in images that continue in their reflections: `b a | a b | b a`."""
    period = 2 * size
    inside = rnp.mod(place, float(period))
    back = rnp.subtract(float(period - 1), inside)
    return _nearest(rnp.where(rnp.less(inside, float(size)), inside, back), size)


def _wrapped(place: Expr, size: int) -> Expr:
    """Return places in images that continue with themselves, as TensorFlow counts periods."""
    last = float(max(size - 1, 1))
    before = rnp.multiply(
        rnp.add(rnp.trunc(rnp.divide(rnp.negative(place), last)), 1.0), float(size)
    )
    after = rnp.multiply(rnp.trunc(rnp.divide(place, last)), float(size))
    inside = rnp.where(rnp.greater(place, float(size - 1)), rnp.subtract(place, after), place)
    return _nearest(rnp.where(rnp.less(place, 0.0), rnp.add(place, before), inside), size)


FILLS: Mapping[str, Callable[[Expr, int], Expr]] = {
    "CONSTANT": _unchanged,
    "NEAREST": _nearest,
    "REFLECT": _mirrored,
    "WRAP": _wrapped,
}
"""By mode, functions that map places outside an axis to places inside."""


@dataclass(frozen=True, eq=False)
class Projection:
    """A transform of images `(N, H, W, C)` of known sizes to images of another `size`.

    A pixel `(x, y)` of the result is that at `((a·x + b·y + c) / k, (d·x + e·y + f) / k)` with
    `k = g·x + h·y + 1`; the eight numbers are a row of `transforms`, which has one or `N` rows.
    Pixels outside have the value `fill`, unless `mode` maps them inside.
    """

    images: Expr
    transforms: Expr
    size: tuple[int, int]
    fill: "Expr | float"
    mode: str

    def nearest(self) -> Expr:
        """Return the nearest pixels."""
        x, y = self._places()
        return self._read(core.round(x), core.round(y))

    def linear(self) -> Expr:
        """Return means of the four pixels around each place, by their distances."""
        x, y = self._places()
        left, top = rnp.floor(x), rnp.floor(y)
        right, bottom = rnp.add(left, 1.0), rnp.add(top, 1.0)
        to_right, to_bottom = (
            rnp.expand_dims(each, -1) for each in (rnp.subtract(x, left), rnp.subtract(y, top))
        )
        upper, lower = (
            _mean(self._read(left, row), self._read(right, row), to_right) for row in (top, bottom)
        )
        return _mean(upper, lower, to_bottom)

    @property
    def _extent(self) -> tuple[int, int]:
        """Return the width and height of the images."""
        height, width = static_sizes(self.images.tensor_type.shape[1:3])
        return width, height

    def _places(self) -> tuple[Expr, Expr]:
        """Return the columns and rows of the images for each pixel of the result."""
        height, width = self.size
        x = np.arange(width, dtype=np.float32)[None, None]
        y = np.arange(height, dtype=np.float32)[None, :, None]
        parts = [rnp.expand_dims(rnp.take(self.transforms, i, axis=1), (1, 2)) for i in range(8)]

        def sum_of(first: int, last: "Expr | float") -> Expr:
            terms = rnp.multiply(parts[first], x), rnp.multiply(parts[first + 1], y)
            return rnp.add(rnp.add(*terms), last)

        scale = sum_of(6, 1.0)
        places = (rnp.divide(sum_of(i, parts[i + 2]), scale) for i in (0, 3))
        column, row = (FILLS[self.mode](*each) for each in zip(places, self._extent, strict=True))
        lost = rnp.equal(scale, 0.0)
        return rnp.where(lost, -2.0, column), rnp.where(lost, -2.0, row)

    def _read(self, column: Expr, row: Expr) -> Expr:
        """Return the pixels at places, or the fill value outside of the images."""
        sizes = self._extent
        is_inside = rnp.logical_and(*(
            rnp.logical_and(rnp.greater_equal(each, 0.0), rnp.less(each, float(size)))
            for each, size in zip((column, row), sizes, strict=True)
        ))  # fmt: skip
        x, y = (
            rnp.astype(rnp.clip(each, 0.0, float(size - 1)), "int64")
            for each, size in zip((column, row), sizes, strict=True)
        )
        place = rnp.add(rnp.multiply(y, sizes[0]), x)
        pixels = self._pixels(place)
        return rnp.where(rnp.expand_dims(is_inside, -1), pixels, self.fill)

    def _pixels(self, place: Expr) -> Expr:
        """Return the pixels with numbers `place` in their image, of all images."""
        batch, *_, channels = self.images.tensor_type.shape
        flat = reshape(self.images, (batch, prod(self._extent), channels))
        first = rnp.take(rnp.take(rnp.zeros_like(flat), 0, axis=1), 0, axis=1)
        number = rnp.astype(rnp.expand_dims(first, (1, 2)), "int64")
        return core.take(flat, rnp.add(place, number), axis=1, batch_dims=1, mode="fast")


def _mean(a: Expr, b: Expr, share: Expr) -> Expr:
    """Return a mean of `a` and `b`, with the share of `b`."""
    return rnp.add(rnp.multiply(a, rnp.subtract(1.0, share)), rnp.multiply(b, share))
