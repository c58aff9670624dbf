"""The base class of convolutions over any number of spatial axes: its type, formula and cost."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from relay.ir.dims import ANY, Dim, floor_divide, is_static, multiply, product
from relay.ir.expr import Array
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef.checks import divides, size
from relay.opdef.definition import Precision
from relay.opdef.layout import SplitCoordinate
from relay.ops.families import extents, type_of
from relay.ops.nn import windows
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.conv_base import (
    ConvBase,
    channel_axis,
    sum_products,
    window_counts,
)
from relay.ops.nn.window_bounds_checks import inside
from relay.support.error_codes import ErrorCode
from relay.support.node import value


@value
class Convolution(ConvBase):
    """`result[n, o, y] = Σ data[n, i, y · stride + k · dilation - pad] · weight[o, i, k]`.

    The sum is over the taps inside the data. Group `g` of the output channels reads group `g` of
    the input channels, so the weight has `C // groups` input channels. A depthwise weight may also
    be `(groups, multiplier, …)`. If both `channels` and `kernel_size` are set, the weight's type is
    inferred from the data's. The error of a sum of n products of floats is at most (8193 + n /
    8192) · u · Σ|data · weight|, where u is the unit roundoff.
    """

    precision: ClassVar[Precision] = Precision.ALWAYS

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        """Return the type of the result; raises `T105` if channels or the kernel do not match."""
        x, w = self.plain_data(data), self.plain_weight(weight)
        if not self.is_multiplier(x, w):
            help_ = (
                f"the weight has the layout {self.layouts[1]}: pass kernel_layout, or transpose it"
            )
            taken = multiply(w["I"], self.groups)
            size(self.name, "input channels", taken, x["C"], help_)
        channels = self.output_channels(x, w)
        if self.channels is not None:
            size(self.name, "output channels", self.channels, channels)
        said = f"{channels} channels cannot be divided into {self.groups} groups"
        divides(self.name, channels, self.groups, said, ErrorCode.T104)
        sizes = {"N": x["N"], "C": channels, **window_counts(self, x, w)}
        return TensorType(self.layouts[2].shape(sizes), self.element_type(data, weight))

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the weight's type, inferred from `channels`, `kernel_size` and the data."""
        data, weight = types
        known = self.channels is not None and self.kernel_size is not None
        if weight is not None or not isinstance(data, TensorType) or not known:
            return types
        inner = floor_divide(self.plain_data(data)["C"], self.groups)
        kernel = dict(zip(self.spatial, self.kernel_size or (), strict=True))
        sizes = {"O": self.channels or 0, "I": inner, **kernel}
        return data, TensorType(self.layouts[1].shape(sizes), data.dtype)

    def is_multiplier(self, data: Mapping[str, Dim], weight: Mapping[str, Dim]) -> bool:
        """Whether a weight is depthwise in the form `(groups, multiplier, …)`.

        The other form is `(channels, 1, …)`.
        """
        return data["C"] == self.groups == weight["O"] and weight["I"] != 1

    def output_channels(self, data: Mapping[str, Dim], weight: Mapping[str, Dim]) -> Dim:
        """Return the number of output channels.

        It is `ANY` if it is unknown whether a weight has the depthwise form `(groups, …)`.
        """
        if self.is_multiplier(data, weight):
            return multiply(weight["O"], weight["I"])
        symbolic = not is_static((data["C"], weight["O"]))
        plain = weight["I"] == 1 or multiply(weight["I"], self.groups) is data["C"]
        may_multiply = weight["O"] == self.groups or not isinstance(weight["O"], int)
        unknown = self.groups > 1 and symbolic and not plain and may_multiply
        return ANY if unknown else weight["O"]

    def reference(self, data: Array, weight: Array) -> Array:
        """Return the result by NumPy: all windows, contracted with the weight, group by group."""
        data_layout, kernel_layout, out_layout = self.layouts
        x = data_layout.to_plain(widen(data), f"NC{self.spatial}")
        w = kernel_layout.to_plain(widen(weight), f"OI{self.spatial}")
        if x.shape[1] == self.groups:  # depthwise, in either form
            w = w.reshape(w.shape[0] * w.shape[1], 1, *w.shape[2:])
        y = out_layout.from_plain(correlate(self, x, w), f"NC{self.spatial}")
        return narrow(y, self.out_dtype.numpy if self.out_dtype else data.dtype)

    def compute(self, data: te.Tensor, weight: te.Tensor) -> te.Tensor:
        """Return the formula: a sum over input channels and those taps that are inside the data."""
        result = self.infer(type_of(data), type_of(weight))
        data_layout, kernel_layout, out_layout = self.layouts
        x, w = data_layout.sizes(extents(data)), kernel_layout.sizes(extents(weight))
        y = out_layout.sizes(result.shape)
        depthwise = x["C"] == self.groups
        inner = 1 if depthwise else w["I"]
        blocks = () if depthwise else kernel_layout.blocks("I")
        channel, channel_axes = channel_axis(inner, blocks, "c")
        taps = {letter: te.reduce_axis(w[letter], f"k{letter.lower()}") for letter in self.spatial}
        axes = [channel_axes[0], *taps.values(), *channel_axes[1:]]

        def element(*i: te.Scalar) -> te.Scalar:
            at = out_layout.coordinates(i)
            positions, conditions = self._source(at, taps, (x, w, y))
            source = {"N": at["N"], "C": self._channel_read(at["C"], channel, y["C"], x["C"])}
            a = data[data_layout.indices({**source, **positions})]
            filter_ = self._filter(at["C"], channel, x, w)
            b = weight[kernel_layout.indices({**filter_, **taps})]
            return sum_products(a, b, axes, conditions, result.dtype)

        return te.compute(result.shape, element, name=self.name)

    def _source(
        self,
        at: Mapping[str, SplitCoordinate],
        taps: Mapping[str, te.Axis],
        sizes: tuple[Mapping[str, Dim], Mapping[str, Dim], Mapping[str, Dim]],
    ) -> tuple[dict[str, te.Scalar], list[te.Scalar]]:
        """Return the position of the data that each tap reads, and the conditions that it exists.

        `at` is the index of the result, and `sizes` are those of data, weight and result.
        """
        x, w, y = sizes
        positions: dict[str, te.Scalar] = {}
        conditions: list[te.Scalar] = []
        per_axis = zip(self.spatial, self.strides, self.dilation, self.pads, strict=True)
        for letter, stride, dilation, (before, after) in per_axis:
            tap = taps[letter]
            position = at[letter].flat * stride + tap * dilation - before
            span = windows.reach(w[letter], dilation)
            highest = windows.last_position_reached(
                x[letter], y[letter], span, stride, before, after
            )
            conditions += inside(position, x[letter], -before, highest)
            positions[letter] = position
        return positions, conditions

    def _channel_read(
        self, out: SplitCoordinate, channel: SplitCoordinate, outputs: Dim, inputs: Dim
    ) -> SplitCoordinate | te.Scalar:
        """Return the input channel that `out` reads: the one with number `channel` in its group."""
        if self.groups == 1:
            return channel
        if inputs == outputs == self.groups:
            return out
        group = out.flat // (outputs // self.groups)
        per_group = inputs // self.groups
        return group if per_group == 1 else group * per_group + channel.flat

    def _filter(
        self,
        out: SplitCoordinate,
        channel: SplitCoordinate,
        x: Mapping[str, Dim],
        w: Mapping[str, Dim],
    ) -> dict[str, SplitCoordinate | te.Scalar | int]:
        """Return the indices into the weight's axes O and I for output channel `out`."""
        if self.is_multiplier(x, w):
            return {"O": out.flat // w["I"], "I": out.flat % w["I"]}
        return {"O": out, "I": 0 if x["C"] == self.groups else channel}

    def flops(self, data: TensorType, weight: TensorType) -> Dim:
        """Return the number of operations: two for each product, including those with padding."""
        w = self.plain_weight(weight)
        inner = 1 if self.is_multiplier(self.plain_data(data), w) else w["I"]
        taps = product([inner, *(w[x] for x in self.spatial)])
        return 2 * product((*self.infer(data, weight).shape, taps))


def correlate(op: ConvBase, x: Array, w: Array) -> Array:
    """Return the convolution of plain `(N, C, …)` data and a plain `(O, C // groups, …)` weight."""
    kernel = w.shape[2:]
    padded = windows.widened(x, op.pads)
    spans = [windows.reach(k, d) for k, d in zip(kernel, op.dilation, strict=True)]
    counts = [
        (size - int(span)) // stride + 1  # pyright: ignore[reportArgumentType] - static
        for size, span, stride in zip(padded.shape[2:], spans, op.strides, strict=True)
    ]
    if 0 in kernel:  # empty sums
        return np.zeros((len(x), len(w), *counts), x.dtype)
    view = windows.slide(padded, kernel, op.strides, op.dilation, counts)
    grouped = view.reshape(x.shape[0], op.groups, x.shape[1] // op.groups, *view.shape[2:])
    weights = w.reshape(op.groups, len(w) // op.groups, *w.shape[1:])
    rank = len(kernel)
    parts = [
        np.tensordot(grouped[:, g], weights[g], (_contracted(rank), range(1, rank + 2)))
        for g in range(op.groups)
    ]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)


def _contracted(rank: int) -> list[int]:
    """Return the axes of the sliding windows over which a convolution sums.

    The axes of the windows are the batch, the input channels of a group, the numbers of windows
    along each spatial axis, and the kernel's sizes.
    """
    return [1, *range(2 + rank, 2 + 2 * rank)]
