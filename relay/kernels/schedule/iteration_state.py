"""The iteration state of a stage while its loops are written: values and ranges of axes."""

from collections.abc import Mapping

from relay.kernels.scalar import Const, Scalar
from relay.kernels.schedule.stage import Fuse, Relation, Split, Stage
from relay.kernels.te.tensor import Axis, Dim
from relay.support.node import node, replace


@node
class Span:
    """A range of indices of one axis: `low`, …, `low + extent - 1`."""

    low: Scalar
    extent: Dim


class AxisRelations:
    """The split and fuse relations between the axes of one stage."""

    def __init__(self, stage: Stage) -> None:
        self.made_by: dict[Axis, Relation] = {}
        self.became: dict[Axis, Relation] = {}
        for relation in stage.relations:
            match relation:
                case Split(parent=parent, outer=outer, inner=inner):
                    self.became[parent] = relation
                    self.made_by[outer] = self.made_by[inner] = relation
                case Fuse(fused=fused, outer=outer, inner=inner):
                    self.became[outer] = self.became[inner] = relation
                    self.made_by[fused] = relation

    def loops(self, axis: Axis) -> list[Axis]:
        """Return the loops that together iterate over an axis."""
        match self.became.get(axis):
            case Split(outer=outer, inner=inner):
                return [*self.loops(outer), *self.loops(inner)]
            case Fuse(fused=fused):
                return self.loops(fused)
            case None:
                return [axis]

    def lanes(self, axis: Axis, extent: Dim) -> int:
        """Return the number of vector lanes of a loop with `extent` iterations.

        If a split created the loop, it is the factor of the split; otherwise it is the smallest
        power of two that is not below the extent.
        """
        match self.made_by.get(axis):
            case Split(inner=inner, factor=factor) if inner is axis:
                return factor
            case _:
                most = extent if isinstance(extent, int) else axis.extent
                assert isinstance(most, int), f"split {axis.name} before it is vectorised"
                return 1 << (most - 1).bit_length()


@node
class Iteration:
    """The state of one stage's loops at the point where code is written.

    `spans` is the computed region of the tensor, and `values` the values of the loops entered so
    far. If the number of iterations of a loop depends on other loops, the code may distinguish
    cases. In the current case, `extents` holds the extents of such loops, `settled` the splits that
    need no further distinction, `ranges` the first and the last value of an axis, and `names` the
    variable or the number that represents the axis.
    """

    relations: AxisRelations
    spans: Mapping[Axis, Span]
    values: Mapping[Axis, Scalar]
    extents: Mapping[Axis, Dim]
    settled: frozenset[Split]
    ranges: Mapping[Axis, tuple[Dim, Dim]]
    names: Mapping[Axis, Scalar]

    def enter(self, axis: Axis, value: Scalar) -> "Iteration":
        """Return the state inside the loop over `axis`."""
        return replace(self, values={**self.values, axis: value})

    def settle(self, split: Split, extents: Mapping[Axis, Dim]) -> "Iteration":
        """Return the state in which the loops of a split have the given extents."""
        decided = {**self.extents, **extents}
        return replace(self, extents=decided, settled=self.settled | {split})

    def within(self, axis: Axis, first: Dim, last: Dim) -> "Iteration":
        """Return the state of a case in which an axis runs only from `first` to `last`."""
        return replace(self, ranges={**self.ranges, axis: (first, last)})

    def call(self, axis: Axis, name: Scalar) -> "Iteration":
        """Return the state in which `name`, a variable or a number, is the value of an axis."""
        return replace(self, names={**self.names, axis: name})

    def extent(self, axis: Axis) -> Dim:
        """Return an axis's number of values, or an upper bound of it while splits are undecided."""
        if axis in self.extents:
            return self.extents[axis]
        match self.relations.made_by.get(axis):
            case Split(parent=parent, outer=outer, factor=factor):
                whole = self.extent(parent)
                if axis is outer:
                    return rounded_up(whole, factor)
                return min(whole, factor) if isinstance(whole, int) else factor
            case Fuse(outer=outer, inner=inner):
                return self.extent(outer) * self.extent(inner)
            case None:
                return self.spans[axis].extent

    def is_known(self, axis: Axis) -> bool:
        """Whether all loops over an axis have been entered, except those with one iteration."""
        loops = self.relations.loops(axis)
        return all(loop in self.values or self.extent(loop) == 1 for loop in loops)

    def is_untouched(self, axis: Axis) -> bool:
        """Whether no loop over an axis has been entered yet."""
        return not any(loop in self.values for loop in self.relations.loops(axis))

    def untouched(self, axis: Axis) -> list[Axis]:
        """Return the axes derived from `axis` over which no loop has been entered yet.

        If this is the case for an axis and the axes derived from it, only the former is returned:
        its extent is known best.
        """
        if self.is_untouched(axis):
            return [axis]
        match self.relations.became.get(axis):
            case Split(outer=outer, inner=inner):
                return [*self.untouched(outer), *self.untouched(inner)]
            case Fuse(fused=fused):
                return self.untouched(fused)
            case None:
                return []

    def offset(self, axis: Axis, others: Mapping[Axis, Scalar]) -> Scalar:
        """Return an axis's position, counted from 0, in terms of the loops entered so far.

        `others` has the values of axes that are not entered yet.
        """
        known = others.get(axis, self.names.get(axis))
        if known is not None:
            return known
        match self.relations.became.get(axis):
            case Split(outer=outer, inner=inner, factor=factor):
                return self.offset(outer, others) * factor + self.offset(inner, others)
            case Fuse(fused=fused, outer=outer, inner=inner):
                both = self.offset(fused, others)
                if self.extent(outer) == 1:  # no remainder: a tile past the end stays a range
                    return Const(0) if axis is outer else both
                count = self.extent(inner)
                return both // count if axis is outer else both % count
            case None if axis in self.values:
                return self.values[axis]
            case None:
                assert self.extent(axis) == 1, f"the loop over {axis.name} was not entered"
                return Const(0)

    def position(self, axis: Axis, others: Mapping[Axis, Scalar]) -> Scalar:
        """Return the index of an axis of the tensor or of its reduction."""
        span = self.spans.get(axis)
        offset = self.offset(axis, others)
        return offset if span is None else span.low + offset


def rounded_up(extent: Dim, factor: int) -> Dim:
    """Return the number of tiles of `factor` that cover an extent."""
    return -(-extent // factor) if isinstance(extent, int) else (extent + (factor - 1)) // factor


def whole(axis: Axis) -> Span:
    """Return the span of all indices of an axis."""
    return Span(Const(0), axis.extent)
