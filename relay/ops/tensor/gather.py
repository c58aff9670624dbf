"""Gather operators, which read elements at indices in a tensor, and their derivatives.

Negative indices count from the end, and indices that are still out of range trap (`R056`); for
`take`, this depends on its `mode`.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched, shifted_axis
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import NUMBERS, extents
from relay.ops.tensor.dim_arithmetic import (
    require_integer,
    require_no_longer,
    require_nonempty_where_read,
    require_same_shape,
)
from relay.ops.tensor.element_movement import Indices, regroup
from relay.ops.tensor.gather_kernel import (
    Elements,
    Sizes,
    add_at_positions_read,
    added_at_positions_read,
    read,
)
from relay.ops.tensor.index_bounds import MODES, checked_index, checked_indices, inside_only
from relay.support.node import replace, value


@value
class Taking(OperatorDef):
    """The base of `take` and its derivative: it computes the position of each read."""

    argument_read: ClassVar[int] = 0
    """The index of the argument with the axis in which the indices count."""

    batch_dims: int = 0
    axis: int | None = None
    mode: str = "clip"

    def __post_init__(self) -> None:
        checks.attribute(self.name, self.mode in MODES, f"mode must be one of {MODES}")

    @property
    def may_trap(self) -> bool:
        """Whether an index that is out of range traps."""
        return self.mode == "raise"

    def may_trap_on(self, args: Sequence[Expr]) -> bool:
        """Whether an index may be out of range: constants are compared with a known size."""
        indices, shape = args[1], args[self.argument_read].tensor_type.shape
        size = product(shape) if self.axis is None else shape[self.axis]
        if not self.may_trap or not isinstance(indices, Constant) or not isinstance(size, int):
            return self.may_trap
        return bool(inside_only(indices.array, size)[1].any())

    def batch(self, rank: int) -> int:
        """Return the number of axes common to both arguments, for indices of rank `rank`."""
        batch = self.batch_dims + rank if self.batch_dims < 0 else self.batch_dims
        fits = 0 <= batch <= rank
        checks.attribute(
            self.name, fits, f"batch_dims is {self.batch_dims}, but the tensor has only {rank} axes"
        )
        return batch

    def source(self, shape: Sizes, indices: Elements, i: Indices) -> Indices:
        """Return the position, in a tensor of shape `shape`, that result element `i` reads."""
        if self.axis is None:
            size = product(shape)
            return regroup([size], shape, [checked_index(indices[tuple(i)], size, 0, self.mode)])
        axis, batch = self.axis % len(shape), self.batch(len(indices.shape))
        inner = len(indices.shape) - batch
        index = indices[(*i[:batch], *i[axis : axis + inner])]
        return [*i[:axis], checked_index(index, shape[axis], axis, self.mode), *i[axis + inner :]]


@operator("take")
class Take(Taking):
    """Read `x` at `indices` along `axis`, or in the flattened `x` if `axis` is None.

    The result has shape `x[:axis] + indices[batch_dims:] + x[axis+1:]`; the first `batch_dims` axes
    are common to both. `mode` handles indices out of range: "clip" clamps them, "wrap" takes them
    modulo the size, "fast" assumes that there are none (but still clamps them), "raise" counts
    negative ones from the end and traps for the others. Takes any element type, and integer
    indices.
    """

    picks = True
    precision = Precision.FOLLOW
    examples = (
        Example("f32[5, 3]", "i64[2, 2]", axis=0, values={1: [[0, 4], [2, 2]]}),
        Example("f32[5, 3]", "i32[3]", axis=-1, values={1: [-1, 2, 7]}),
        Example("f32[5, 3]", "i32[3]", axis=1, mode="wrap", values={1: [-1, 2, 7]}),
        Example("f64[2, 3]", "i64[4]", values={1: [0, 5, 3, 3]}),
        Example("i64[4]", "u8[]", axis=0, values={1: 3}),
        Example("f32[2, 5, 3]", "i32[2, 4]", axis=1, batch_dims=1, domain=(0, 5)),
        Example("bool[3]", "i32[0]", axis=0, mode="fast"),
        Example("f32[5, 3]", "i32[4]", axis=0, mode="raise", values={1: [-1, 2, -5, 4]}),
        Example("f32[5]", "u64[2]", axis=0, values={1: [2**64 - 1, 2**63]}),
    )

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        require_integer(self.name, "indices", indices)
        if self.axis is None:
            if not self.may_trap:
                require_nonempty_where_read(self.name, x.shape, indices.shape)
            return TensorType(indices.shape, x.dtype)
        axis = checks.axis(self.name, self.axis, x.rank)
        batch = self.batch(indices.rank)
        checks.attribute(
            self.name, batch <= axis, f"batch_dims, {batch}, must not be greater than axis, {axis}"
        )
        require_same_shape(
            self.name, "sizes of the batch axes", x.shape[:batch], indices.shape[:batch]
        )
        if not self.may_trap:
            require_nonempty_where_read(self.name, [x.shape[axis]], indices.shape)
        shape = (*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :])
        return TensorType(shape, x.dtype)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the reads for a batch: one `take` or, if `x` is batched, one for each element."""
        data = types[0]
        if self.axis is None or not isinstance(data, TensorType):
            return None if mapped[0] else Batched(self)
        if mapped[0]:
            indices = types[1]
            assert isinstance(indices, TensorType)
            batch = self.batch(indices.rank) + 1 if mapped[1] else 0
            if self.batch_dims and not mapped[1]:
                return None
            return Batched(replace(self, axis=shifted_axis(self.axis), batch_dims=batch))
        return Batched(self) if self.axis % data.rank == 0 else None

    def compute(self, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
        return read(self, x, indices)

    def reference(self, x: Array, indices: Array) -> Array:
        if self.axis is None:
            return np.asarray(x.reshape(-1)[checked_indices(indices, x.size, 0, self.mode)])
        axis, batch = self.axis % x.ndim, self.batch(indices.ndim)
        shape = (*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :])
        if 0 in shape:
            return np.empty(shape, x.dtype)
        at = checked_indices(indices, x.shape[axis], axis, self.mode)
        if batch == 0:
            return np.asarray(np.take(x, at, axis))
        result = np.empty(shape, x.dtype)
        for each in np.ndindex(*x.shape[:batch]):
            result[each] = np.take(x[each], at[each], axis - batch)
        return result

    def partial_reference(self, x: Array, indices: Array) -> tuple[Array, Array] | None:
        axis = 0 if self.axis is None else self.axis % x.ndim
        size = x.size if self.axis is None else x.shape[axis]
        if not self.may_trap or size == 0:
            return None
        at, outside = inside_only(indices, size)
        result = self.reference(x, at)
        if self.axis is None:
            return result, outside
        batch = self.batch(indices.ndim)
        before, after = (1,) * (axis - batch), (1,) * (x.ndim - axis - 1)
        shape = (*outside.shape[:batch], *before, *outside.shape[batch:], *after)
        return result, np.broadcast_to(outside.reshape(shape), result.shape)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        back = TakeGrad(self.batch_dims, self.axis, self.mode)
        return Call(back, (d_out, call.args[1], call.args[0])), None


