"""How far apart in memory the elements lie that consecutive iterations of a loop touch."""

import math
from collections.abc import Sequence

from relay.kernels.passes.affine import Affine, Arithmetic
from relay.kernels.scalar import Binary, Compare, Const, Op, Scalar, binary, walk
from relay.kernels.te.tensor import Axis, Computed, Read, Reduce, Tensor


class Walk:
    """One access, to a tensor of `elements` and `nbytes`: how far it moves along each axis."""

    def __init__(self, tensor: Tensor | None, flat: Affine) -> None:
        self.elements = math.prod(map(int, map(str, tensor.shape))) if tensor else 0
        self.nbytes = self.elements * tensor.dtype.itemsize if tensor else 0
        self._strides: dict[Scalar, int] = {}
        self._irregular: set[Scalar] = set()
        for atom, factor in flat.terms.items():
            if isinstance(atom, Axis):
                self._strides[atom] = factor
            else:
                self._irregular.update(part for part in walk(atom) if isinstance(part, Axis))

    def stride(self, axis: Axis) -> int | None:
        """Return how many elements lie between two iterations; None if that varies."""
        return None if axis in self._irregular else self._strides.get(axis, 0)

    def moves(self, axis: Axis) -> bool:
        """Whether the place depends on an axis."""
        return axis in self._irregular or axis in self._strides


NOWHERE = Walk(None, Affine({}, 0))


def walks(
    body: Scalar,
    axes: Sequence[Axis],
    target: Tensor | None = None,
    place: Sequence[Scalar] | None = None,
) -> list[Walk]:
    """Return the accesses of a formula over `axes`, and that of the store of its result.

    The result is stored at the axes, unless its `place` is given.
    """
    arithmetic = arithmetic_over([*axes, *(body.axes if isinstance(body, Reduce) else ())])
    found = [
        Walk(read.tensor, _flat(arithmetic, read.tensor, read.indices)) for read in reads(body)
    ]
    if target is not None:
        found.append(Walk(target, _flat(arithmetic, target, place or axes)))
    return found


def reads(body: Scalar) -> list[Read]:
    """Return the reads in a formula, in order."""
    return [part for part in walk(body) if isinstance(part, Read)]


def arithmetic_over(axes: Sequence[Axis]) -> Arithmetic:
    """Return index arithmetic that knows how far the axes run."""
    arithmetic = Arithmetic()
    for axis in axes:
        if isinstance(axis.extent, int):
            arithmetic.declare(axis, 0, max(0, axis.extent - 1))
    return arithmetic


def tested(body: Scalar) -> set[Scalar]:
    """Return the axes on which some choice depends."""
    found: set[Scalar] = set()
    for part in walk(body):
        if isinstance(part, Compare):
            found.update(one for one in walk(part) if isinstance(one, Axis))
    return found


def _flat(arithmetic: Arithmetic, tensor: Tensor, indices: Sequence[Scalar]) -> Affine:
    flat: Scalar = Const(0)
    for size, index in zip(tensor.shape, indices, strict=True):
        flat = arithmetic.index(binary(Op.ADD, flat * size, index))
    return arithmetic.affine(flat)


def window_axes(reduction: Computed) -> set[Axis]:
    """Return the axes of a result along which its elements are reduced from overlapping windows."""
    found: set[Axis] = set()
    for read in reads(reduction.body):
        for index in read.indices:
            used = {part for part in walk(index) if isinstance(part, Axis)}
            if used & set(reduction.reduce_axes):
                found |= used & set(reduction.axes)
    return found


def fusable(accesses: Sequence[Walk], outer: Axis, inner: Axis) -> bool:
    """Whether the two loops together walk as one: every access goes on where the inner one ends."""
    for access in accesses:
        far, near = access.stride(outer), access.stride(inner)
        if far is None or near is None or far != near * int(str(inner.extent)):
            return False
    return True


def block_along(body: Scalar, axes: Sequence[Axis], axis: Axis) -> int:
    """Return by what an axis is divided in the indices of the reads, if by one number; else 0."""
    arithmetic = arithmetic_over(axes)
    found: set[int] = set()
    for read in reads(body):
        for index in read.indices:
            found |= _divisors(arithmetic, arithmetic.index(index), axis)
    return found.pop() if len(found) == 1 else 0


def _divisors(arithmetic: Arithmetic, index: Scalar, axis: Axis) -> set[int]:
    """Return the numbers by which an axis, or the sum of it and a constant, is divided."""
    found: set[int] = set()
    for part in walk(index):
        match part:
            case Binary(op=Op.FLOORDIV | Op.FLOORMOD, a=a, b=Const(value=int() as by)):
                if arithmetic.affine(a).terms == {axis: 1}:
                    found.add(by)
            case _:
                pass
    return found
