"""Analysis of the two operands of a sum of products: one in vectors, the other one broadcast."""

from dataclasses import field

from relay.kernels.te.tensor import Axis, Combiner, Computed, Reduce, Tensor
from relay.support.node import node, set_field
from relay.targets.cpu.schedules.access_strides import (
    NOWHERE,
    StridedAccess,
    reads,
    strided_accesses,
    tested,
    window_axes,
)


@node
class Operands:
    """The operands of a sum of products: along `lane`, `vector` is contiguous, `scalar` constant.

    In a sum with separate lanes (a depthwise convolution), both are contiguous. A pooling has no
    `vector`. Only the broadcast operand moves along the axes `rows`, only the vector operand along
    `columns`, the axis of lanes last; `windows` are those along which windows overlap, and `image`
    the columns among them without the lanes. The choice of a tile reads these for every candidate.
    """

    sums: Computed
    lane: Axis
    vector: StridedAccess
    scalar: StridedAccess
    scalar_tensor: Tensor
    vector_tensor: Tensor | None = None
    windows: frozenset[Axis] = field(init=False)
    rows: tuple[Axis, ...] = field(init=False)
    columns: tuple[Axis, ...] = field(init=False)
    image: tuple[Axis, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Find the axes along which the operands move."""
        axes, scalar, vector = self.sums.axes, self.scalar, self.vector
        windows = frozenset(window_axes(self.sums))
        columns = tuple(a for a in axes if vector.moves(a) and not scalar.moves(a))
        rows = tuple(a for a in axes[:-1] if scalar.moves(a) and not vector.moves(a))
        set_field(self, "windows", windows)
        set_field(self, "rows", rows)
        set_field(self, "columns", columns)
        set_field(self, "image", tuple(a for a in columns if a in windows and a is not self.lane))

    @property
    def in_lanes(self) -> bool:
        """Return whether both operands vary along the lanes, so that none is broadcast."""
        return self.scalar.moves(self.lane)

    def has_own_vectors(self, axis: Axis) -> bool:
        """Whether each iteration along an axis reads vectors that no other iteration reads."""
        return self.vector.moves(axis) and axis not in self.windows


def operands(sums: Computed) -> Operands | None:
    """Return the operands of a reduction; None unless they are a vector and a broadcast operand."""
    if not sums.axes or not isinstance(sums.body, Reduce):
        return None
    lane = sums.axes[-1]
    found = strided_accesses(sums.body.body, [*sums.axes, *sums.reduce_axes])
    if len(found) == 1 and found[0].stride(lane) == 1 and lane not in tested(sums.body.where):
        (read,) = reads(sums.body.body)
        return Operands(sums, lane, NOWHERE, found[0], read.tensor) if window_axes(sums) else None
    if len(found) != 2 or sums.body.combiner is not Combiner.SUM:
        return None
    strides = [one.stride(lane) for one in found]
    if strides == [1, 1]:  # separate lanes: the smaller operand is that of weights
        vector = min((0, 1), key=lambda k: found[k].elements)
    elif sorted(strides, key=str) == [0, 1]:
        vector = strides.index(1)
    else:
        return None
    tensors = [read.tensor for read in reads(sums.body.body)]
    scalar = tensors[1 - vector]
    return Operands(sums, lane, found[vector], found[1 - vector], scalar, tensors[vector])