@operator("take_grad")
class TakeGrad(Taking):
    """Add each element of `d` at the position that `take` reads, to zeros shaped as `like`."""

    argument_read = 2
    examples = (
        Example("f32[2, 2, 3]", "i64[2, 2]", "f32[5, 3]", axis=0, values={1: [[0, 4], [2, 2]]}),
        Example("f64[5, 2]", "i32[2]", "f64[5, 3]", axis=-1, mode="wrap", values={1: [-1, 7]}),
        Example("f32[4]", "i64[4]", "f32[2, 3]", values={1: [0, 9, 3, 3]}),
    )

    def infer(self, d: TensorType, indices: TensorType, like: TensorType) -> TensorType:
        forward = Take(self.batch_dims, self.axis, self.mode)
        checks.kind(self.name, "d", d, *NUMBERS)
        checks.same_dtype(self.name, d, like)
        require_same_shape(self.name, "d", forward.infer(like, indices).shape, d.shape)
        return like

    def compute(self, d: te.Tensor, indices: te.Tensor, like: te.Tensor) -> te.Tensor:
        return add_at_positions_read(self, d, indices, extents(like))

    def reference(self, d: Array, indices: Array, like: Array) -> Array:
        forward = Take(self.batch_dims, self.axis, self.mode)
        return added_at_positions_read(forward, d, indices, like)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        forward = Take(self.batch_dims, self.axis, self.mode)
        return Call(forward, (d_out, call.args[1])), None, None


