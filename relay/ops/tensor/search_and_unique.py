"""Operators that search: positions in sorted vectors, distinct values, nonzero elements."""

from collections.abc import Iterator, Sequence

import numpy as np

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.cast import Cast
from relay.ops.comparison import less
from relay.ops.creation import number, optional_dtype
from relay.ops.families import ANYTHING
from relay.ops.selection import where
from relay.ops.tensor.dim_arithmetic import require_integer, require_same_shape
from relay.ops.tensor.gather import TakeGrad
from relay.ops.tensor.loop_nests import fill, nest
from relay.ops.tensor.nondifferentiable import Discrete
from relay.ops.tensor.position_tensors import numbered
from relay.ops.tensor.run_time_sizes import Places, SizedAtRunTime, WithSizes
from relay.ops.tensor.sort import sortable
from relay.ops.tensor.sort_kernel import before, sort_line
from relay.ops.tensor.symbolic_slice import Part
from relay.support.dtype import DType, int32, int64
from relay.support.node import set_field


@operator("searchsorted")
class SearchSorted(Discrete):
    """Return the positions at which `values` can be inserted into an ascending sequence.

    `sorted_sequence` is a vector, or has the shape of `values` except along its last axis.
    Positions are before equal elements, or after them if `right`. The result has the shape of
    `values` and the type `dtype` (int32 by default).
    """

    right: bool = False
    dtype: DType = int32

    examples = (
        Example("f32[5]", "f32[2, 3]", values={0: [-1.0, 0.0, 0.0, 1.0, 2.0]}),
        Example(
            "i64[2, 4]", "i64[2, 3]", right=True, dtype="int64",
            values={0: [[1, 3, 3, 5], [0, 0, 0, 9]], 1: [[3, 0, 9], [0, 1, -1]]},
        ),
        Example("f64[0]", "f64[2]"),
        Example("f32[3]", "f32[]", values={0: [0.0, 1.0, 2.0]}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "right", bool(self.right))
        set_field(self, "dtype", optional_dtype(self.dtype) or int32)
        checks.index_dtype(self.name, self.dtype)

    def infer(self, sorted_sequence: TensorType, values: TensorType) -> TensorType:
        checks.same_dtype(self.name, sorted_sequence, values)
        checks.kind(self.name, "values", values, *ANYTHING)
        checks.attribute(
            self.name, sorted_sequence.rank > 0, "sorted_sequence must have at least one axis"
        )
        if sorted_sequence.rank > 1:
            require_same_shape(self.name, "values", sorted_sequence.shape[:-1], values.shape[:-1])
        return TensorType(values.shape, self.dtype)

    def compute(self, sorted_sequence: te.Tensor, values: te.Tensor) -> te.Tensor:
        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            with nest(b, values.shape) as i:
                outer = i[:-1] if len(sorted_sequence.shape) > 1 else ()
                self._bisect(b, inputs[0], outer, b.let(inputs[1][i], "wanted"), outputs[0], i)
            return b.finish()

        inputs = [sorted_sequence, values]
        return te.loops([(values.shape, self.dtype)], inputs, build, "searchsorted")[0]

    def _bisect(
        self,
        b: te.LoopBuilder,
        sequence: Buffer,
        outer: tuple[te.Scalar, ...],
        wanted: te.Scalar,
        out: Buffer,
        i: tuple[te.Scalar, ...],
    ) -> None:
        low, high = b.cell(0, int64, "low"), b.cell(sequence.shape[-1], int64, "high")
        with b.while_(low.value < high.value):
            middle = b.let((low.value + high.value) // 2, "middle")
            found = sequence[(*outer, middle)]
            ahead = before(found, wanted, ascending=True)
            behind = ~before(wanted, found, ascending=True) if self.right else ahead
            with b.if_(behind):
                low.value = middle + 1
            with b.else_():
                high.value = middle
        b.store(out, i, te.cast(low.value, out.dtype))

    def reference(self, sorted_sequence: Array, values: Array) -> Array:
        side = "right" if self.right else "left"
        sorted_sequence, values = sortable(sorted_sequence), sortable(values)
        if sorted_sequence.ndim == 1:
            return np.asarray(np.searchsorted(sorted_sequence, values, side), self.dtype.numpy)
        result = np.empty(values.shape, self.dtype.numpy)
        for row in np.ndindex(*values.shape[:-1]):
            result[row] = np.searchsorted(sorted_sequence[row], values[row], side)
        return result


@operator("unique")
class Unique(OperatorDef):
    """Return the distinct elements of a vector, with their first indices and counts.

    The result is `(unique, indices, inverse, num_unique)`, and `counts` with `return_counts`.

    `unique`, `indices` (of first occurrences) and `counts` have the length of `x`; only the first
    `num_unique` entries are valid, the others are 0. `inverse` maps each element of `x` to its
    index in `unique`. The order is ascending if `sorted`, else that of first occurrence; NaNs are
    one value.
    """

    sorted: bool = True
    return_counts: bool = False

    examples = (
        Example("i64[8]", domain=(0, 4)),
        Example("f32[6]", sorted=False, return_counts=True, values={0: [2, 1, 2, 0, 1, 2]}),
        Example("f64[0]", return_counts=True),
        Example("bool[3]"),
        Example("bf16[4]", values={0: [float("nan"), 1, float("nan"), 1]}, differentiable=False),
    )

    def __post_init__(self) -> None:
        set_field(self, "sorted", bool(self.sorted))
        set_field(self, "return_counts", bool(self.return_counts))

    def infer(self, x: TensorType) -> TupleType:
        checks.rank(self.name, "data", x, 1)
        checks.kind(self.name, "data", x, *ANYTHING)
        places, number = TensorType(x.shape, int32), TensorType((1,), int32)
        counts = (places,) if self.return_counts else ()
        return TupleType((x, places, places, number, *counts))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        kinds = [
            (x.shape, x.dtype),
            (x.shape, int32),
            (x.shape, int32),
            ((1,), int32),
            (x.shape, int32),
        ]

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            for out in outputs:
                fill(b, out, 0)
            group, first = self._group(b, inputs[0])
            self._number(b, inputs[0], outputs, group, first)
            return b.finish()

        return te.loops(kinds[: 5 if self.return_counts else 4], [x], build, "unique")

    def _group(self, b: te.LoopBuilder, x: Buffer) -> tuple[Buffer, Buffer]:
        """Return the number of each element's group of equal ones, and the first of each group.

        Groups are numbered in ascending order of their elements.
        """
        n = x.shape[0]
        group, first = b.scratch((n,), int64, "group"), b.scratch((n,), int64, "first")
        line = sort_line(b, lambda t: x[t], n, x.dtype, ascending=True)
        last = b.cell(-1, int64, "last")
        with b.for_(n, "t") as t:
            differs = before(line.key(t - 1), line.key(t), ascending=True)
            with b.if_(te.select(t > 0, differs, te.equal(t, 0))):
                last.value = last.value + 1
                b.store(first, (last.value,), line.place(t))
            b.store(group, (line.place(t),), last.value)
        return group, first

    def _number(
        self,
        b: te.LoopBuilder,
        x: Buffer,
        outputs: tuple[Buffer, ...],
        group: Buffer,
        first: Buffer,
    ) -> None:
        """Store the results; unless `sorted`, groups are renumbered in order of first occurrence.

        `group` has the number of each element's group, and `first` the first element of each group.
        """
        unique, indices, inverse, number = outputs[:4]
        names = b.scratch(group.shape, int64, "names")
        total = b.cell(0, int64, "total")
        with b.for_(group.shape[0], "i") as i:
            g = b.let(group[i], "g")
            with b.if_(te.equal(first[g], i)):
                b.store(names, (g,), g if self.sorted else total.value)
                b.store(unique, (names[g],), x[i])
                b.store(indices, (names[g],), te.cast(i, int32))
                total.value = total.value + 1
            b.store(inverse, (i,), te.cast(names[g], int32))
            for counts in outputs[4:]:
                b.store(counts, (names[g],), counts[names[g]] + 1)
        b.store(number, (0,), te.cast(total.value, int32))

    def reference(self, x: Array) -> tuple[Array, ...]:
        values, first, inverse, counts = np.unique(
            sortable(x), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.arange(len(values)) if self.sorted else np.argsort(first)
        names = np.argsort(order)
        parts = [x[first[order]], first[order].astype(np.int32)]
        padded = [np.pad(part, (0, len(x) - len(values))) for part in (*parts, counts[order])]
        number = np.array([len(values)], np.int32)
        found = (padded[0], padded[1], names[inverse].astype(np.int32), number)
        return (*found, padded[2].astype(np.int32)) if self.return_counts else found

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of each distinct element, for its first occurrence."""
        (x,) = call.args
        d_values = TupleGetItem(d_out, 0)
        places = Call(Cast(int64), (TupleGetItem(call, 1),))
        counted = less(numbered(x, 0), Call(Cast(int64), (TupleGetItem(call, 3),)))
        given = where(counted, d_values, number(0, d_values))
        return (Call(TakeGrad(), (given, places, x)),)


@operator("argwhere")
class ArgWhere(Discrete, SizedAtRunTime):
    """Return the indices (int32) of the nonzero elements, one row for each, in row-major order.

    Their number is known only at run time, so the result has shape `(?, rank)`.
    """

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3]", values={0: [[0, 1, 0], [2, 0, float("nan")]]}),
        Example("bool[4]"),
        Example("i64[]", values={0: 3}),
    )

    def infer(self, condition: TensorType) -> TensorType:
        checks.kind(self.name, "condition", condition, *ANYTHING)
        return TensorType((ANY, condition.rank), int32)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        found = Call(Places(), (args[0],))
        count = next(names)
        places = Call(WithSizes((count,)), (found[0], found[1]))
        return Call(Part((0,), (0,), (count,), (1,)), (places,))

    def reference(self, condition: Array) -> Array:
        return np.argwhere(condition).astype(np.int32)


@operator("invert_permutation")
class InvertPermutation(Discrete):
    """Return the inverse of the permutation `x`: the result at `x[i]` is `i`.

    `x` is a vector of n integers. Entries outside `0 … n-1` are ignored, and the result is 0 at
    positions that do not occur.
    """

    examples = (
        Example("i64[5]", values={0: [3, 4, 0, 2, 1]}),
        Example("i32[1]", values={0: [0]}),
        Example("i32[0]"),
    )

    def infer(self, x: TensorType) -> TensorType:
        checks.rank(self.name, "data", x, 1)
        require_integer(self.name, "data", x)
        return x

    def compute(self, x: te.Tensor) -> te.Tensor:
        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            fill(b, outputs[0], 0)
            with b.for_(x.shape[0], "i") as i:
                at = b.let(te.cast(inputs[0][i], int64), "at")
                with b.if_((at >= 0) & (at < x.shape[0])):
                    b.store(outputs[0], (at,), te.cast(i, x.dtype))
            return b.finish()

        return te.loops([(x.shape, x.dtype)], [x], build, "invert_permutation")[0]

    def reference(self, x: Array) -> Array:
        result = np.zeros_like(x)
        inside = (x >= 0) & (x < len(x))
        result[x[inside]] = np.arange(len(x), dtype=x.dtype)[inside]
        return result
