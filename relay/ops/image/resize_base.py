"""The base class of the resize operators, for any number of axes and all interpolations."""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product
from operator import add
from typing import Any, ClassVar

import numpy as np

from relay.ir.dims import Dim, Shape
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.cast import cast_like
from relay.ops.families import NUMBERS, extents, literal, type_of
from relay.ops.image.resize_coordinates import MODES, ROUNDINGS, Source, source
from relay.ops.image.resize_reference import interpolation_matrix
from relay.ops.nn.accumulation_dtype import narrow
from relay.ops.nn.pool_base import check_layout
from relay.ops.nn.separable_gradient import in_layout, plain_layout, separable_gradient
from relay.ops.nn.window_bounds_checks import conjunction
from relay.support.dtype import DType, dtype, float32
from relay.support.node import replace, set_field, value

Tap = tuple[te.Scalar, te.Scalar]  # the position to read, and its weight


@value
class Resize(OperatorDef):
    """Change the spatial sizes of `(N, C, …)` to `size`.

    `method` is `nearest_neighbor`, `linear` or `cubic`. `coordinate_transformation_mode` maps
    position `x` of the result to a position of the data; `s` = old size / new size:

    - `half_pixel`: `(x + 0.5) · s - 0.5`
    - `pytorch_half_pixel`: the same, but 0 if the new size is 1
    - `align_corners`: `x · (old - 1) / (new - 1)`
    - `asymmetric`: `x · s`
    - `tf_half_pixel_for_nn`: `(x + 0.5) · s`
    - `tf_crop_and_resize`: from `roi`, all starts then all ends as fractions of the image;
      positions outside of the data become `extrapolation_value`

    For `nearest_neighbor`, `rounding_method` rounds the position: `round` (halves up),
    `round_prefer_floor`, `round_prefer_ceil`, `floor` or `ceil`. If it is empty, it is `round` for
    `align_corners`, and `floor` otherwise. Neighbours beyond the border are those at the border;
    with `cubic_exclude` they have no weight instead. `scales` (in ONNX, but not in TVM's Relay)
    replaces `1 / s`. Takes numbers; integers truncate.
    """

    size: Shape = ()
    roi: tuple[float, ...] | None = None
    layout: str = ""
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = "round"
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: DType | None = None
    scales: tuple[float, ...] | None = None

    spatial: ClassVar[str] = ""
    unknown_to_tvm: ClassVar[tuple[str, ...]] = ("scales",)

    def __post_init__(self) -> None:
        count = len(self.spatial)
        sizes = _listed(self.size)
        sizes = sizes * count if len(sizes) == 1 else sizes
        checks.attribute(
            self.name, len(sizes) == count, f"size must have {count} values, not {sizes}"
        )
        set_field(self, "size", sizes)
        for field in ("roi", "scales"):
            given = getattr(self, field)
            set_field(self, field, tuple(map(float, given)) if given else None)
        for field in ("cubic_alpha", "extrapolation_value"):
            set_field(self, field, float(getattr(self, field)))
        set_field(self, "cubic_exclude", int(self.cubic_exclude))
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)
        self._check(count)

    def _check(self, count: int) -> None:
        mode = self.coordinate_transformation_mode
        for attribute, given, known in (
            ("method", self.method, ("nearest_neighbor", "linear", "cubic")),
            ("coordinate_transformation_mode", mode, MODES),
            ("rounding_method", self.rounding_method, ROUNDINGS),
        ):
            said = f"{attribute} must be one of {', '.join(known)}, not '{given}'"
            checks.attribute(self.name, given in known, said)
        checks.attribute(
            self.name,
            len(self.roi or (0,) * 2 * count) == 2 * count,
            f"roi must have {2 * count} numbers (all begins, then all ends), not "
            f"{len(self.roi or ())}",
        )
        checks.attribute(
            self.name,
            len(self.scales or (0,) * count) == count,
            f"scales must have {count} numbers, not {len(self.scales or ())}",
        )
        check_layout(self.name, self.layout, self.spatial)

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the data, with `size` as its spatial sizes."""
        layout = Layout.parse(self.layout)
        checks.kind(self.name, "data", data, *NUMBERS)
        checks.rank(self.name, "data", data, layout.rank)
        sizes: dict[str, Dim] = layout.sizes(data.shape)
        for letter in self.spatial:
            checks.enough(
                self.name,
                sizes[letter],
                1,
                f"axis {letter} needs at least one element, not {{size}}",
            )
        sizes.update(zip(self.spatial, self.size, strict=True))
        return TensorType(layout.shape(sizes), self.out_dtype or data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: for each axis, a product with the transposed matrix of weights."""
        (data,) = call.args
        plain = plain_layout(self.spatial)
        image = in_layout(data, self.layout, plain)
        given = in_layout(cast_like(d_out, data), self.layout, plain)
        found = separable_gradient(
            given, image, [self.one_dimensional(n) for n in range(len(self.spatial))]
        )
        return (in_layout(found, plain, self.layout),)

    def one_dimensional(self, axis: int) -> OperatorDef:
        """Return the resize of one spatial axis, as W of `(N, C, W)`; 0 outside of the data."""
        raise AssertionError(f"{self.name} does not say what it is along one axis")

    @property
    def rounding(self) -> str:
        """Return the rounding method, which has a default that depends on the mode."""
        if self.rounding_method:
            return self.rounding_method
        return "round" if self.coordinate_transformation_mode == "align_corners" else "floor"

    def region(self, axis: int) -> tuple[float, float]:
        """Return the begin and the end of the region of interest along a spatial axis."""
        if self.roi is None:
            return (0.0, 1.0)
        return self.roi[axis], self.roi[len(self.spatial) + axis]

    def scale(self, axis: int) -> float | None:
        """Return the scale along a spatial axis; None if `scales` is not set."""
        return None if self.scales is None else self.scales[axis]

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the resize in the data's layout; None if a spatial axis is in blocks there."""
        (layout,) = layouts
        if not isinstance(layout, Layout) or any(map(layout.blocks, self.spatial)):
            return None
        if self.layout != "".join(layout.plain):
            return None
        return Relayout(replace(self, layout=str(layout)), (layout,), layout)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: weighted sums of neighbours along one axis after the other.

        Integers are summed over all axes in one step instead, because truncating a rounded
        intermediate sum could result in another number.
        """
        layout, result = Layout.parse(self.layout), self.infer(type_of(data))
        x = layout.sizes(extents(data))
        y = layout.sizes(result.shape)
        mode = self.coordinate_transformation_mode
        sources = {
            letter: source(mode, x[letter], y[letter], self.scale(n), self.region(n))
            for n, letter in enumerate(self.spatial)
        }
        apart = data.dtype.is_float and self.method != "nearest_neighbor"
        found, sizes = data, x
        for letters in list(self.spatial) if apart else [self.spatial]:
            sizes = sizes | {letter: y[letter] for letter in letters}
            found = self._along(found, {at: sources[at] for at in letters}, x, layout.shape(sizes))

        def element(*i: te.Scalar) -> te.Scalar:
            at = layout.coordinates(i)
            places = [at[letter].flat for letter in self.spatial]
            total = te.cast(found[i], result.dtype)
            inside = self._inside([*sources.values()], places, [x[each] for each in self.spatial])
            fill = literal(self.extrapolation_value, result.dtype)
            return total if inside is None else te.select(inside, total, fill)

        return te.compute(result.shape, element, name=self.name)

    def _along(
        self, data: te.Tensor, sources: Mapping[str, Source], sizes: Mapping[str, Dim], shape: Shape
    ) -> te.Tensor:
        """Return the data resized along the axes of `sources`, in the type of the computation.

        `sources` has the source positions by axis letter, `sizes` the old sizes, and `shape` is
        that of the result.
        """
        layout = Layout.parse(self.layout)
        wide = data.dtype if data.dtype.is_float and data.dtype.bits >= 32 else float32

        def element(*i: te.Scalar) -> te.Scalar:
            at = layout.coordinates(i)
            taps = [
                self._taps(from_, at[letter].flat, sizes[letter], wide)
                for letter, from_ in sources.items()
            ]

            def read(positions: Sequence[te.Scalar]) -> te.Scalar:
                return data[layout.indices(at | dict(zip(sources, positions, strict=True)))]

            if self.method == "nearest_neighbor":
                return read([axis[0][0] for axis in taps])
            return _weighted(taps, read, wide)

        return te.compute(shape, element, name=f"{self.name}_{''.join(sources)}")

    def _taps(self, from_: Source, place: te.Scalar, size: Dim, wide: DType) -> list[Tap]:
        """Return the positions and weights of the elements that result index `place` reads."""
        if self.method == "nearest_neighbor":
            return [(_clamped(from_.nearest(place, self.rounding), size), te.const(1, wide))]
        below, fraction = from_.floor(place), from_.fraction(place, wide)
        if self.method == "linear":
            weights = [1 - fraction, fraction]
        else:
            weights = self._cubic(fraction, below, size)
        first = 0 if self.method == "linear" else -1
        return [(_clamped(below + (first + k), size), w) for k, w in enumerate(weights)]

    def _cubic(self, t: te.Scalar, below: te.Scalar, size: Dim) -> list[te.Scalar]:
        """Return the weights of the four neighbours, by Keys' cubic convolution."""
        a = self.cubic_alpha
        rest = 1 - t
        weights = [
            ((t * a - 2 * a) * t + a) * t,
            (t * (a + 2) - (a + 3)) * t * t + 1,
            (rest * (a + 2) - (a + 3)) * rest * rest + 1,
            ((rest * a - 2 * a) * rest + a) * rest,
        ]
        if not self.cubic_exclude:
            return weights
        zero = te.const(0, t.dtype)
        kept = [
            te.select((below + k >= 0) & (below + k < size), weight, zero)
            for k, weight in enumerate(weights, start=-1)
        ]
        total = kept[0] + kept[1] + kept[2] + kept[3]
        return [weight / total for weight in kept]

    def _inside(
        self, sources: Sequence[Source], places: Sequence[te.Scalar], sizes: Sequence[Dim]
    ) -> te.Scalar | None:
        """Return the condition that result index `places` reads data; None if it always does."""
        if self.coordinate_transformation_mode != "tf_crop_and_resize":
            return None
        conditions: list[te.Scalar] = []
        for from_, place, size in zip(sources, places, sizes, strict=True):
            p = from_.numerator(place)
            conditions += [p >= 0, p <= lift(size - 1) * from_.denominator]
        return conjunction(conditions)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy: products with a matrix of weights for each axis."""
        ty = self.infer(TensorType(data.shape, dtype(data.dtype)))
        if 0 in ty.shape:
            return np.empty(ty.static_shape, ty.dtype.numpy)
        layout, order = Layout.parse(self.layout), f"NC{self.spatial}"
        plain = layout.to_plain(data.astype(np.float64), order)
        inside = np.ones((), bool)
        for n, new in enumerate(self.size):
            assert isinstance(new, int)
            matrix, exists = interpolation_matrix(self, n, plain.shape[2 + n], new)
            plain = np.moveaxis(np.tensordot(plain, matrix, (2 + n, 1)), -1, 2 + n)
            inside = np.logical_and.outer(inside, exists)
        result = np.where(inside, plain, self.extrapolation_value)
        whole = layout.from_plain(result, order)
        return narrow(whole, ty.dtype.numpy)


def _listed(size: Dim | Sequence[Dim]) -> Shape:
    return tuple(size) if isinstance(size, Sequence) else (size,)


def _clamped(position: te.Scalar, size: Dim) -> te.Scalar:
    return te.minimum(te.maximum(position, 0), size - 1)


def _weighted(taps: Sequence[Sequence[Tap]], read: Any, wide: DType) -> te.Scalar:
    """Return the interpolated element: the sum of `read(positions)` times weights.

    `taps` has the positions and weights along each axis, of which all combinations are summed.
    """
    terms: list[te.Scalar] = []
    for chosen in product(*taps):
        term = te.cast(read([position for position, _ in chosen]), wide)
        for _, weight in chosen:
            term = term * weight
        terms.append(term)
    return reduce(add, terms)
