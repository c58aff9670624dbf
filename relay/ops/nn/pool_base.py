"""The base classes of pooling over windows, for any number of spatial axes."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relay.ir.dims import Dim, static
from relay.ir.expr import Array
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef.checks import attribute, kind, rank
from relay.opdef.definition import OperatorDef
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.binary import truncated_quotient
from relay.ops.families import NUMBERS, extents, type_of
from relay.ops.nn import windows
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.window_bounds_checks import conjunction, inside
from relay.support.dtype import dtype as element_type
from relay.support.dtype import float32, int32
from relay.support.node import replace, set_field, value


@value
class Windowed(OperatorDef):
    """The base of operators on pooling windows, with their attributes.

    Elements of a window are called taps; those outside the data are ignored.

    With `ceil_mode`, windows that begin in the data may extend past its end by less than a stride.
    """

    pool_size: tuple[int, ...]
    strides: tuple[int, ...] = (1,)
    dilation: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    layout: str = ""
    out_layout: str = ""
    ceil_mode: bool = False

    spatial: ClassVar[str] = ""

    def __post_init__(self) -> None:
        count = len(self.spatial)
        set_field(self, "padding", windows.per_side(self.name, self.padding, count))
        for field in ("pool_size", "strides", "dilation"):
            full = windows.per_axis(self.name, field, getattr(self, field), count)
            set_field(self, field, full)
        check_layout(self.name, self.layout, self.spatial)
        check_layout(self.name, self.out_layout or self.layout, self.spatial)

    def in_common_layout(self, layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the operator with all arguments and the result in the first of the `layouts`.

        The result is None if that layout splits spatial axes into blocks.
        """
        layout = next((each for each in layouts if isinstance(each, Layout)), None)
        if layout is None or any(map(layout.blocks, self.spatial)):
            return None
        if self.layout != "".join(layout.plain) or self.out_layout not in ("", self.layout):
            return None
        moved = replace(self, layout=str(layout), out_layout=str(layout))
        return Relayout(moved, (layout,) * len(layouts), layout)

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """Return the layouts of the data and of the result."""
        data = Layout.parse(self.layout)
        return data, Layout.parse(self.out_layout) if self.out_layout else data

    @property
    def pads(self) -> tuple[tuple[int, int], ...]:
        """Return the padding before and after each spatial axis."""
        count = len(self.spatial)
        return tuple(zip(self.padding[:count], self.padding[count:], strict=True))

    def pooled_type(self, data: TensorType) -> TensorType:
        """Return the type of the pooled data, whose spatial sizes are the numbers of windows."""
        source, target = self.layouts
        kind(self.name, "data", data, *NUMBERS)
        rank(self.name, "data", data, source.rank)
        sizes = source.sizes(data.shape)
        for i, letter in enumerate(self.spatial):
            span = windows.reach(self.pool_size[i], self.dilation[i])
            padding, stride = sum(self.pads[i]), self.strides[i]
            sizes[letter] = windows.count(
                self.name, sizes[letter], span, stride, padding, ceil_mode=self.ceil_mode
            )
        return TensorType(target.shape(sizes), data.dtype)

    def reachable_positions(self, axis: int, size: Dim, count: Dim) -> tuple[int, Dim]:
        """Return the first and the last position that windows may reach along a spatial axis."""
        (before, after), stride = self.pads[axis], self.strides[axis]
        span = windows.reach(self.pool_size[axis], self.dilation[axis])
        beyond = after + (stride - 1 if self.ceil_mode else 0)
        return -before, windows.last_position_reached(size, count, span, stride, before, beyond)

    def window_view(self, plain: Array, fill: float) -> Array:
        """Return a view `(N, C, counts…, taps…)` of all windows of data padded with `fill`."""
        rank_ = len(self.spatial)
        spans = [(k - 1) * d + 1 for k, d in zip(self.pool_size, self.dilation, strict=True)]
        counts = static(
            tuple(
                windows.count(self.name, n, k, s, sum(p), ceil_mode=self.ceil_mode)
                for n, k, s, p in zip(
                    plain.shape[-rank_:], spans, self.strides, self.pads, strict=True
                )
            )
        )
        padded = windows.pad_spatial(plain, self.padding, fill, spans, self.strides, counts)
        return windows.slide(padded, self.pool_size, self.strides, self.dilation, counts)


@value
class Pool(Windowed):
    """The base of poolings, which reduce each window to one element."""

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the pooling in the layout of the data."""
        return self.in_common_layout(layouts)

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result: the pooled data."""
        return self.pooled_type(data)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: a reduction over the taps that are inside the data."""
        result = self.pooled_type(type_of(data))
        source, target = self.layouts
        x, y = source.sizes(extents(data)), target.sizes(result.shape)
        taps = [te.reduce_axis(k, f"k{i}") for i, k in enumerate(self.pool_size)]

        def element(*i: te.Scalar) -> te.Scalar:
            at = target.coordinates(i)
            starts = [
                at[letter].flat * stride - before
                for letter, stride, (before, _) in zip(
                    self.spatial, self.strides, self.pads, strict=True
                )
            ]
            read: dict[str, Any] = {"N": at["N"], "C": at["C"]}
            conditions: list[te.Scalar] = []
            for n, letter in enumerate(self.spatial):
                position = starts[n] + taps[n] * self.dilation[n]
                conditions += inside(
                    position, x[letter], *self.reachable_positions(n, x[letter], y[letter])
                )
                read[letter] = position
            sizes = [x[letter] for letter in self.spatial]
            return self.reduce(
                data[source.indices(read)], taps, conjunction(conditions), starts, sizes
            )

        return te.compute(result.shape, element, name=self.name)

    def reduce(
        self,
        tap: te.Scalar,
        axes: Sequence[te.Axis],
        where: te.Scalar | None,
        starts: Sequence[te.Scalar],
        sizes: Sequence[Dim],
    ) -> te.Scalar:
        """Return the reduction of the window that begins at `starts` in data of sizes `sizes`."""
        raise AssertionError(f"{self.name} does not reduce")

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy: a reduction of a view of all windows."""
        source, target = self.layouts
        order = f"NC{self.spatial}"
        result = self.reduce_windows(source.to_plain(data, order))
        return narrow(target.from_plain(result, order), data.dtype)

    def reduce_windows(self, plain: Array) -> Array:
        """Return the reduction of each window of an array `(N, C, …)`, by NumPy."""
        raise AssertionError(f"{self.name} does not reduce windows")


