"""The base class of operators that compute the derivative of a convolution by its weight."""

from collections.abc import Mapping

import numpy as np

from relay.ir.dims import Dim, add, floor_divide, multiply, product, static
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef.checks import divides, rank, size
from relay.opdef.layout import SplitCoordinate
from relay.ops.families import extents, type_of
from relay.ops.nn import windows
from relay.ops.nn.accumulation_dtype import narrow, widen
from relay.ops.nn.conv_base import ConvBase, Sizes, sum_products, window_counts
from relay.support.error_codes import ErrorCode
from relay.support.node import value


@value
class ConvolutionBackwardWeight(ConvBase):
    """`result[o, i, k] = Σ grad[n, o, y] · data[n, i, y · stride + k · dilation - pad]`.

    The attributes are those of the convolution: `data_layout` is the layout of its data,
    `kernel_layout` that of the result, and `out_layout` that of `grad`. Without `kernel_size`, the
    kernel has the largest size for which the convolution's result has the size of `grad`.
    """

    def infer(self, grad: TensorType, data: TensorType) -> TensorType:
        """Return the type of the result, which is that of the weight."""
        layout = self.layouts[2]
        rank(self.name, "grad", grad, layout.rank)
        d, x = layout.sizes(grad.shape), self.plain_data(data)
        size(self.name, "batch", x["N"], d["N"])
        outer = d["C"] if self.channels is None else self.channels
        size(self.name, "channels of grad", outer, d["C"])
        said = f"{x['C']} channels cannot be divided into {self.groups} groups"
        divides(self.name, x["C"], self.groups, said, ErrorCode.T104)
        said = f"{outer} channels of grad cannot be divided into {self.groups} groups"
        divides(self.name, outer, self.groups, said, ErrorCode.T104)
        kernel = self._kernel(d, x)
        for letter, expected in window_counts(self, x, kernel).items():
            size(self.name, f"size of grad along {letter}", expected, d[letter])
        sizes = {"O": outer, "I": floor_divide(x["C"], self.groups), **kernel}
        return TensorType(self.layouts[1].shape(sizes), self.element_type(data, grad))

    def _kernel(self, grad: Sizes, data: Sizes) -> Sizes:
        if self.kernel_size is not None:
            return dict(zip(self.spatial, self.kernel_size, strict=True))
        return {x: self._largest(i, grad[x], data[x]) for i, x in enumerate(self.spatial)}

    def _largest(self, axis: int, count: Dim, size: Dim) -> Dim:
        room = add(size, sum(self.pads[axis]))
        rest = add(room, multiply(add(multiply(add(count, -1), self.strides[axis]), 1), -1))
        return add(floor_divide(rest, self.dilation[axis]), 1)

    def reference(self, grad: Array, data: Array) -> Array:
        """Return the result by NumPy: all windows of the data, contracted with `grad`."""
        data_layout, kernel_layout, grad_layout = self.layouts
        x = data_layout.to_plain(widen(data), f"NC{self.spatial}")
        d = grad_layout.to_plain(widen(grad), f"NC{self.spatial}")
        pairs = enumerate(zip(d.shape[2:], x.shape[2:], strict=True))
        kernel = self.kernel_size or static(tuple(self._largest(i, a, b) for i, (a, b) in pairs))
        w = kernel_layout.from_plain(self._contract(d, x, kernel), f"OI{self.spatial}")
        return narrow(w, self.out_dtype.numpy if self.out_dtype else data.dtype)

    def _contract(self, d: Array, x: Array, kernel: tuple[int, ...]) -> Array:
        padded = windows.widened(x, self.pads)
        view = windows.slide(padded, kernel, self.strides, self.dilation, d.shape[2:])
        inner, outer = x.shape[1] // self.groups, d.shape[1] // self.groups
        summed = [0, *range(2, d.ndim)]
        parts = [
            np.tensordot(
                d[:, g * outer : (g + 1) * outer],
                view[:, g * inner : (g + 1) * inner],
                (summed, summed),
            )
            for g in range(self.groups)
        ]
        return np.concatenate(parts)

    def compute(self, grad: te.Tensor, data: te.Tensor) -> te.Tensor:
        """Return the formula: a sum over the batch and the windows whose tap is inside the data."""
        result = self.infer(type_of(grad), type_of(data))
        data_layout, kernel_layout, grad_layout = self.layouts
        x, d = data_layout.sizes(extents(data)), grad_layout.sizes(extents(grad))
        batch = te.reduce_axis(x["N"], "n")
        places = {
            letter: te.reduce_axis(d[letter], f"y{letter.lower()}") for letter in self.spatial
        }

        def element(*i: te.Scalar) -> te.Scalar:
            at = kernel_layout.coordinates(i)
            positions, conditions = self._source(at, places, x)
            a = grad[grad_layout.indices({"N": batch, "C": at["O"], **places})]
            source = {"N": batch, "C": self._channel_read(at, x["C"], d["C"])}
            b = data[data_layout.indices({**source, **positions})]
            return sum_products(a, b, [batch, *places.values()], conditions, result.dtype)

        return te.compute(result.shape, element, name=self.name)

    def _source(
        self, at: Mapping[str, SplitCoordinate], places: Mapping[str, te.Axis], x: Mapping[str, Dim]
    ) -> tuple[dict[str, te.Scalar], list[te.Scalar]]:
        """Return the positions that a tap reads in all windows, and the bounds checks of these."""
        positions: dict[str, te.Scalar] = {}
        conditions: list[te.Scalar] = []
        per_axis = zip(self.spatial, self.strides, self.dilation, self.pads, strict=True)
        for letter, stride, dilation, (before, _) in per_axis:
            position = places[letter] * stride + at[letter].flat * dilation - before
            conditions += [position >= 0, position < x[letter]]
            positions[letter] = position
        return positions, conditions

    def _channel_read(
        self, at: Mapping[str, SplitCoordinate], inputs: Dim, outputs: Dim
    ) -> SplitCoordinate | te.Scalar:
        if self.groups == 1:
            return at["I"]
        group = at["O"].flat // (outputs // self.groups)
        return group * (inputs // self.groups) + at["I"].flat

    def flops(self, grad: TensorType, data: TensorType) -> Dim:
        """Return the number of operations: two for each product that is summed."""
        d = self.layouts[2].sizes(grad.shape)
        terms = product([d["N"], *(d[x] for x in self.spatial)])
        return 2 * product((*self.infer(grad, data).shape, terms))
