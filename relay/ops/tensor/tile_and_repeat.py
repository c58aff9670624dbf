"""The operators `tile` and `repeat`, which repeat tensors or their elements."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim, Shape, multiply, product, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.families import extents, type_of
from relay.ops.tensor.dim_arithmetic import dims
from relay.ops.tensor.element_movement import move, regroup
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.support.node import set_field


@operator("tile")
class Tile(OperatorDef):
    """Repeat `x` as a whole along each axis; `reps` has the numbers, aligned at the right.

    If there are more numbers than axes, axes of length 1 are prepended; if fewer, the first axes
    are unchanged. Takes any element type.
    """

    reps: Shape

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3]", reps=(2, 2)),
        Example("f64[2, 3]", reps=(2, 1, 3)),
        Example("i64[2, 3]", reps=2),
        Example("bool[]", reps=(2,)),
        Example("f32[2]", reps=(0,)),
    )

    def __post_init__(self) -> None:
        set_field(self, "reps", dims(self.reps))
        checks.natural("tile", "a number of repetitions", *self.reps)

    def infer(self, x: TensorType) -> TensorType:
        rank = max(x.rank, len(self.reps))
        shape = (1,) * (rank - x.rank) + x.shape
        reps = (1,) * (rank - len(self.reps)) + self.reps
        sizes: list[Dim] = [multiply(a, b) for a, b in zip(shape, reps, strict=True)]
        return TensorType(tuple(sizes), x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        shape = self.infer(type_of(x)).shape
        new = len(shape) - len(x.shape)

        def one(index: te.Scalar, size: Dim, whole: Dim) -> te.Scalar:
            return index if size == whole else te.const(0) if size == 1 else index % size

        return move(x, shape, lambda i: list(map(one, i[new:], extents(x), shape[new:])))

    def reference(self, x: Array) -> Array:
        return np.tile(x, static(self.reps))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        shape = call.args[0].tensor_type.shape
        new = d_out.tensor_type.rank - len(shape)
        old = (1,) * new + shape
        reps = (1,) * (len(old) - len(self.reps)) + self.reps
        pairs = [each for pair in zip(reps, old, strict=True) for each in pair]
        kept = [each for size in old for each in (1, size)]
        return (_summed(d_out, call.args[0], pairs, kept),)


@operator("repeat")
class Repeat(OperatorDef):
    """Repeat each element of `x` `repeats` times along `axis`; for None, `x` is flattened first.

    Takes any element type; if an axis is given, of rank 1 or more.
    """

    repeats: int
    axis: int | None = None

    examples = (
        Example("f32[2, 3]", repeats=2, axis=1),
        Example("i64[2, 3]", repeats=3, axis=-2),
        Example("f64[2, 3]", repeats=2),
        Example("bool[2]", repeats=0, axis=0),
        Example("f32[]", repeats=2),
    )

    def __post_init__(self) -> None:
        checks.attribute("repeat", self.repeats >= 0, "repeats cannot be negative")

    def infer(self, x: TensorType) -> TensorType:
        if self.axis is None:
            return TensorType((multiply(product(x.shape), self.repeats),), x.dtype)
        at = checks.axis(self.name, self.axis, x.rank)
        size = multiply(x.shape[at], self.repeats)
        return TensorType((*x.shape[:at], size, *x.shape[at + 1 :]), x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        shape = self.infer(type_of(x)).shape
        if self.axis is None:
            old = extents(x)
            flat = [product(old)]
            return move(x, shape, lambda i: regroup(flat, old, [i[0] // self.repeats]))
        at = self.axis % len(x.shape)
        return move(x, shape, lambda i: [*i[:at], i[at] // self.repeats, *i[at + 1 :]])

    def reference(self, x: Array) -> Array:
        return np.repeat(x, self.repeats, self.axis)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        x = call.args[0]
        shape = x.tensor_type.shape
        at = -1 if self.axis is None else self.axis
        place = checks.axis(self.name, at, len(shape)) + 1 if shape else 0
        pairs = (*shape[:place], self.repeats, *shape[place:])
        kept = (*shape[:place], 1, *shape[place:])
        return (_summed(d_out, x, pairs, kept),)


def _summed(d_out: Expr, x: Expr, pairs: Sequence[Dim], kept: Sequence[Dim]) -> Expr:
    """Return the derivative by `x`: `d_out`, summed over the repetitions.

    The shape `pairs` of `d_out` has separate axes for the repetitions; in `kept`, these axes have
    size 1.
    """
    apart = Call(Reshape(tuple(pairs), allowzero=True), (d_out,))
    like = Call(Reshape(tuple(kept), allowzero=True), (x,))
    return reshape_to(sum_to_shape_of(apart, like), x)