@value
class Gathering(OperatorDef):
    """The base of `gather` and its derivative: it computes the position of each read."""

    axis: int

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because an index may be out of range."""
        return True

    def source(self, shape: Sizes, indices: Elements, i: Indices) -> Indices:
        """Return the position, in a tensor of shape `shape`, that result element `i` reads."""
        axis = self.axis % len(shape)
        return [*i[:axis], checked_index(indices[tuple(i)], shape[axis], axis), *i[axis + 1 :]]


@operator("gather")
class Gather(Gathering):
    """Read `x` at indices along `axis`: for axis 0, `out[i, j] = x[indices[i, j], j]`.

    `indices` has the rank of `x`, and is not longer than `x` along the other axes. Takes any
    element type.
    """

    picks = True
    examples = (
        Example("f32[3, 4]", "i64[2, 4]", axis=0, values={1: [[0, 1, 2, 0], [-1, 2, 2, 1]]}),
        Example("i32[3, 4]", "i32[3, 2]", axis=-1, values={1: [[0, 3], [-4, -1], [2, -2]]}),
        Example("f64[3]", "i64[0]", axis=0),
    )

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        require_integer(self.name, "indices", indices)
        checks.rank(self.name, "indices", indices, x.rank)
        axis = checks.axis(self.name, self.axis, x.rank)
        require_no_longer(self.name, indices.shape, x.shape, axis)
        return TensorType(indices.shape, x.dtype)

    def compute(self, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
        return read(self, x, indices)

    def reference(self, x: Array, indices: Array) -> Array:
        axis = self.axis % x.ndim
        at = list(np.meshgrid(*map(np.arange, indices.shape), indexing="ij"))
        at[axis] = checked_indices(indices, x.shape[axis], axis)
        return x[tuple(at)]

    def partial_reference(self, x: Array, indices: Array) -> tuple[Array, Array] | None:
        at, outside = inside_only(indices, x.shape[self.axis % x.ndim])
        return None if 0 in x.shape else (self.reference(x, at), outside)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return Call(GatherGrad(self.axis), (d_out, call.args[1], call.args[0])), None


@operator("gather_grad")
class GatherGrad(Gathering):
    """Add each element of `d` at the position that `gather` reads, to zeros shaped as `like`."""

    examples = (
        Example(
            "f32[3, 2]", "i32[3, 2]", "f32[3, 4]", axis=-1, values={1: [[0, 3], [-4, -1], [2, 2]]}
        ),
    )

    def infer(self, d: TensorType, indices: TensorType, like: TensorType) -> TensorType:
        checks.kind(self.name, "d", d, *NUMBERS)
        checks.same_dtype(self.name, d, like)
        require_same_shape(self.name, "d", Gather(self.axis).infer(like, indices).shape, d.shape)
        return like

    def compute(self, d: te.Tensor, indices: te.Tensor, like: te.Tensor) -> te.Tensor:
        return add_at_positions_read(self, d, indices, extents(like))

    def reference(self, d: Array, indices: Array, like: Array) -> Array:
        return added_at_positions_read(Gather(self.axis), d, indices, like)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return Call(Gather(self.axis), (d_out, call.args[1])), None, None


@value
class GatheringND(OperatorDef):
    """The base of `gather_nd` and its derivative: it computes the position of each read."""

    batch_dims: int = 0
    index_rank: int | None = None

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because an index may be out of range."""
        return True

    def source(self, shape: Sizes, indices: Elements, i: Indices) -> Indices:
        """Return the position, in a tensor of shape `shape`, that result element `i` reads."""
        batch, outer, depth = self.batch_dims, len(indices.shape) - 1, indices.shape[0]
        assert isinstance(depth, int)
        found = [indices[(te.const(k), *i[:outer])] for k in range(depth)]
        sizes = shape[batch : batch + depth]
        axes = range(batch, batch + depth)
        read = [checked_index(*each) for each in zip(found, sizes, axes, strict=True)]
        return [*i[:batch], *read, *i[outer:]]


