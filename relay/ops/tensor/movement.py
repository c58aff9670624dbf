"""Tensor expressions that only move elements: each one of the result is one of a source."""

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from relay.kernels import te
from relay.ops.families import extents

Indices: TypeAlias = Sequence[te.Scalar]


def move(x: te.Tensor, shape: Sequence[int], source: Callable[[Indices], Indices]) -> te.Tensor:
    """Return the tensor whose element at `i` is the element of `x` at `source(i)`."""
    return te.compute(shape, lambda *i: x[tuple(source(i))])


def reflat(x: te.Tensor, shape: Sequence[int]) -> te.Tensor:
    """Return the elements of `x` in row-major order under another shape (see Note [Regrouping])."""
    old = extents(x)
    return move(x, shape, lambda i: regroup(shape, old, i))


def regroup(old: Sequence[int], new: Sequence[int], indices: Indices) -> Indices:
    """Return the index in shape `new` of the element that has `indices` in shape `old`."""
    if prod(old) == 0:
        return [te.const(0)] * len(new)
    result: list[te.Scalar] = [te.const(0)] * len(new)
    for left, right in _groups(old, new):
        flat = indices[left[0]]
        for axis in left[1:]:
            flat = flat * old[axis] + indices[axis]
        for axis, index in zip(right, _unflatten(flat, [new[axis] for axis in right]), strict=True):
            result[axis] = index
    return result


def _unflatten(flat: te.Scalar, shape: Sequence[int]) -> list[te.Scalar]:
    """Return the row-major index of a flat position; the outermost needs no remainder."""
    result: list[te.Scalar] = []
    for axis in range(len(shape)):
        below = prod(shape[axis + 1 :])
        index = flat // below if below > 1 else flat
        result.append(index % shape[axis] if axis else index)
    return result


def _groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Pair the shortest runs of axes with equally many elements; axes of length 1 are left out."""
    left = [axis for axis, size in enumerate(old) if size != 1]
    right = [axis for axis, size in enumerate(new) if size != 1]
    groups: list[tuple[list[int], list[int]]] = []
    while left:
        group = ([left.pop(0)], [right.pop(0)])
        a, b = old[group[0][0]], new[group[1][0]]
        while a != b:
            side, sizes, rest = (0, old, left) if a < b else (1, new, right)
            axis = rest.pop(0)
            group[side].append(axis)
            a, b = (a * sizes[axis], b) if side == 0 else (a, b * sizes[axis])
        groups.append(group)
    return groups


def choose(
    index: te.Scalar,
    limits: Sequence[int],
    tensors: Sequence[te.Tensor],
    sources: Sequence[Indices],
) -> te.Scalar:
    """Return an element of the first tensor whose limit `index` is below, else of the last one.

    The choice is a balanced tree, so that joining many tensors costs a logarithm per element.
    """

    def between(low: int, high: int) -> te.Scalar:
        if low == high:
            return tensors[low][tuple(sources[low])]
        middle = (low + high) // 2
        return te.select(index < limits[middle], between(low, middle), between(middle + 1, high))

    return between(0, len(tensors) - 1)


# Note [Regrouping] A reshape in a fused kernel is index arithmetic on every element, and divisions
# are slow. Both shapes are cut into the shortest runs of axes that hold equally many elements, so
# that an axis that is merely copied costs nothing, a merge `(2, 3) -> 6` is read by one division,
# and a split `6 -> (2, 3)` by a multiplication alone.
