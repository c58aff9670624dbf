"""Operators by which sizes that are computed at run time become dimensions of types.

If the result of an operator has a data-dependent size, the size becomes a fresh dimension variable:
the operator `with_sizes(x, sizes)` returns `x`, and binds dimension variables to the elements of
`sizes`. Other operators, such as those below, compute these elements.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import ceil, isinf, isnan
from typing import ClassVar

import numpy as np

from relay.ir.dims import ANY, DimVar, Shape
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import ANYTHING, known_extents
from relay.ops.tensor.dim_arithmetic import require_integer
from relay.ops.tensor.loop_nests import fill, nest
from relay.ops.tensor.nondifferentiable import Discrete
from relay.support.dtype import float64, int32, int64, uint64


class SizedAtRunTime(OperatorDef):
    """The base of operators whose result has sizes that the argument types do not determine."""

    __slots__ = ()
    always_read: ClassVar[bool] = False
    """Whether `with_sizes` is used even if types determine all sizes."""

    @abstractmethod
    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr | None:
        """Return an equivalent call, whose unknown sizes are variables from `names`, or None."""


@operator("dyn.with_sizes")
class WithSizes(OperatorDef):
    """Return `x`, and bind the dimension variables `names` to the integers in `sizes`."""

    names: Shape = ()

    examples = (Example("f32[2, 3]", "i64[0]"),)

    @property
    def opened(self) -> Shape:
        """Return the dimension variables that the operator binds."""
        return self.names

    def infer(self, x: TensorType, sizes: TensorType) -> TensorType:
        require_integer(self.name, "sizes", sizes)
        bound = all(isinstance(name, DimVar) for name in self.names)
        checks.attribute(self.name, bound, "the names must be names of sizes")
        checks.rank(self.name, "sizes", sizes, 1)
        checks.size(self.name, "sizes", len(self.names), sizes.shape[0])
        return x

    def reference(self, x: Array, sizes: Array) -> Array:
        return x

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return d_out, None


@operator("dyn.resolved_shape")
class ResolvedShape(Discrete):
    """Return the shape that `newshape` describes for `shape`: 0 copies a size, -1 is inferred.

    With `allowzero`, 0 is a size. Both are vectors of integers; the result is int64.
    """

    allowzero: bool = False

    examples = (
        Example("i64[3]", "i64[2]", values={0: [2, -1, 3], 1: [4, 6]}),
        Example("i32[2]", "i64[3]", values={0: [0, -1], 1: [2, 3, 4]}),
        Example("i64[2]", "i64[1]", allowzero=True, values={0: [0, 5], 1: [0]}),
    )

    def infer(self, newshape: TensorType, shape: TensorType) -> TensorType:
        for name, ty in (("newshape", newshape), ("shape", shape)):
            checks.rank(self.name, name, ty, 1)
            require_integer(self.name, name, ty)
        return TensorType(newshape.shape, int64)

    def compute(self, newshape: te.Tensor, shape: te.Tensor) -> te.Tensor:
        """Return one store for each size: as choices of one formula, they would be nested."""
        count, known = len_of(newshape), len_of(shape)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (codes, sizes), (out,) = te.LoopBuilder(), inputs, outputs
            whole, part = b.cell(1, name="whole"), b.cell(1, name="part")
            for i in range(known):
                whole.value = whole.value * te.cast(sizes[i], int64)
            for i in range(count):
                code = te.cast(codes[i], int64)
                if i < known and not self.allowzero:
                    code = te.select(te.equal(code, 0), te.cast(sizes[i], int64), code)
                b.store(out, (i,), code)
                part.value = part.value * te.select(te.equal(out[i], -1), 1, out[i])
            rest = b.let(whole.value // te.maximum(part.value, 1), "rest")
            for i in range(count):
                b.store(out, (i,), te.select(te.equal(out[i], -1), rest, out[i]))
            return b.finish()

        return te.loops([((count,), int64)], [newshape, shape], build, "sizes")[0]

    def reference(self, newshape: Array, shape: Array) -> Array:
        sizes = [
            int(shape[i]) if code == 0 and not self.allowzero and i < len(shape) else int(code)
            for i, code in enumerate(newshape)
        ]
        part = int(np.prod([size for size in sizes if size != -1], dtype=np.int64))
        rest = int(np.prod(shape, dtype=np.int64)) // max(part, 1)
        return np.array([rest if size == -1 else size for size in sizes], np.int64)


@operator("dyn.places")
class Places(Discrete):
    """Return the indices of the nonzero elements, one row for each, and their number.

    The result has as many rows as `condition` has elements; rows without an index are zero. The
    indices are int32, and the number is a vector of one int64.
    """

    examples = (
        Example("f32[2, 3]", values={0: [[0, 1, 0], [2, 0, float("nan")]]}),
        Example("bool[4]"),
        Example("i64[]", values={0: 3}),
    )

    def infer(self, condition: TensorType) -> Type:
        checks.kind(self.name, "condition", condition, *ANYTHING)
        count = 1
        for size in condition.shape:
            count = count * size
        places = TensorType((ANY if count is ANY else count, condition.rank), int32)
        return TupleType((places, TensorType((1,), int64)))

    def compute(self, condition: te.Tensor) -> tuple[te.Tensor, ...]:
        count: te.Dim = 1
        for size in condition.shape:
            count = count * size

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            found, number = outputs
            fill(b, found, 0)
            total = b.cell(0, int64, "total")
            zero = te.const(0, condition.dtype)
            with nest(b, condition.shape) as i, b.if_(te.not_equal(inputs[0][i], zero)):
                for axis, index in enumerate(i):
                    b.store(found, (total.value, axis), te.cast(index, int32))
                total.value = total.value + 1
            b.store(number, (0,), total.value)
            return b.finish()

        shapes = [((count, len(condition.shape)), int32), ((1,), int64)]
        return te.loops(shapes, [condition], build, "places")

    def reference(self, condition: Array) -> tuple[Array, ...]:
        found = np.argwhere(condition).astype(np.int32)
        padding = ((0, condition.size - len(found)), (0, 0))
        return np.pad(found, padding), np.array([len(found)], np.int64)


@operator("dyn.range_length")
class RangeLength(Discrete):
    """Return the length of `arange` for these arguments, as a vector of one int64.

    It is -1, an invalid size, if the step is 0 or NaN; a length that exceeds 64 bits becomes the
    largest int64.
    """

    fusion = Fusion.OPAQUE  # sizes are computed separately from the tensors that have them
    examples = (
        Example("i64[]", "i64[]", "i64[]", values={0: 2, 1: 11, 2: 4}),
        Example("i32[]", "i32[]", "i32[]", values={0: 5, 1: -3, 2: -3}),
        Example("i64[]", "i64[]", "i64[]", values={0: 5, 1: 3, 2: 1}),
        Example("f32[]", "f32[]", "f32[]", values={0: 1.0, 1: -1.0, 2: -0.25}),
        Example("f64[]", "f64[]", "f64[]", values={0: 1.0, 1: 1.5, 2: 0.0}),
    )

    def infer(self, start: TensorType, stop: TensorType, step: TensorType) -> TensorType:
        checks.same_dtype(self.name, start, stop, step)
        for name, ty in (("start", start), ("stop", stop), ("step", step)):
            checks.rank(self.name, name, ty, 0)
        return TensorType((1,), int64)

    def compute(self, start: te.Tensor, stop: te.Tensor, step: te.Tensor) -> te.Tensor:
        length = _float_length if start.dtype.is_float else _whole_length
        return vector_of([length(start[()], stop[()], step[()])])

    def reference(self, start: Array, stop: Array, step: Array) -> Array:
        return np.array([range_length(start.item(), stop.item(), step.item())], np.int64)


def range_length(start: float, stop: float, step: float) -> int:
    """Return the number of elements of `arange(start, stop, step)`; -1 if it is undefined."""
    if not step or isnan(steps := (stop - start) / step):
        return -1
    if isinf(steps):
        return LARGEST if steps > 0 else 0
    exact = all(isinstance(each, int) for each in (start, stop, step))
    return min(LARGEST, max(0, int(-((start - stop) // step)) if exact else ceil(steps)))


LARGEST = 2**63 - 1
"""The largest size that can be represented; no tensor is that large."""


def _float_length(start: te.Scalar, stop: te.Scalar, step: te.Scalar) -> te.Scalar:
    first, last, by = (te.cast(each, float64) for each in (start, stop, step))
    steps = (last - first) / by
    none = te.equal(by, te.const(0, float64)) | te.isnan(steps)
    length = te.maximum(te.cast(te.ceil(steps), int64), te.const(0, int64))
    return te.select(none, te.const(-1, int64), length)


def _whole_length(start: te.Scalar, stop: te.Scalar, step: te.Scalar) -> te.Scalar:
    """Return the length of a range of integers, computed in unsigned integers.

    The distance of two int64 numbers may have 64 bits.
    """
    first, last, by = (te.cast(each, int64) for each in (start, stop, step))
    up = by > 0
    low, high = te.select(up, first, last), te.select(up, last, first)
    distance = te.cast(high, uint64) - te.cast(low, uint64)
    stride = te.maximum(te.cast(te.select(up, by, -by), uint64), te.const(1, uint64))
    steps = (distance - 1) // stride + 1
    most = te.cast(te.minimum(steps, te.const(LARGEST, uint64)), int64)
    length = te.select(low < high, most, te.const(0, int64))
    return te.select(te.equal(by, te.const(0, int64)), te.const(-1, int64), length)


def len_of(vector: te.Tensor) -> int:
    """Return the length of a vector of sizes, which must be static in a kernel (`T104`)."""
    (size,) = known_extents("a shape", vector)
    return size


def vector_of(values: Sequence[te.Scalar]) -> te.Tensor:
    """Return the formula of a vector with these elements."""

    def pick(at: te.Scalar) -> te.Scalar:
        found: te.Scalar = te.const(0, int64)
        for index, each in enumerate(values):
            found = te.select(te.equal(at, index), each, found)
        return found

    return te.compute([len(values)], pick, name="sizes")
