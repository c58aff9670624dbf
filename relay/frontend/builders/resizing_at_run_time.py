"""Resize images to sizes or scales that are computed at run time, one axis at a time.

Source positions are computed in float32, as in ONNX Runtime, so that halfway positions are rounded
in the same direction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, Less, LessEqual, equal
from relay.ops.elementwise import Abs, Ceil, Floor, Negative
from relay.ops.logical import LogicalAnd
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import float32, int64

SIMPLE = "simple"
"""The rounding before opset 11 of ONNX: up along axes that become smaller, otherwise down."""

Tap = tuple[Expr, Expr | None]
"""Indices to read along an axis, and their weights (None: 1)."""


@dataclass(frozen=True)
class RunTimeResize:
    """The options of an ONNX resize: mode, coordinate transformation and rounding.

    For each axis, `regions` has the begin and the end of the region to resize (ONNX's `roi`), as
    fractions of the axis; result elements outside of the image are `extrapolation`.
    """

    mode: str
    coordinates: str
    rounding: str
    cubic: float = -0.75
    exclude: bool = False
    antialias: bool = False
    regions: Mapping[int, tuple[Expr, Expr]] = field(default_factory=dict[int, tuple[Expr, Expr]])
    extrapolation: float = 0.0

    def along(self, x: Expr, axis: int, new: Expr, scale: Expr | None) -> Expr:
        """Return `x` resized along one axis to the size `new`, a scalar of int64.

        `scale`, a scalar of float32, replaces the ratio of the new and the old size if present.
        """
        old = size_of(x, axis)
        if scale is None:
            scale = divide(_as_float(new), _as_float(Call(Maximum(), (old, constant(1, int64)))))
        element = x.tensor_type.dtype
        is_cropped = axis in self.regions
        places = self._cropped(axis, old, new) if is_cropped else self._places(old, new, scale)
        if self.antialias and self.mode != "nearest":
            result = self._smoothed(x, axis, places, scale)
        else:
            taps = self._taps(places, _as_float(old), scale)
            result = reduce(add, [self._read(x, axis, tap) for tap in taps])
        if is_cropped:
            result = self._extrapolated(result, axis, _exists(places, _last(old)))
        return result if result.tensor_type.dtype is element else Call(Cast(element), (result,))

    def _places(self, old: Expr, new: Expr, scale: Expr) -> Expr:
        """Return the source position of each element of the result along one axis."""
        zero, one = (constant(each, int64) for each in (0, 1))
        x = _as_float(Call(Arange(), (zero, new, one)))
        half = constant(0.5, float32)
        match self.coordinates:
            case "asymmetric":
                return divide(x, scale)
            case "align_corners":
                apart = _as_float(Call(Maximum(), (subtract(new, one), one)))
                return divide(multiply(x, _as_float(subtract(old, one))), apart)
            case "tf_half_pixel_for_nn":
                return divide(add(x, half), scale)
            case _:
                places = subtract(divide(add(x, half), scale), half)
        if self.coordinates == "half_pixel_symmetric":
            uncovered = subtract(_as_float(old), divide(_as_float(new), scale))
            return add(places, multiply(uncovered, half))
        if self.coordinates == "pytorch_half_pixel":
            return where(equal(new, one), constant(0.0, float32), places)
        return places

    def _cropped(self, axis: int, old: Expr, new: Expr) -> Expr:
        """Return source positions from the begin to the end of the region of an axis.

        A result of size 1 reads the middle of the region.
        """
        begin, end = (multiply(_as_float(each), _last(old)) for each in self.regions[axis])
        zero, one = (constant(each, int64) for each in (0, 1))
        steps = _as_float(Call(Arange(), (zero, new, one)))
        apart = _as_float(Call(Maximum(), (subtract(new, one), one)))
        spread = add(begin, multiply(steps, divide(subtract(end, begin), apart)))
        middle = multiply(add(begin, end), constant(0.5, float32))
        return where(Call(LessEqual(), (new, one)), middle, spread)

    def _extrapolated(self, result: Expr, axis: int, exists: Expr) -> Expr:
        """Return `result`, with the extrapolation value where `exists` is false.

        `exists` is false where the source position along `axis` is outside of the image.
        """
        behind = (1,) * (result.tensor_type.rank - axis - 1)
        value = constant(self.extrapolation, result.tensor_type.dtype)
        return where(reshape(exists, (ANY, *behind)), result, value)

    def _smoothed(self, x: Expr, axis: int, places: Expr, scale: Expr) -> Expr:
        """Return antialiased interpolation: weighted means of all elements near each position.

        Elements outside of the image repeat the border, unless they are excluded.
        """
        one, old = constant(1.0, float32), size_of(x, axis)
        share = Call(Minimum(), (scale, one))
        wide = Call(Ceil(), (divide(constant(2.0, float32), share),))
        beyond = add(Call(Cast(int64), (wide,)), constant(1, int64))
        bounds = (Call(Negative(), (beyond,)), add(old, beyond), constant(1, int64))
        taps = _as_float(Call(Arange(), bounds))
        apart = Call(Abs(), (subtract(taps, reshape(places, (ANY, 1))),))
        weights = self._by_distance(multiply(apart, share))
        last = subtract(_as_float(old), one)
        if self.exclude:
            weights = where(_exists(taps, last), weights, constant(0.0, float32))
        weights = divide(weights, Call(Sum(axis=(1,), keepdims=True), (weights,)))
        inside = Call(Cast(int64), (_inside(taps, last),))
        rank = x.tensor_type.rank
        turned = (*range(axis), *range(axis + 1, rank), axis)
        read = Call(Transpose(turned), (_as_float(Call(Take(axis=axis), (x, inside))),))
        result = Call(BatchMatmul(), (read, Call(Transpose((1, 0)), (weights,))))
        return Call(Transpose(tuple(turned.index(i) for i in range(rank))), (result,))

    def _by_distance(self, d: Expr) -> Expr:
        """Return the interpolation weights of elements at distances `d`."""
        one, none = constant(1.0, float32), constant(0.0, float32)
        if self.mode == "linear":
            return Call(Maximum(), (subtract(one, d), none))
        is_far = Call(LessEqual(), (d, constant(2.0, float32)))
        far = where(is_far, self._far(d), none)
        return where(Call(LessEqual(), (d, one)), self._near(d), far)

    def _taps(self, places: Expr, size: Expr, scale: Expr) -> list[Tap]:
        last = subtract(size, constant(1.0, float32))
        match self.mode:
            case "nearest" if self.rounding == SIMPLE:
                is_smaller = Call(Less(), (scale, constant(1.0, float32)))
                near = where(is_smaller, _ROUNDED["ceil"](places), _ROUNDED["floor"](places))
                return [(_inside(near, last), None)]
            case "nearest":
                return [(_inside(_ROUNDED[self.rounding](places), last), None)]
            case "linear":
                x = _inside(places, last)
                below = Call(Floor(), (x,))
                above = subtract(x, below)
                one = constant(1.0, float32)
                return [
                    (below, subtract(one, above)),
                    (_inside(add(below, one), last), above),
                ]
            case _:
                return self._cubic_taps(places, last)

    def _cubic_taps(self, places: Expr, last: Expr) -> list[Tap]:
        """Return the four neighbours of each position, and their weights.

        The weights are those of Keys's cubic formula with the coefficient `cubic`.
        """
        below = Call(Floor(), (places,))
        t = subtract(places, below)
        one = constant(1.0, float32)
        rest = subtract(one, t)
        weights = [
            self._far(add(t, one)),
            self._near(t),
            self._near(rest),
            self._far(add(rest, one)),
        ]
        taps = [add(below, constant(float(k), float32)) for k in (-1, 0, 1, 2)]
        if self.exclude:
            none = constant(0.0, float32)
            weights = [
                where(_exists(at, last), weight, none)
                for at, weight in zip(taps, weights, strict=True)
            ]
            total = reduce(add, weights)
            weights = [divide(weight, total) for weight in weights]
        return [(_inside(at, last), weight) for at, weight in zip(taps, weights, strict=True)]

    def _near(self, t: Expr) -> Expr:
        a = self.cubic
        return _polynomial(t, (a + 2, -(a + 3), 0.0, 1.0))

    def _far(self, t: Expr) -> Expr:
        a = self.cubic
        return _polynomial(t, (a, -5 * a, 8 * a, -4 * a))

    def _read(self, x: Expr, axis: int, tap: Tap) -> Expr:
        places, weight = tap
        read = Call(Take(axis=axis), (x, Call(Cast(int64), (places,))))
        if weight is None:
            return read
        behind = (1,) * (x.tensor_type.rank - axis - 1)
        return multiply(_as_float(read), reshape(weight, (ANY, *behind)))


def by_sizes(
    x: Expr, how: RunTimeResize, sizes: Mapping[int, Expr], scale: Expr | None = None
) -> Expr:
    """Return a tensor resized along some axes to `sizes`, scalars of int64 by axis.

    `scale` replaces the ratios of new and old sizes if present.
    """
    for axis, size in sizes.items():
        x = how.along(x, axis, size, scale)
    return x


def keeping_ratio(x: Expr, how: RunTimeResize, sizes: Mapping[int, Expr], policy: str) -> Expr:
    """Return a tensor resized along some axes by one scale, which keeps the aspect ratio.

    `policy` is ONNX's: `not_larger` gives the largest sizes within `sizes`, `not_smaller` the
    smallest sizes that contain them.
    """
    old = {axis: _as_float(size_of(x, axis)) for axis in sizes}
    ratios = [divide(_as_float(size), old[axis]) for axis, size in sizes.items()]
    join = Minimum() if policy == "not_larger" else Maximum()
    ratio = reduce(lambda a, b: Call(join, (a, b)), ratios)
    half = constant(0.5, float32)
    rounded = {axis: add(multiply(size, ratio), half) for axis, size in old.items()}
    new = {axis: Call(Cast(int64), (Call(Floor(), (x,)),)) for axis, x in rounded.items()}
    return by_sizes(x, how, new, ratio)


def by_scales(x: Expr, how: RunTimeResize, scales: Mapping[int, Expr]) -> Expr:
    """Return a tensor resized along some axes by `scales`, scalars of float32 by axis."""
    for axis, scale in scales.items():
        whole = Call(Floor(), (multiply(_as_float(size_of(x, axis)), scale),))
        x = how.along(x, axis, Call(Cast(int64), (whole,)), scale)
    return x


_ROUNDED: Mapping[str, Callable[[Expr], Expr]] = {
    "floor": lambda x: Call(Floor(), (x,)),
    "ceil": lambda x: Call(Ceil(), (x,)),
    "round_prefer_floor": lambda x: Call(Ceil(), (subtract(x, constant(0.5, float32)),)),
    "round_prefer_ceil": lambda x: Call(Floor(), (add(x, constant(0.5, float32)),)),
}


def _as_float(x: Expr) -> Expr:
    return x if x.tensor_type.dtype is float32 else Call(Cast(float32), (x,))


def _last(size: Expr) -> Expr:
    """Return the index of the last element of an axis of this size, as a float."""
    return subtract(_as_float(size), constant(1.0, float32))


def _inside(x: Expr, last: Expr) -> Expr:
    """Return positions clamped to the axis: between 0 and `last`."""
    return Call(Minimum(), (Call(Maximum(), (x, constant(0.0, float32))), last))


def _exists(x: Expr, last: Expr) -> Expr:
    low = Call(GreaterEqual(), (x, constant(0.0, float32)))
    return Call(LogicalAnd(), (low, Call(LessEqual(), (x, last))))


def _polynomial(t: Expr, coefficients: Sequence[float]) -> Expr:
    """Return the value of a polynomial at `t`; the highest coefficient comes first."""
    first, *others = (constant(each, float32) for each in coefficients)
    return reduce(lambda total, each: add(multiply(total, t), each), others, first)
