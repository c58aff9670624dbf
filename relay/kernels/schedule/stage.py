"""Stages: the loops that compute one tensor, and methods that rearrange them.

A stage starts with one loop for each axis of its tensor, then one for each axis of its reduction.
Every method changes the arrangement in place; code is generated only when the kernel is lowered.
"""

from collections.abc import Sequence
from typing import TypeAlias

from relay.kernels.loops import MemoryScope, Mode
from relay.kernels.scalar import Number, Scalar, lift
from relay.kernels.te.tensor import Axis, Computed, Dim, Reduce, Tensor
from relay.kernels.traverse_scalars import substitute
from relay.support.dtype import int64
from relay.support.node import node


@node
class Split:
    """The relation of loops after a split: `parent = outer * factor + inner`."""

    parent: Axis
    outer: Axis
    inner: Axis
    factor: int


@node
class Fuse:
    """The relation of loops after a fusion: `outer, inner = divmod(fused, extent of inner)`."""

    fused: Axis
    outer: Axis
    inner: Axis


Relation: TypeAlias = Split | Fuse


@node
class Attachment:
    """The place of a stage inside a consumer's loop over `axis`, or in all its loops if None."""

    consumer: "Stage"
    axis: Axis | None


class Stage:
    """The loops that compute one tensor, outermost first in `loops`.

    `axes` are those of the tensor and `reduce_axes` those of its reduction, before any split.
    `body` is the expression of an element, in which inlined tensors have been replaced. If the
    stage computes `others` as well (`Schedule.join`), it is a `Joint` of all expressions, that of
    `tensor` first.
    """

    def __init__(self, tensor: Computed, result: Tensor) -> None:
        self.tensor = result
        self.others: tuple[Tensor, ...] = ()
        self.name = tensor.name
        self.body = tensor.body
        self.axes = tensor.axes
        self.loops: list[Axis] = [*tensor.axes, *tensor.reduce_axes]
        self.relations: list[Relation] = []
        self.modes: dict[Axis, Mode] = {}
        self.grains: dict[Axis, tuple[Scalar, Scalar | None]] = {}
        self.backwards: dict[Axis, Scalar] = {}
        self.separate_tails: set[Axis] = set()
        self.attachment: Attachment | None = None
        self.scope = MemoryScope.SCRATCH

    @property
    def reduce_axes(self) -> tuple[Axis, ...]:
        """Return the axes of the reduction, none if there is no reduction."""
        return self.body.axes if isinstance(self.body, Reduce) else ()

    def formula_at(self, indices: Sequence[Scalar]) -> Scalar:
        """Return the expression for the element at some indices."""
        return substitute(self.body, dict(zip(self.axes, indices, strict=True)))

    def split(self, axis: Axis, factor: int) -> tuple[Axis, Axis]:
        """Replace a loop by two: over tiles of `factor` iterations, and over those of one tile.

        When `factor` does not divide the extent, the smaller last tile gets a separate copy of the
        code, so that full tiles need no tests.
        """
        assert factor >= 1, f"a tile of {factor}"
        outer = Axis(f"{axis.name}o", int64, _divided(axis.extent, factor))
        inner = Axis(f"{axis.name}i", int64, _limited(axis.extent, factor))
        self._replace([axis], [outer, inner])
        self.relations.append(Split(axis, outer, inner, factor))
        return outer, inner

    def fuse(self, *axes: Axis) -> Axis:
        """Replace adjacent loops by one loop over all their combinations, in row-major order."""
        fused = axes[0]
        for inner in axes[1:]:
            outer, fused = (
                fused,
                Axis(f"{fused.name}{inner.name}", int64, fused.extent * inner.extent),
            )
            self._replace([outer, inner], [fused])
            self.relations.append(Fuse(fused, outer, inner))
        return fused

    def reorder(self, *axes: Axis) -> None:
        """Reorder the given loops; loops that are not named stay in place."""
        places = sorted(self.loops.index(axis) for axis in axes)
        for place, axis in zip(places, axes, strict=True):
            self.loops[place] = axis

    def unroll(self, *axes: Axis) -> None:
        """Unroll these loops, whose extents must be constants."""
        self._set(Mode.UNROLL, axes)

    def vectorize(self, axis: Axis) -> None:
        """Run the iterations of a loop as vector lanes; it may have at most a vector's lanes."""
        self._set(Mode.VECTOR, [axis])

    def separate_tail(self, axis: Axis) -> None:
        """Generate code for each number of iterations of this loop in a smaller last tile.

        The stages inside the loop can then unroll their loops. Unrolled loops need no such request.
        """
        assert axis in self.loops, f"{self.name} has no loop {axis.name}"
        self.separate_tails.add(axis)

    def parallel(self, axis: Axis, grain: Number = 1, shared: Scalar | None = None) -> None:
        """Distribute a loop over threads; the loop must not be one of a reduction.

        A thread takes at least `grain` iterations, a number or an expression of run-time sizes.
        Threads share the loop only if the condition `shared` on these sizes holds.
        """
        self._set(Mode.PARALLEL, [axis])
        self.grains[axis] = lift(grain), shared

    def serialize(self) -> None:
        """Run all parallel loops on the calling thread instead."""
        self.modes = {axis: m for axis, m in self.modes.items() if m is not Mode.PARALLEL}

    def inside(self, axis: Axis | None) -> Axis | None:
        """Return the loop over an axis, or the fused loop with it as innermost part; else None."""
        for relation in self.relations:
            if isinstance(relation, Fuse) and relation.inner is axis:
                axis = relation.fused
        return axis if axis in self.loops else None

    def reverse(self, axis: Axis, condition: Scalar) -> None:
        """Run a loop from its end if a condition holds; it must not be one of a reduction."""
        assert axis in self.loops, f"{self.name} has no loop {axis.name}"
        self.backwards[axis] = condition

    def compute_at(self, consumer: "Stage", axis: Axis | None) -> None:
        """Compute, in each iteration of a consumer's loop, just the region that is needed there.

        The region is inferred from the consumer's reads, and the buffer is as large as the region.
        Without an axis, the stage is computed inside all loops of the consumer, which must not be a
        reduction.
        """
        assert axis in consumer.loops if axis is not None else not consumer.reduce_axes, (
            "no such loop"
        )
        self.attachment = Attachment(consumer, axis)

    def set_scope(self, scope: MemoryScope) -> None:
        """Set the memory of the tensor: `SCRATCH` (the default) or `REGISTER`.

        In registers, every loop that indexes it must be unrolled or vectorised.
        """
        self.scope = scope

    def _set(self, mode: Mode, axes: Sequence[Axis]) -> None:
        for axis in axes:
            assert axis in self.loops, f"{self.name} has no loop {axis.name}"
            self.modes[axis] = mode

    def _replace(self, old: Sequence[Axis], new: Sequence[Axis]) -> None:
        place = self.loops.index(old[0])
        found = tuple(self.loops[place : place + len(old)])
        assert found == tuple(old), f"{[a.name for a in old]} are not neighbouring loops"
        self.loops[place : place + len(old)] = new


def _divided(extent: Dim, factor: int) -> Dim:
    return -(-extent // factor) if isinstance(extent, int) else (extent + (factor - 1)) // factor


def _limited(extent: Dim, factor: int) -> Dim:
    return min(extent, factor) if isinstance(extent, int) else factor
