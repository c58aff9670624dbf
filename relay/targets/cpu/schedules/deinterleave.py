"""Deinterleaves operands that are read with a stride, so that vector loads are contiguous.

If the lanes of a sum read an operand with a stride of s elements, as in strided convolutions, the
operand interleaves s sequences of elements (called threads, but unrelated to CPU threads). A copy
stores each sequence contiguously, so that lanes are adjacent. Elements that no tap of a window
reads (as with a dilation of 2 and a stride of 2) are not copied.
"""

from collections.abc import Sequence
from math import gcd

from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.passes.tighten_loop_bounds import conjunction
from relay.kernels.scalar import Const, Scalar, select
from relay.kernels.schedule.iteration_state import rounded_up
from relay.kernels.te.tensor import Axis, Computed, Dim, Read, Reduce, Tensor
from relay.kernels.traverse_scalars import rewrite, substitute
from relay.support.dtype import int64
from relay.support.node import node, replace
from relay.targets.cpu.schedules.access_strides import arithmetic_over, reads, strided_accesses
from relay.targets.cpu.schedules.size_hints import exact_product


@node
class _Dimension:
    """A dimension of the copy: `count` positions of the original, every `step`-th from `first`.

    The sum reads it at index `place`. The copy splits it into `threads` contiguous sequences.
    """

    first: int
    step: int
    count: Dim
    threads: int
    place: Scalar

    @property
    def extents(self) -> list[Dim]:
        """Return the extents in the copy: the number of sequences, if several, and their length."""
        length = rounded_up(self.count, self.threads)
        return [self.threads, length] if self.threads > 1 else [length]

    @property
    def indices(self) -> list[Scalar]:
        """Return the indices in the copy of the element at `place`."""
        if self.threads == 1:
            return [self.place]
        return [self.place % self.threads, self.place // self.threads]

    def source(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the original position of the element at the indices `parts` of the copy."""
        number = parts[0] if self.threads == 1 else parts[1] * self.threads + parts[0]
        return number * self.step + self.first

    @property
    def end(self) -> Dim:
        """Return the original position after the last one that is copied."""
        return (exact_product(self.extents) - 1) * self.step + self.first + 1


def deinterleaved(sums: Computed, around: Computed | None) -> tuple[Computed, Computed | None]:
    """Return a sum of products whose lanes read adjacent elements, and the copy that it reads.

    `around`, if not None, is a copy that the sum reads already; the new copy replaces it.
    """
    assert isinstance(sums.body, Reduce)
    found = _interleaved_read(sums)
    if found is None:
        return sums, around
    arithmetic = arithmetic_over([*sums.axes, *sums.reduce_axes])
    lane, size = sums.axes[-1], len(found.indices)
    dimensions = [
        _dimension(arithmetic, index, lane, found.tensor.shape[k], k == size - 1)
        for k, index in enumerate(found.indices)
    ]
    copy = _copy(found.tensor, dimensions, around)
    indices = [index for dimension in dimensions for index in dimension.indices]

    def change(part: Scalar) -> Scalar:
        return copy[tuple(indices)] if part is found else part

    return replace(sums, body=rewrite(sums.body, change, {})), copy


def _interleaved_read(sums: Computed) -> Read | None:
    """Return the read whose lanes are strided along the last dimension; None if there is none."""
    lane = sums.axes[-1]
    assert isinstance(sums.body, Reduce)
    operands = reads(sums.body.body)
    strides = [
        walk.stride(lane)
        for walk in strided_accesses(sums.body.body, [*sums.axes, *sums.reduce_axes])
    ]
    if len(operands) != 2 or 0 not in strides:
        return None
    for read, stride in zip(operands, strides, strict=True):
        if isinstance(stride, int) and stride > 1:
            arithmetic = arithmetic_over([*sums.axes, *sums.reduce_axes])
            terms = arithmetic.affine(read.indices[-1]).terms
            positive = all(isinstance(atom, Axis) and k > 0 for atom, k in terms.items())
            return read if terms.get(lane) == stride and positive else None
    return None


def _dimension(
    arithmetic: Arithmetic, index: Scalar, lane: Axis, size: Dim, is_last: bool
) -> _Dimension:
    total = arithmetic.affine(index)
    if not all(isinstance(atom, Axis) and factor > 0 for atom, factor in total.terms.items()):
        return _Dimension(0, 1, size, 1, index)
    moving = {a: k for a, k in total.terms.items() if arithmetic.range_of(a) != (0, 0)}
    step = max(1, gcd(*moving.values()))
    terms = {atom: factor // step for atom, factor in moving.items()}
    place = arithmetic.scalar(Affine(terms, 0))
    count: Dim = 1
    for axis, factor in terms.items():
        assert isinstance(axis, Axis)
        count = count + (axis.extent - 1) * factor
    threads = terms.get(lane, 1) if is_last else 1
    return _Dimension(total.const, step, count, threads, place)


def _copy(tensor: Tensor, dimensions: Sequence[_Dimension], around: Computed | None) -> Computed:
    extents = [extent for dimension in dimensions for extent in dimension.extents]
    axes = tuple(Axis(f"p{k}", int64, extent) for k, extent in enumerate(extents))
    left, place, tests = list[Scalar](axes), list[Scalar](), list[Scalar]()
    for dimension, size in zip(dimensions, tensor.shape, strict=True):
        count = len(dimension.extents)
        parts, left = left[:count], left[count:]
        place.append(dimension.source(parts))
        tests += [place[-1] >= 0] if dimension.first < 0 else []
        tests += [place[-1] < size] if _is_beyond(dimension.end, size) else []
    value: Scalar = tensor[tuple(place)]
    if around is not None and tensor is around:
        value = substitute(around.body, dict(zip(around.axes, place, strict=True)))
    body = select(conjunction(tests), value, Const(0, tensor.dtype)) if tests else value
    return Computed(f"{tensor.name}_unwoven", tuple(extents), tensor.dtype, axes, body)


def _is_beyond(end: Dim, size: Dim) -> bool:
    """Whether a position may be greater than `size`, which may be symbolic."""
    room = size - end
    return not isinstance(room, int) or room < 0
