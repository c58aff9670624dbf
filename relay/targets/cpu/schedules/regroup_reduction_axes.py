"""Regroups the axes of a reduction: splits blocked axes, and merges contiguous ones.

The index of a channel in a blocked tensor becomes two indices; the rows and columns of an image
without padding become one. Sums of products are computed over such axes; their readers use the
original axes.
"""

from collections.abc import Sequence

from relay.kernels.scalar import Scalar
from relay.kernels.schedule.iteration_state import rounded_up
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Dim, Read, Reduce
from relay.kernels.traverse_scalars import rewrite, substitute
from relay.support.dtype import int64
from relay.support.node import node, replace
from relay.targets.cpu.schedules.access_strides import (
    StridedAccess,
    arithmetic_over,
    blocks_along,
    fusable,
    strided_accesses,
    tested,
)
from relay.targets.cpu.schedules.rewrite_formulas import unravelled
from relay.targets.cpu.schedules.size_hints import exact_product


@node
class Regrouping:
    """A change of axes: each axis is split into blocks, and then adjacent parts are merged.

    `blocks` has a block size for each old axis (0: not split), `groups` the parts that each new
    axis merges, and `extents` the extents of the new axes.
    """

    blocks: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    extents: tuple[Dim, ...]

    def indices(self, old: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Return the indices after regrouping of the element at the indices `old`."""
        parts: list[Scalar] = []
        for index, block in zip(old, self.blocks, strict=True):
            parts += [index // block, index % block] if block else [index]
        return tuple(self._raveled(parts, group) for group in self.groups)

    def loops(self, stage: Stage, axes: Sequence[Axis]) -> list[Axis]:
        """Split and fuse the loops of a stage over the old axes; return one loop per new axis."""
        parts: list[Axis] = []
        for axis, block in zip(axes, self.blocks, strict=True):
            parts += stage.split(axis, block) if block else [axis]
        return [stage.fuse(*(parts[k] for k in group)) for group in self.groups]

    def _raveled(self, parts: Sequence[Scalar], group: Sequence[int]) -> Scalar:
        number = parts[group[0]]
        for k in group[1:]:
            number = number * self.extents[k] + parts[k]
        return number


def regrouped(tensor: Computed) -> tuple[Computed, Regrouping]:
    """Return a reduction over regrouped axes, so that operands have constant strides."""
    tensor = _with_blocked_sums(tensor)
    divided = blocks_along(tensor.body, (*tensor.axes, *tensor.reduce_axes))
    blocks = tuple(divided.get(axis, 0) for axis in tensor.axes)
    values: dict[Scalar, Scalar] = {}
    parts: list[Axis] = []
    for axis, block in zip(tensor.axes, blocks, strict=True):
        pieces = _cut(axis, block) if block else [axis]
        if block:
            values[axis] = pieces[0] * block + pieces[1]
        parts += pieces
    cut = _over(tensor, parts, values)
    groups = _groups(cut)
    axes: list[Axis] = []
    values = {}
    for group in groups:
        members = [parts[k] for k in group]
        axes.append(_merged(members))
        values |= dict(zip(members, unravelled(axes[-1], members), strict=True))
    extents = tuple(axis.extent for axis in parts)
    return _over(cut, axes, values), Regrouping(blocks, groups, extents)


def _cut(axis: Axis, block: int) -> list[Axis]:
    """Return an axis over the blocks of an axis, and one over the elements of a block."""
    outer = Axis(f"{axis.name}o", int64, rounded_up(axis.extent, block))
    return [outer, Axis(f"{axis.name}i", int64, block)]


def _with_blocked_sums(tensor: Computed) -> Computed:
    """Return a reduction whose reduction axes are split into blocks if an operand's are."""
    body = tensor.body
    assert isinstance(body, Reduce)
    values: dict[Scalar, Scalar] = {}
    axes: list[Axis] = []
    divided = blocks_along(tensor.body, (*tensor.axes, *tensor.reduce_axes))
    for axis in body.axes:
        block = divided.get(axis, 0)
        if block and axis.extent % block == 0:
            pieces = _cut(axis, block)
            values[axis] = pieces[0] * block + pieces[1]
            axes += pieces
        else:
            axes.append(axis)
    inner, where = (substitute(part, values) for part in body.parts)
    reduction = Reduce(body.combiner, inner, tuple(axes), where, body.dtype)
    return _over(replace(tensor, body=reduction), tensor.axes, {})


def _over(tensor: Computed, axes: Sequence[Axis], values: dict[Scalar, Scalar]) -> Computed:
    shape = tuple(axis.extent for axis in axes)
    simplify = arithmetic_over([*axes, *tensor.reduce_axes])

    def change(part: Scalar) -> Scalar:
        if isinstance(part, Read):
            return part.with_parts([simplify.index(index) for index in part.indices])
        return part

    body = rewrite(substitute(tensor.body, values), change, {})
    return replace(tensor, shape=shape, axes=tuple(axes), body=body)


def _merged(members: Sequence[Axis]) -> Axis:
    if len(members) == 1:
        return members[0]
    name = "".join(axis.name for axis in members)
    return Axis(name, int64, exact_product(axis.extent for axis in members))


def _groups(tensor: Computed) -> tuple[tuple[int, ...], ...]:
    accesses = strided_accesses(tensor.body, tensor.axes)
    fixed = tested(tensor.body)
    groups: list[list[int]] = []
    for k, axis in enumerate(tensor.axes):
        before = tensor.axes[k - 1]
        if groups and _joins(before, axis, accesses) and not {axis, before} & fixed:
            groups[-1].append(k)
        else:
            groups.append([k])
    return tuple(map(tuple, groups))


def _joins(outer: Axis, inner: Axis, accesses: Sequence[StridedAccess]) -> bool:
    return fusable(accesses, outer, inner) and all(
        access.moves(outer) == access.moves(inner) for access in accesses
    )


def reading(output: Computed, old: Computed, new: Computed, how: Regrouping) -> Computed:
    """Return `output` with reads of `old` replaced by reads of `new`, which `how` has regrouped."""

    def change(part: Scalar) -> Scalar:
        if isinstance(part, Read) and part.tensor is old:
            return new[how.indices(part.indices)]
        return part

    return replace(output, body=rewrite(output.body, change, {}))
