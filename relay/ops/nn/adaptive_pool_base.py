"""The base class of poolings to a given output size, adaptive or global."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relay.ir.dims import Dim, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.families import NUMBERS, extents, type_of
from relay.ops.max_min_reductions import Max
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.pool_base import check_layout, mean_array, mean_of
from relay.ops.nn.separable_gradient import in_layout, spatial_axes
from relay.ops.nn.window_bounds_checks import conjunction
from relay.ops.sum_and_mean_reductions import Mean
from relay.support.node import replace, value


@value
class TargetPool(OperatorDef):
    """The base of poolings of `(N, C, …)` whose output has given spatial sizes.

    Along an axis of size `n`, element `i` of `m` is the reduction of the positions from `i · n //
    m` up to, but not including, `ceil((i + 1) · n / m)`; neighbouring windows may overlap by one.
    """

    layout: str = ""
    out_layout: str = ""

    spatial: ClassVar[str] = ""
    takes_mean: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_layout(self.name, self.layout, self.spatial)
        check_layout(self.name, self.out_layout or self.layout, self.spatial)

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """Return the layouts of the data and of the result."""
        data = Layout.parse(self.layout)
        return data, Layout.parse(self.out_layout) if self.out_layout else data

    def targets(self, sizes: dict[str, Dim]) -> dict[str, Dim]:
        """Return the spatial sizes of the result, given the sizes of the data."""
        raise AssertionError(f"{self.name} has no target")

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result, whose spatial sizes are the targets."""
        source, target = self.layouts
        checks.kind(self.name, "data", data, *NUMBERS)
        checks.rank(self.name, "data", data, source.rank)
        sizes = source.sizes(data.shape)
        for letter in self.spatial:
            checks.enough(
                self.name,
                sizes[letter],
                1,
                f"axis {letter} needs at least one element, not {{size}}",
            )
        return TensorType(target.shape({**sizes, **self.targets(sizes)}), data.dtype)

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the pooling in the data's layout; None if that has blocks of a spatial axis."""
        (layout,) = layouts
        if not isinstance(layout, Layout) or any(map(layout.blocks, self.spatial)):
            return None
        if self.layout != "".join(layout.plain) or self.out_layout not in ("", self.layout):
            return None
        return Relayout(
            replace(self, layout=str(layout), out_layout=str(layout)), (layout,), layout
        )

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula, which reduces as many positions as the longest window has.

        Positions beyond a shorter window are masked.
        """
        result = self.infer(type_of(data))
        source, target = self.layouts
        x, y = source.sizes(extents(data)), target.sizes(result.shape)
        longest = [_longest(y[letter], x[letter]) for letter in self.spatial]
        taps = [te.reduce_axis(k, f"k{i}") for i, k in enumerate(longest)]

        def element(*i: te.Scalar) -> te.Scalar:
            at = target.coordinates(i)
            read: dict[str, Any] = {"N": at["N"], "C": at["C"]}
            conditions: list[te.Scalar] = []
            count: te.Scalar = te.const(1)
            for n, letter in enumerate(self.spatial):
                begin, end = window_bounds(at[letter].flat, y[letter], x[letter])
                read[letter] = begin + taps[n]
                length = end - begin
                count = count * (length if isinstance(x[letter], int) else te.maximum(length, 1))
                if x[letter] % y[letter]:
                    conditions.append(read[letter] < end)
            element_, where = data[source.indices(read)], conjunction(conditions)
            if self.takes_mean:
                return mean_of(element_, taps, where, count)
            return te.max(element_, taps, where=where)

        return te.compute(result.shape, element, name=self.name)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, which reduces one axis after another."""
        source, target = self.layouts
        order = f"NC{self.spatial}"
        plain = source.to_plain(data, order)
        sizes: dict[str, Dim] = dict(zip(order, plain.shape, strict=True))
        targets = self.targets(sizes)
        wanted = static(tuple(targets[letter] for letter in self.spatial))
        result = np.empty((*plain.shape[:2], *wanted), data.dtype)
        for place in np.ndindex(*wanted):
            bounds = zip(place, wanted, plain.shape[2:], strict=True)
            window = plain[(..., *(slice(*window_bounds(i, m, n)) for i, m, n in bounds))]
            result[(..., *place)] = self._reduce(window)
        return target.from_plain(result, order)

    def _reduce(self, window: Array) -> Array:
        taps = tuple(range(2, window.ndim))
        if not self.takes_mean:
            return Max(taps).reference(window)
        total = widen(window).sum(axis=taps)
        count = np.asarray(max(1, int(np.prod(window.shape[2:]))))
        return narrow(mean_array(total, count, window.dtype), window.dtype)


@value
class GlobalPool(TargetPool):
    """The base of global poolings, which reduce each channel of an image to one number."""

    def targets(self, sizes: dict[str, Dim]) -> dict[str, Dim]:
        """Return 1 for each spatial axis."""
        return dict.fromkeys(self.spatial, 1)

    def reduced(
        self, reduction: type[Mean | Max], call: Call, d_out: Expr
    ) -> Sequence[Expr | None]:
        """Return the derivative of the pooling, as that of `reduction` over all spatial axes."""
        (data,) = call.args
        op = reduction(spatial_axes(self.layout, self.spatial), keepdims=True)
        given = in_layout(d_out, self.out_layout or self.layout, self.layout)
        return op.gradient(Call(op, (data,)), given)


def window_bounds(index: Any, count: Dim, size: Dim) -> tuple[Any, Any]:
    """Return the begin and the end of window `index` of `count` adaptive windows over `size`."""
    if size % count == 0:
        return index * (size // count), (index + 1) * (size // count)
    return index * size // count, ((index + 1) * size + (count - 1)) // count


def _longest(count: Dim, size: Dim) -> Dim:
    """Return the length of the longest of `count` windows over `size`, or an upper bound."""
    if not (isinstance(count, int) and isinstance(size, int)):
        return size // count + (0 if size % count == 0 else 2)
    bounds = (window_bounds(index, count, size) for index in range(count))
    return max(end - begin for begin, end in bounds)
