"""Base classes of adaptive poolings, whose output has a given size."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from relay.ir.dims import Dim, floor_divide
from relay.ir.expr import Call, Constant, Expr
from relay.opdef import checks
from relay.ops.binary import FloorDivide, Minimum, add, multiply, subtract
from relay.ops.max_min_reductions import Max
from relay.ops.nn import windows
from relay.ops.nn.adaptive_pool_base import TargetPool, window_bounds
from relay.ops.nn.separable_gradient import in_layout, plain_layout
from relay.ops.tensor.gather import Take, TakeGrad
from relay.ops.tensor.position_tensors import counting, length
from relay.support.node import set_field, value


@value
class AdaptivePool(TargetPool):
    """The base of poolings to a size `output_size`.

    None keeps the size of an axis; a single value applies to all axes.
    """

    output_size: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super(AdaptivePool, self).__post_init__()
        sizes = windows.integers(self.output_size)
        full = sizes * len(self.spatial) if len(sizes) == 1 else sizes
        fits = len(full) in (0, len(self.spatial)) and min(full, default=1) > 0
        checks.attribute(
            self.name,
            fits,
            f"output_size must have a positive size for each of the axes {self.spatial}, not "
            f"{sizes}",
        )
        set_field(self, "output_size", full)

    def targets(self, sizes: dict[str, Dim]) -> dict[str, Dim]:
        """Return `output_size` by axis letter."""
        if not self.output_size:
            return {letter: sizes[letter] for letter in self.spatial}
        return dict(zip(self.spatial, self.output_size, strict=True))


@value
class AdaptiveMaxPool(AdaptivePool):
    """The base of adaptive maximum poolings."""

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: that of each window is added to its first largest element."""
        (data,) = call.args
        if not self.output_size:
            return (in_layout(d_out, self.out_layout or self.layout, self.layout),)
        layout = plain_layout(self.spatial)
        cut = [in_layout(data, self.layout, layout)]
        windows_ = [window_places(cut[0], 2 + n, m) for n, m in enumerate(self.output_size)]
        for n, places in enumerate(windows_):
            cut.append(Call(Take(axis=2 + 2 * n, mode="fast"), (cut[-1], places)))
        axes = tuple(range(3, 3 + 2 * len(windows_), 2))
        reduced = Call(Max(axes, ties="first"), (cut[-1],))
        given = in_layout(d_out, self.out_layout or self.layout, layout)
        (d_cut,) = Max.gradient(cast("Max", reduced.op), reduced, given)
        for n, places in reversed([*enumerate(windows_)]):
            back = TakeGrad(axis=2 + 2 * n, mode="fast")
            d_cut = Call(back, (cast("Expr", d_cut), places, cut[n]))
        return (in_layout(cast("Expr", d_cut), layout, self.layout),)


def window_places(data: Expr, axis: int, count: int) -> Expr:
    """Return the positions along an axis that each of `count` windows reads, one row for each.

    All rows have the length of the longest window; shorter windows repeat their last position.
    """
    size = data.tensor_type.shape[axis]
    if isinstance(size, int):
        bounds = [window_bounds(i, count, size) for i in range(count)]
        longest = range(max(end - begin for begin, end in bounds))
        table = [[min(begin + tap, end - 1) for tap in longest] for begin, end in bounds]
        return Constant(np.array(table))
    n, m = length(data, axis), Constant(np.asarray(count))
    rows = Constant(np.arange(count).reshape(count, 1))
    begin = Call(FloorDivide(), (multiply(rows, n), m))
    next_ = multiply(add(rows, Constant(np.asarray(1))), n)
    last = Call(FloorDivide(), (subtract(next_, Constant(np.asarray(1))), m))
    most = add(Call(FloorDivide(), (n, m)), Constant(np.asarray(2)))
    taps = counting(floor_divide(size, count) + 2, most)
    return Call(Minimum(), (add(begin, taps), last))
