"""Helpers for formulas of operators that only move elements, such as a reshape."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.ir.dims import Dim, product
from relay.kernels import te
from relay.ops.families import extents

Indices: TypeAlias = Sequence[te.Scalar]


def move(x: te.Tensor, shape: Sequence[Dim], source: Callable[[Indices], Indices]) -> te.Tensor:
    """Return the formula whose element at `i` is the element of `x` at `source(i)`."""
    return te.compute(shape, lambda *i: x[tuple(source(i))])


def reshape_formula(x: te.Tensor, shape: Sequence[Dim]) -> te.Tensor:
    """Return the formula of a reshape of `x`, in row-major order (see Note [Regrouping])."""
    old = extents(x)
    return move(x, shape, lambda i: regroup(shape, old, i))


def regroup(old: Sequence[Dim], new: Sequence[Dim], indices: Indices) -> Indices:
    """Return the index in shape `new` of the element at `indices` in shape `old`, row-major."""
    if product(old) == 0:
        return [te.const(0)] * len(new)
    result: list[te.Scalar] = [te.const(0)] * len(new)
    for left, right in _groups(old, new):
        flat = indices[left[0]]
        for axis in left[1:]:
            flat = flat * old[axis] + indices[axis]
        for axis, index in zip(right, _unflatten(flat, [new[axis] for axis in right]), strict=True):
            result[axis] = index
    return result


def _unflatten(flat: te.Scalar, shape: Sequence[Dim]) -> list[te.Scalar]:
    """Return the index in a shape of the element at a row-major position."""
    result: list[te.Scalar] = []
    for axis in range(len(shape)):
        below = product(shape[axis + 1 :])
        index = flat if below == 1 else flat // below
        result.append(index % shape[axis] if axis else index)
    return result


def _groups(old: Sequence[Dim], new: Sequence[Dim]) -> list[tuple[list[int], list[int]]]:
    """Pair groups of adjacent axes of two shapes that have equal numbers of elements.

    Both shapes are cut wherever the products of the sizes so far are equal. Products that are not
    known to be equal do not cut. Axes of length 1 are left out.
    """
    left = [axis for axis, size in enumerate(old) if size != 1]
    right = [axis for axis, size in enumerate(new) if size != 1]
    if not left or not right:
        return [(left, right)] if left else []
    before = {product(new[axis] for axis in right[:k]): k for k in range(1, len(right))}
    groups: list[tuple[list[int], list[int]]] = []
    first = start = 0
    for k in range(1, len(left)):
        cut = before.get(product(old[axis] for axis in left[:k]), 0)
        if cut > start:
            groups.append((left[first:k], right[start:cut]))
            first, start = k, cut
    return [*groups, (left[first:], right[start:])]


def select_by_index(
    index: te.Scalar,
    limits: Sequence[Dim],
    tensors: Sequence[te.Tensor],
    sources: Sequence[Indices],
) -> te.Scalar:
    """Return an element of the first tensor whose limit exceeds `index`, or of the last tensor.

    `sources` has the index to read in each tensor. The comparisons form a balanced tree, so the
    cost for each element is logarithmic in the number of tensors.
    """

    def between(low: int, high: int) -> te.Scalar:
        if low == high:
            return tensors[low][tuple(sources[low])]
        middle = (low + high) // 2
        return te.select(index < limits[middle], between(low, middle), between(middle + 1, high))

    return between(0, len(tensors) - 1)


# Note [Regrouping] A reshape in a fused kernel is index arithmetic on every element, and divisions
# are slow. Both shapes are cut into the shortest runs of axes with equal numbers of elements, so
# that an axis that is merely copied costs nothing, a merge `(2, 3) -> 6` is read by one division,
# and a split `6 -> (2, 3)` by a multiplication alone.