@value
class MaxPool(Pool):
    """The base of maximum poolings, which ignore the padding."""

    def reduce(
        self,
        tap: te.Scalar,
        axes: Sequence[te.Axis],
        where: te.Scalar | None,
        starts: Sequence[te.Scalar],
        sizes: Sequence[Dim],
    ) -> te.Scalar:
        """Return the maximum over the taps of a window."""
        return te.max(tap, axes, where=where)

    def reduce_windows(self, plain: Array) -> Array:
        """Return the maximum over the taps of each window, by NumPy."""
        taps = tuple(range(-len(self.spatial), 0))
        return self.window_view(plain, lowest(plain.dtype)).max(axis=taps)


@value
class AvgPool(Pool):
    """The base of average poolings; with `count_include_pad`, padding counts as zeros.

    Taps past the end of the padding (with `ceil_mode`) never count, as in PyTorch and ONNX.
    """

    count_include_pad: bool = False

    def reduce(
        self,
        tap: te.Scalar,
        axes: Sequence[te.Axis],
        where: te.Scalar | None,
        starts: Sequence[te.Scalar],
        sizes: Sequence[Dim],
    ) -> te.Scalar:
        """Return the sum over the taps of a window, divided by the number of counted taps."""
        divisor = window_divisor(self, starts, sizes, include_pad=self.count_include_pad)
        return mean_of(tap, axes, where, divisor)

    def reduce_windows(self, plain: Array) -> Array:
        """Return the sum over the taps of each window, divided by the number of counted taps."""
        taps = tuple(range(-len(self.spatial), 0))
        total = self.window_view(widen(plain), 0).sum(axis=taps)
        divisor = divisors(self, plain.shape[2:], total.shape[2:], self.count_include_pad)
        return mean_array(total, divisor, plain.dtype)


def divisors(op: Windowed, sizes: Sequence[int], counts: Sequence[int], include_pad: bool) -> Array:
    """Return the number of counted taps of each window as an array; it is at least 1."""
    product = np.ones((), np.int64)
    for axis, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        before, after = op.pads[axis]
        starts = np.arange(count) * op.strides[axis] - before
        taps = starts[:, None] + np.arange(op.pool_size[axis]) * op.dilation[axis]
        low, high = (-before, size + after) if include_pad else (0, size)
        inside = ((taps >= low) & (taps < high)).sum(axis=1)
        product = np.multiply.outer(product, inside)
    return np.maximum(product, 1)


def window_divisor(
    op: Windowed, starts: Sequence[te.Scalar], sizes: Sequence[Dim], *, include_pad: bool
) -> te.Scalar:
    """Return the number of counted taps of the window at `starts`, as a formula; at least 1."""
    product: te.Scalar = te.const(1)
    for axis, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        (before, after), dilation = op.pads[axis], op.dilation[axis]
        low, high = (-before, size + after) if include_pad else (0, size)
        first = te.maximum((low - start + (dilation - 1)) // dilation, 0)
        end = te.minimum((high - start + (dilation - 1)) // dilation, op.pool_size[axis])
        product = product * te.maximum(end - first, 0)
    return te.maximum(product, 1)


def mean_of(
    element: te.Scalar, axes: Sequence[te.Axis], where: te.Scalar | None, count: te.Scalar
) -> te.Scalar:
    """Return a sum divided by a count; floats have at least single precision, integers truncate."""
    dtype = element.dtype
    narrow_ = dtype.bits < 32
    wide = (float32 if dtype.is_float else int32) if narrow_ else dtype
    total = te.sum(te.cast(element, wide), axes, where=where)
    return te.cast(te.divide(total, te.cast(count, wide)), dtype)


def check_layout(operator: str, text: str, spatial: str) -> None:
    """Require that a layout has a batch axis, channels and these spatial axes (`T104`, `T106`)."""
    fits = sorted(Layout.parse(text).letters) == sorted(f"NC{spatial}")
    attribute(operator, fits, f"the layout {text} must have the axes NC{spatial}")


def lowest(dtype: np.dtype[np.generic]) -> float:
    """Return the smallest number of an element type: -inf for floats."""
    of = element_type(dtype)  # NumPy has no kind for integers of 2 and 4 bits
    return of.limits[0] if of.is_integer else -np.inf


def mean_array(total: Array, count: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return the reference of `mean_of`, given exact sums `total`; integer sums wrap around."""
    if total.dtype.kind == "f":
        return total / count
    wide = dtype if element_type(dtype).bits >= 32 else np.dtype(np.int32)
    return truncated_quotient(total.astype(wide), count.astype(wide))
