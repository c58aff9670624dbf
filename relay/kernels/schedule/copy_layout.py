"""The layout of a copy of a tensor: dimensions are permuted, and some are split into blocks."""

from collections.abc import Callable, Sequence

from relay.kernels.scalar import Scalar, Select, lift
from relay.kernels.te.tensor import Axis, Computed, Dim, Read, Tensor
from relay.kernels.traverse_scalars import rewrite
from relay.support.dtype import int64


class Arrangement:
    """A layout of a tensor's copy: it maps indices of the tensor to indices in the copy."""

    def __init__(
        self, tensor: Tensor, order: Sequence[int], blocks: Sequence[tuple[int, int]]
    ) -> None:
        assert sorted(order) == list(range(len(tensor.shape))), f"{order} is not a permutation"
        self._tensor = tensor
        self._order = tuple(order)
        self._blocks = tuple(blocks)

    def place(self, indices: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Return the indices in the copy of the tensor's element at `indices`."""
        found = [indices[dim] for dim in self._order]
        for dim, size in self._blocks:
            found.append(found[dim] % size)
            found[dim] = found[dim] // size
        return tuple(found)

    def copy(self) -> Computed:
        """Return the copy as a tensor expression; a partial last block is padded with zeros."""
        shape = self._shape()
        axes = tuple(Axis(f"p{k}", int64, extent) for k, extent in enumerate(shape))
        found: list[Scalar] = list(axes[: len(self._order)])
        inside: list[Scalar] = []
        for number, (dim, size) in reversed(list(enumerate(self._blocks))):
            found[dim] = found[dim] * size + axes[len(self._order) + number]
        for dim, (source, index) in enumerate(zip(self._order, found, strict=True)):
            if any(dim == blocked for blocked, _ in self._blocks):
                inside.append(index < self._tensor.shape[source])
        body = self._tensor[tuple(found[k] for k in inverse(self._order))]
        for condition in inside:
            body = Select(condition, body, lift(0, body.dtype))
        return Computed(f"{self._tensor.name}_packed", shape, body.dtype, axes, body)

    def _shape(self) -> tuple[Dim, ...]:
        shape = [self._tensor.shape[dim] for dim in self._order]
        for dim, size in self._blocks:
            extent = shape[dim]
            full = isinstance(extent, int)
            shape[dim] = -(-extent // size) if full else (extent + (size - 1)) // size
            shape.append(size)
        return tuple(shape)


def inverse(order: Sequence[int]) -> list[int]:
    """Return the inverse of a permutation.

    >>> inverse((1, 2, 0))
    [2, 0, 1]
    """
    return sorted(range(len(order)), key=lambda k: order[k])


def redirect(body: Scalar, tensor: Tensor, to: Callable[[tuple[Scalar, ...]], Scalar]) -> Scalar:
    """Return an expression with `to(indices)` in place of every read of `tensor`."""

    def change(part: Scalar) -> Scalar:
        match part:
            case Read(tensor=read, indices=indices) if read is tensor:
                return to(indices)
            case _:
                return part

    return rewrite(body, change, {})
