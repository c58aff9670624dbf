"""The class `Rows`: slices of a tensor that are normalised one by one, in formulas of kernels.

A normalisation is a sequence of stages (a reduction of each row, then an elementwise operation with
the result), so that one kernel processes a whole row while it is in the cache.
"""

from collections.abc import Callable, Sequence

from relay.ir.dims import Dim, product
from relay.kernels import te
from relay.ops.families import extents
from relay.support.dtype import DType, float32


class Rows:
    """The rows of the tensor `data` along `axes`; computations have at least single precision."""

    def __init__(self, data: te.Tensor, axes: Sequence[int]) -> None:
        self.shape = extents(data)
        self.axes = tuple(axis % len(data.shape) for axis in axes)
        self.dtype: DType = data.dtype if data.dtype.bits >= 32 else float32

    @property
    def length(self) -> Dim:
        """Return the number of elements in a row."""
        return product(self.shape[axis] for axis in self.axes)

    def widen(self, x: te.Scalar) -> te.Scalar:
        """Convert an element to the element type of the computation."""
        return te.cast(x, self.dtype)

    def row_index(self, i: Sequence[te.Scalar]) -> tuple[te.Scalar, ...]:
        """Return the index of the row that contains the element with the index `i`."""
        return tuple(index for axis, index in enumerate(i) if axis not in self.axes)

    def value_of_row(self, per_row: te.Tensor, i: Sequence[te.Scalar]) -> te.Scalar:
        """Return the element of `per_row` that belongs to the row of the element at index `i`."""
        return per_row[self.row_index(i)]

    def reduce(
        self,
        combine: Callable[[te.Scalar, Sequence[te.Axis]], te.Scalar],
        tensor: te.Tensor,
        name: str,
    ) -> te.Tensor:
        """Return the reduction of each row of a tensor that has the shape of the data."""
        return self.reduce_elements(combine, lambda i: tensor[tuple(i)], name)

    def reduce_elements(
        self,
        combine: Callable[[te.Scalar, Sequence[te.Axis]], te.Scalar],
        element: Callable[[Sequence[te.Scalar]], te.Scalar],
        name: str,
    ) -> te.Tensor:
        """Return the reduction of a formula over each row.

        `element` takes the index of an element of the data.
        """
        along = [te.reduce_axis(self.shape[axis], f"r{axis}") for axis in self.axes]

        def body(*outer: te.Scalar) -> te.Scalar:
            rest, inner = iter(outer), dict(zip(self.axes, along, strict=True))
            index = [inner[n] if n in inner else next(rest) for n in range(len(self.shape))]
            return combine(self.widen(element(index)), along)

        kept = [size for axis, size in enumerate(self.shape) if axis not in self.axes]
        return te.compute(kept, body, name=name)
