"""Operators that permute or reverse axes: `transpose`, `reverse`, `reverse_sequence`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched, shifted_axis
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import extents
from relay.ops.tensor.dim_arithmetic import ints, require_integer
from relay.ops.tensor.element_movement import Indices, move
from relay.support.dtype import int64
from relay.support.node import replace, set_field


@operator("transpose")
class Transpose(OperatorDef):
    """Permute the axes of `x`: axis `i` of the result is axis `axes[i]` of `x`; None reverses them.

    Negative axes count from the end. Takes any shape and element type.
    """

    axes: tuple[int, ...] | None = None

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 4]"),
        Example("f32[2, 3, 4]", axes=(0, 2, 1)),
        Example("i64[2, 3, 4, 5]", axes=(0, -1, 1, 2)),
        Example("bool[0, 3]", axes=(1, 0)),
        Example("f64[]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "axes", None if self.axes is None else ints(self.axes))

    def permutation(self, rank: int) -> tuple[int, ...]:
        """Return the permutation, with axes counted from the front (`T103`, `T104`)."""
        if self.axes is None:
            return tuple(reversed(range(rank)))
        found = tuple(checks.axis(self.name, axis, rank) for axis in self.axes)
        checks.attribute(
            self.name,
            sorted(found) == list(range(rank)),
            f"axes must list each of the {rank} axes once, not {self.axes}",
            "list every axis once, in the order of the result: axes=[0, 2, 1]",
        )
        return found

    def infer(self, x: TensorType) -> TensorType:
        return TensorType(tuple(x.shape[axis] for axis in self.permutation(x.rank)), x.dtype)

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether axes longer than 1 keep their order; axes of size 1 may move."""
        (x,) = types
        moved = [axis for axis in self.permutation(x.rank) if x.shape[axis] != 1]
        return moved == sorted(moved)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the permutation for a batch, which keeps the new first axis in place."""
        del mapped, size
        rank = types[0].rank if isinstance(types[0], TensorType) else 0
        axes = tuple(axis + 1 for axis in self.permutation(rank))
        return Batched(replace(self, axes=(0, *axes)))

    def compute(self, x: te.Tensor) -> te.Tensor:
        order = self.permutation(len(x.shape))
        inverse = inverted(order)
        return move(x, [extents(x)[axis] for axis in order], lambda i: [i[at] for at in inverse])

    def reference(self, x: Array) -> Array:
        return np.transpose(x, self.axes)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        order = self.permutation(call.args[0].tensor_type.rank)
        return (Call(Transpose(inverted(order)), (d_out,)),)


def inverted(order: Sequence[int]) -> tuple[int, ...]:
    """Return the inverse of the permutation `order`.

    >>> inverted((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(sorted(range(len(order)), key=order.__getitem__))


@operator("reverse")
class Reverse(OperatorDef):
    """Reverse the order of the elements of `x` along `axis`.

    Takes any element type, of rank 1 or more.
    """

    axis: int

    examples = (
        Example("f32[3, 4]", axis=0),
        Example("f64[3, 4]", axis=-1),
        Example("i64[1]", axis=0),
        Example("bool[2, 0]", axis=1),
    )

    def infer(self, x: TensorType) -> TensorType:
        checks.axis(self.name, self.axis, x.rank)
        return x

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the reversal of a batch: along the same axis, after the new first axis."""
        del types, mapped, size
        return Batched(replace(self, axis=shifted_axis(self.axis)))

    def compute(self, x: te.Tensor) -> te.Tensor:
        axis = self.axis % len(x.shape)
        last = x.shape[axis] - 1
        return move(x, extents(x), lambda i: [*i[:axis], last - i[axis], *i[axis + 1 :]])

    def reference(self, x: Array) -> Array:
        return np.flip(x, self.axis)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(self, (d_out,)),)


@operator("reverse_sequence")
class ReverseSequence(OperatorDef):
    """Reverse the first `seq_lengths[b]` elements along `seq_axis`, for each `b` of the batch.

    `x` has rank at least 2 and any dtype; `seq_lengths` is a vector of integers, one for each index
    along `batch_axis`. A length beyond the axis reverses all of it; lengths below 2 have no effect.
    """

    seq_axis: int = 1
    batch_axis: int = 0

    examples = (
        Example("f32[3, 4]", "i32[3]", values={1: [0, 2, 4]}),
        Example("i64[4, 2, 3]", "i64[3]", seq_axis=0, batch_axis=-1, values={1: [1, 9, 3]}),
    )

    def infer(self, x: TensorType, seq_lengths: TensorType) -> TensorType:
        sequence = checks.axis(self.name, self.seq_axis, x.rank)
        batch = checks.axis(self.name, self.batch_axis, x.rank)
        checks.attribute(self.name, sequence != batch, "seq_axis and batch_axis must differ")
        checks.rank(self.name, "seq_lengths", seq_lengths, 1)
        require_integer(self.name, "seq_lengths", seq_lengths)
        checks.size(self.name, "seq_lengths", x.shape[batch], seq_lengths.shape[0])
        return x

    def compute(self, x: te.Tensor, seq_lengths: te.Tensor) -> te.Tensor:
        sequence, batch = self.seq_axis % len(x.shape), self.batch_axis % len(x.shape)

        def source(i: Indices) -> Indices:
            length = te.minimum(te.cast(seq_lengths[i[batch]], int64), x.shape[sequence])
            at = te.select(i[sequence] < length, length - 1 - i[sequence], i[sequence])
            return [*i[:sequence], at, *i[sequence + 1 :]]

        return move(x, extents(x), source)

    def reference(self, x: Array, seq_lengths: Array) -> Array:
        shape = [1] * x.ndim
        shape[self.batch_axis] = -1
        length = np.minimum(seq_lengths.astype(np.int64), x.shape[self.seq_axis]).reshape(shape)
        shape[self.batch_axis], shape[self.seq_axis] = 1, -1
        position = np.arange(x.shape[self.seq_axis], dtype=np.int64).reshape(shape)
        source = np.where(position < length, length - 1 - position, position)
        return np.take_along_axis(x, np.broadcast_to(source, x.shape), self.seq_axis)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return Call(self, (d_out, call.args[1])), None
