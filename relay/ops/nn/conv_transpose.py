"""The base class of transposed convolutions: each element is added to a window of the result."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from relay.ir.dims import Dim, add, floor_divide, multiply, product
from relay.ir.expr import Array
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef.checks import divides, size
from relay.opdef.definition import Precision
from relay.opdef.layout import SplitCoordinate
from relay.ops.families import extents, type_of
from relay.ops.nn import windows
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.conv_base import ConvBase, Sizes, channel_axis, sum_products
from relay.support.error_codes import ErrorCode
from relay.support.node import set_field, value


@value
class ConvolutionTranspose(ConvBase):
    """The linear map whose transpose is the convolution with the same attributes.

    `result[n, o, y · stride + k · dilation - pad] += data[n, i, y] · weight[i, o, k]`. In
    `kernel_layout`, `I` are all input channels of this operator, `O` the output channels of one
    group. `output_padding` enlarges the result at the end.
    """

    output_padding: tuple[int, ...] = (0,)

    precision: ClassVar[Precision] = Precision.ALWAYS

    def __post_init__(self) -> None:
        super(ConvolutionTranspose, self).__post_init__()
        count = len(self.spatial)
        full = windows.per_axis(self.name, "output_padding", self.output_padding, count, lowest=0)
        set_field(self, "output_padding", full)

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        """Return the type of the result; raises `T105` if channels or the kernel do not match."""
        x, w = self.plain_data(data), self.plain_weight(weight)
        size(self.name, "input channels", w["I"], x["C"])
        said = f"{x['C']} channels cannot be divided into {self.groups} groups"
        divides(self.name, x["C"], self.groups, said, ErrorCode.T104)
        channels = multiply(w["O"], self.groups)
        if self.channels is not None:
            size(self.name, "output channels", self.channels, channels)
        sizes = {"N": x["N"], "C": channels, **self.output_sizes(x, w)}
        return TensorType(self.layouts[2].shape(sizes), self.element_type(data, weight))

    def relate(self, types: Sequence[Type | None]) -> Sequence[Type | None]:
        """Return the weight's type, inferred from `channels`, `kernel_size` and the data."""
        data, weight = types
        known = self.channels is not None and self.kernel_size is not None
        if weight is not None or not isinstance(data, TensorType) or not known:
            return types
        outer = floor_divide(self.channels or 0, self.groups)
        kernel = dict(zip(self.spatial, self.kernel_size or (), strict=True))
        sizes = {"I": self.plain_data(data)["C"], "O": outer, **kernel}
        return data, TensorType(self.layouts[1].shape(sizes), data.dtype)

    def output_sizes(self, data: Sizes, weight: Sizes) -> Sizes:
        """Return the spatial sizes of the result.

        A convolution of a tensor with these sizes has a result with the sizes of the data.
        """
        result: Sizes = {}
        for i, x in enumerate(self.spatial):
            spread = multiply(add(data[x], -1), self.strides[i])
            span = windows.reach(weight[x], self.dilation[i])
            result[x] = add(add(spread, span), self.output_padding[i] - sum(self.pads[i]))
        return result

    def reference(self, data: Array, weight: Array) -> Array:
        """Return the result by NumPy: for each tap of the weight, a product is added to a slice."""
        data_layout, kernel_layout, out_layout = self.layouts
        x = data_layout.to_plain(widen(data), f"NC{self.spatial}")
        w = kernel_layout.to_plain(widen(weight), f"IO{self.spatial}")
        y = out_layout.from_plain(self._spread(x, w), f"NC{self.spatial}")
        return narrow(y, self.out_dtype.numpy if self.out_dtype else data.dtype)

    def _spread(self, x: Array, w: Array) -> Array:
        batch, inner, *sizes = x.shape
        kernel = w.shape[2:]
        grouped = x.reshape(batch, self.groups, inner // self.groups, *sizes)
        weights = w.reshape(self.groups, inner // self.groups, *w.shape[1:])
        room = [
            (n - 1) * s + (k - 1) * d + 1 + extra
            for n, s, k, d, extra in zip(
                sizes, self.strides, kernel, self.dilation, self.output_padding, strict=True
            )
        ]
        whole = np.zeros((batch, self.groups, w.shape[1], *room), x.dtype)
        for tap in np.ndindex(*kernel):
            part = np.einsum("ngi...,gio->ngo...", grouped, weights[(..., *tap)])
            whole[(..., *self._reached(tap, sizes))] += part
        around = [(-before, -after) for before, after in self.pads]
        return windows.widened(whole.reshape(batch, self.groups * w.shape[1], *room), around)

    def _reached(self, tap: Sequence[int], sizes: Sequence[int]) -> list[slice]:
        """Return the slice of the result to which a tap adds products, for data of these sizes."""
        starts = [k * d for k, d in zip(tap, self.dilation, strict=True)]
        return [
            slice(start, start + max((n - 1) * s + 1, 0), s)
            for start, n, s in zip(starts, sizes, self.strides, strict=True)
        ]

    def compute(self, data: te.Tensor, weight: te.Tensor) -> te.Tensor:
        """Return the formula, which sums over input channels and the taps that reach an element."""
        result = self.infer(type_of(data), type_of(weight))
        data_layout, kernel_layout, out_layout = self.layouts
        x, w = data_layout.sizes(extents(data)), kernel_layout.sizes(extents(weight))
        blocks = kernel_layout.blocks("I") if self.groups == 1 else ()
        channel, channel_axes = channel_axis(x["C"] // self.groups, blocks, "c")
        taps = {letter: te.reduce_axis(w[letter], f"k{letter.lower()}") for letter in self.spatial}
        axes = [channel_axes[0], *taps.values(), *channel_axes[1:]]

        def element(*i: te.Scalar) -> te.Scalar:
            at = out_layout.coordinates(i)
            positions, conditions = self._source(at, taps, x)
            outer, inner = self._channels(at["C"], channel, x["C"], w["O"])
            a = data[data_layout.indices({"N": at["N"], "C": inner, **positions})]
            b = weight[kernel_layout.indices({"O": outer, "I": inner, **taps})]
            return sum_products(a, b, axes, conditions, result.dtype)

        return te.compute(result.shape, element, name=self.name)

    def _source(
        self, at: Mapping[str, SplitCoordinate], taps: Mapping[str, te.Axis], x: Mapping[str, Dim]
    ) -> tuple[dict[str, te.Scalar], list[te.Scalar]]:
        """Return the positions whose windows contain an element, and the conditions for that."""
        positions: dict[str, te.Scalar] = {}
        conditions: list[te.Scalar] = []
        per_axis = zip(self.spatial, self.strides, self.dilation, self.pads, strict=True)
        for letter, stride, dilation, (before, _) in per_axis:
            scaled = at[letter].flat + before - taps[letter] * dilation
            if stride > 1:
                conditions.append(te.equal(scaled % stride, 0))
            position = scaled // stride if stride > 1 else scaled
            conditions += [position >= 0, position < x[letter]]
            positions[letter] = position
        return positions, conditions

    def _channels(
        self, out: SplitCoordinate, channel: SplitCoordinate, inputs: Dim, outputs: Dim
    ) -> tuple[SplitCoordinate | te.Scalar, SplitCoordinate | te.Scalar]:
        """Return the output channel within its group, and the input channel that is read."""
        if self.groups == 1:
            return out, channel
        group = out.flat // outputs
        return out.flat % outputs, group * (inputs // self.groups) + channel.flat

    def flops(self, data: TensorType, weight: TensorType) -> Dim:
        """Return the number of operations: two for each data element and tap of its weights."""
        w = self.plain_weight(weight)
        taps = product([w["O"], *(w[x] for x in self.spatial)])
        return 2 * product((*data.shape, taps))