@operator("gather_nd")
class GatherND(GatheringND):
    """Read `x` at tuples of indices, which are along the *first* axis of `indices`.

    With M indices in a tuple, the result has shape `indices.shape[1:] + x.shape[batch_dims+M:]`;
    the first `batch_dims` axes of `x` match the first axes after the tuple. `index_rank` is an
    upper bound of M if M is not static. Takes any element type.
    """

    picks = True
    examples = (
        Example("f32[3, 4, 2]", "i64[2, 5]", values={1: [[0, 1, 2, -1, -3], [3, 0, 1, -4, 1]]}),
        Example("f32[3, 4]", "i32[1, 2, 2]", values={1: [[[0, 2], [1, 1]]]}),
        Example("f64[2, 4, 3]", "i64[1, 2]", batch_dims=1, values={1: [[3, 0]]}),
        Example("i64[3]", "i32[1, 0]"),
        Example("f32[3]", "i32[0, 2]"),
    )

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        require_integer(self.name, "indices", indices)
        checks.attribute(
            self.name,
            indices.rank > 0,
            "indices must have a first axis, along which the index of each axis is listed",
        )
        depth, batch = indices.shape[0], self.batch_dims
        checks.attribute(
            self.name,
            isinstance(depth, int),
            "the first axis of indices must have a size known at compile time",
        )
        used = batch + (depth if isinstance(depth, int) else 0)
        checks.attribute(
            self.name,
            0 <= batch < indices.rank,
            f"batch_dims is {batch}, but there are {indices.rank - 1} axes after the tuple",
        )
        checks.attribute(
            self.name,
            used <= x.rank,
            f"indices and batch_dims select along {used} axes, but the tensor has {x.rank}",
        )
        require_same_shape(
            self.name, "sizes of the batch axes", x.shape[:batch], indices.shape[1 : batch + 1]
        )
        return TensorType((*indices.shape[1:], *x.shape[used:]), x.dtype)

    def compute(self, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
        return read(self, x, indices)

    def reference(self, x: Array, indices: Array) -> Array:
        outer = np.indices(indices.shape[1:])[: self.batch_dims]
        shape = (*indices.shape[1:], *x.shape[self.batch_dims + len(indices) :])
        if 0 in shape:
            return np.empty(shape, x.dtype)
        axes = range(self.batch_dims, x.ndim)
        read = [
            checked_indices(one, x.shape[at], at) for one, at in zip(indices, axes, strict=False)
        ]
        return np.broadcast_to(x[(*outer, *read)], shape)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        back = GatherNDGrad(self.batch_dims, self.index_rank)
        return Call(back, (d_out, call.args[1], call.args[0])), None


@operator("gather_nd_grad")
class GatherNDGrad(GatheringND):
    """Add each element of `d` at the position that `gather_nd` reads, to zeros shaped as `like`."""

    examples = (
        Example("f32[3, 2]", "i64[2, 3]", "f32[3, 4, 2]", values={1: [[0, 0, 2], [3, 3, -4]]}),
        Example("f64[2, 3]", "i64[1, 2]", "f64[2, 4, 3]", batch_dims=1, values={1: [[3, 0]]}),
    )

    def infer(self, d: TensorType, indices: TensorType, like: TensorType) -> TensorType:
        checks.kind(self.name, "d", d, *NUMBERS)
        checks.same_dtype(self.name, d, like)
        require_same_shape(
            self.name, "d", GatherND(self.batch_dims).infer(like, indices).shape, d.shape
        )
        return like

    def compute(self, d: te.Tensor, indices: te.Tensor, like: te.Tensor) -> te.Tensor:
        return add_at_positions_read(self, d, indices, extents(like))

    def reference(self, d: Array, indices: Array, like: Array) -> Array:
        return added_at_positions_read(GatherND(self.batch_dims), d, indices, like)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return Call(GatherND(self.batch_dims), (d_out, call.args[1])), None, None
