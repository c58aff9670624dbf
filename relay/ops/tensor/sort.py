"""Operators that sort: `sort`, `argsort` and `topk`.

NaN is last in ascending order, and first in descending order, which is the exact mirror image. Both
orders are stable.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation, constrain
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.creation import optional_dtype
from relay.ops.families import ANYTHING, extents
from relay.ops.tensor.dim_arithmetic import dims
from relay.ops.tensor.gather import GatherGrad
from relay.ops.tensor.heap_kernel import select_with_heap
from relay.ops.tensor.loop_nests import rows
from relay.ops.tensor.nondifferentiable import Discrete
from relay.ops.tensor.sort_kernel import SELECT_AT_MOST, SortedLine, select_line, sort_line
from relay.support.dtype import DType, dtype, int32
from relay.support.node import set_field, value

Emit = Callable[[te.LoopBuilder, SortedLine, tuple[te.Scalar, ...], tuple[te.Scalar, ...]], None]


@value
class Ordering(OperatorDef):
    """The base of operators that sort each line along `axis`, ascending or descending."""

    axis: int = -1
    is_ascend: bool = True

    def infer(self, x: TensorType) -> TensorType:
        """Return the type of the argument, after checking the axis."""
        checks.axis(self.name, self.axis, x.rank)
        checks.kind(self.name, "data", x, *ANYTHING)
        return x

    def places(self, x: Array) -> npt.NDArray[np.int64]:
        """Return, for each position of the sorted lines, the index of its element in `x`."""
        return order(x, self.axis, ascending=self.is_ascend)


def order(x: Array, axis: int, *, ascending: bool) -> npt.NDArray[np.int64]:
    """Return the indices that sort each line of an array along `axis`, stably."""
    x = sortable(x)
    if ascending:
        return np.argsort(x, axis, kind="stable")
    mirrored = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return x.shape[axis] - 1 - mirrored


def sortable(x: Array) -> Array:
    """Return floats of 16 bits or less as float32, because NumPy sorts NaN last only in its types.

    >>> np.argsort(sortable(np.array([np.nan, 1], "bfloat16")))
    array([1, 0])
    """
    return x.astype(np.float32) if dtype(x.dtype).is_float and x.itemsize < 4 else x


@operator("sort")
class Sort(Ordering):
    """Sort the elements along `axis`. Takes any element type, of rank 1 or more.

    Programs of TVM may give a `dtype`; the result has the dtype of `x` all the same.
    """

    dtype: DType | None = None

    examples = (
        Example("f32[3, 7]"),
        Example("i64[5, 3]", axis=0, is_ascend=False, domain=(0, 4)),
        Example(
            "f64[4]", values={0: [1.0, float("nan"), -1.0, float("inf")]}, differentiable=False
        ),
        Example("bool[5]"),
        Example("f32[2, 0]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "is_ascend", bool(self.is_ascend))
        set_field(self, "dtype", optional_dtype(self.dtype))

    def compute(self, x: te.Tensor) -> te.Tensor:
        n = extents(x)[self.axis]
        return ordered(x, self.axis, [x.dtype], n, ascending=self.is_ascend, name="sort")[0]

    def reference(self, x: Array) -> Array:
        return np.take_along_axis(x, self.places(x), self.axis)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        places = Call(Argsort(self.axis, self.is_ascend), call.args)
        return (Call(GatherGrad(self.axis), (d_out, places, call.args[0])),)


@operator("argsort")
class Argsort(Discrete, Ordering):
    """Return the indices that sort the elements along `axis`; `dtype` is int32 by default."""

    dtype: DType = int32

    examples = (
        Example("f32[3, 7]"),
        Example("i32[6]", is_ascend=False, dtype="int64", domain=(0, 3)),
        Example("i64[5, 2]", axis=0, domain=(0, 3)),
        Example("f32[4]", values={0: [1.0, float("nan"), -1.0, float("nan")]}, is_ascend=False),
        Example("bf16[3]", values={0: [float("nan"), 1.0, -1.0]}),
    )

    def __post_init__(self) -> None:
        set_field(self, "is_ascend", bool(self.is_ascend))
        set_field(self, "dtype", optional_dtype(self.dtype) or int32)
        checks.index_dtype(self.name, self.dtype)

    def infer(self, x: TensorType) -> TensorType:
        checks.axis(self.name, self.axis, x.rank)
        checks.kind(self.name, "data", x, *ANYTHING)
        return TensorType(x.shape, self.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        n = extents(x)[self.axis]
        return ordered(
            x, self.axis, [None, self.dtype], n, ascending=self.is_ascend, name="argsort"
        )[0]

    def reference(self, x: Array) -> Array:
        return self.places(x).astype(self.dtype.numpy)


@operator("topk")
class TopK(OperatorDef):
    """Return the `k` largest elements along `axis` (the smallest with `is_ascend`), in order.

    A `k` below 1 means all. `ret_type` is "both" (values and their indices), "values" or "indices";
    indices have the type `dtype`. Of equal elements, the first is selected. Takes any element
    type, of rank 1 or more.
    """

    k: Dim = 1
    axis: int = -1
    ret_type: str = "both"
    is_ascend: bool = False
    dtype: DType = int32

    examples = (
        Example("f32[3, 7]", k=3),
        Example("f64[5, 3]", k=2, axis=0, is_ascend=True, ret_type="values"),
        Example("i64[9]", k=0, ret_type="indices", dtype="int64", domain=(0, 4)),
        Example("f32[40]", k=36, ret_type="both"),
        Example("i32[2, 300]", k=36, domain=(0, 40)),
        Example("f32[400]", k=40, is_ascend=True),
        Example("f32[4]", k=2, values={0: [1.0, float("nan"), 3.0, 3.0]}, differentiable=False),
    )

    def __post_init__(self) -> None:
        set_field(self, "k", dims(self.k)[0])
        set_field(self, "is_ascend", bool(self.is_ascend))
        set_field(self, "dtype", optional_dtype(self.dtype) or int32)
        checks.index_dtype(self.name, self.dtype)
        known = self.ret_type in ("both", "values", "indices")
        checks.attribute(
            "topk", known, f"ret_type must be 'both', 'values' or 'indices', not {self.ret_type!r}"
        )

    def infer(self, x: TensorType) -> Type:
        at = checks.axis(self.name, self.axis, x.rank)
        checks.kind(self.name, "data", x, *ANYTHING)
        shape = (*x.shape[:at], self.count(x.shape[at]), *x.shape[at + 1 :])
        return self._chosen(TensorType(shape, x.dtype), TensorType(shape, self.dtype), TupleType)

    def count(self, size: Dim) -> Dim:
        """Return the number of elements that are selected from a line of length `size`."""
        if isinstance(size, int) and isinstance(self.k, int):
            checks.attribute(
                self.name, self.k <= size, (f"k is {self.k}, but the axis has only {size} elements")
            )
        else:
            constrain(self.name, size, self.k, relation=Relation.AT_LEAST)
        if not isinstance(self.k, int):
            return self.k
        return self.k if self.k > 0 else size

    def _chosen(
        self, values: "_Part", indices: "_Part", both: Callable[..., "_Whole"]
    ) -> "_Part | _Whole":
        match self.ret_type:
            case "values":
                return values
            case "indices":
                return indices
            case _:
                return both((values, indices))

    def compute(self, x: te.Tensor) -> te.Tensor | tuple[te.Tensor, ...]:
        n = self.count(extents(x)[self.axis])
        kinds = [
            x.dtype if self.ret_type != "indices" else None,
            self.dtype if self.ret_type != "values" else None,
        ]
        found = ordered(x, self.axis, kinds, n, ascending=self.is_ascend, name="topk")
        return found[0] if len(found) == 1 else found

    def reference(self, x: Array) -> Array | tuple[Array, ...]:
        n = self.count(x.shape[self.axis])
        assert isinstance(n, int)
        places = order(x, self.axis, ascending=self.is_ascend).take(range(n), self.axis)
        values = np.take_along_axis(x, places, self.axis)
        return self._chosen(values, places.astype(self.dtype.numpy), tuple[Array, ...])

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        if self.ret_type == "indices":
            return (None,)
        d_values = TupleGetItem(d_out, 0) if self.ret_type == "both" else d_out
        search = TopK(self.k, self.axis, "indices", self.is_ascend, self.dtype)
        places = TupleGetItem(call, 1) if self.ret_type == "both" else Call(search, call.args)
        return (Call(GatherGrad(self.axis), (d_values, places, call.args[0])),)


_SEVERAL = 8
"""The ratio of a line's length to the selected part from which a heap is faster than sorting."""

_Part = TypeVar("_Part")
_Whole = TypeVar("_Whole")


def ordered(
    x: te.Tensor,
    axis: int,
    result_dtypes: Sequence[DType | None],
    count: Dim,
    *,
    ascending: bool,
    name: str,
) -> tuple[te.Tensor, ...]:
    """Return the first `count` elements of each sorted line, and their indices.

    `result_dtypes` has the types of both; None omits one.
    """
    at, size = axis % len(x.shape), extents(x)[axis]
    shape = (*x.shape[:at], count, *x.shape[at + 1 :])
    kinds = [(shape, dtype) for dtype in result_dtypes if dtype is not None]

    def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        b, free = te.LoopBuilder(), list(outputs)
        values, places = (free.pop(0) if dtype else None for dtype in (*result_dtypes, None)[:2])
        with rows(b, shape, at) as (outer, inner):
            line = _line(
                b, lambda t: inputs[0][(*outer, t, *inner)], size, count, x.dtype, ascending
            )
            with b.for_(count, "t") as t:
                if values is not None:
                    b.store(values, (*outer, t, *inner), line.key(t))
                if places is not None:
                    b.store(places, (*outer, t, *inner), te.cast(line.place(t), places.dtype))
        return b.finish()

    return te.loops(kinds, [x], build, name)


def _line(
    b: te.LoopBuilder,
    load: Callable[[te.Scalar], te.Scalar],
    size: Dim,
    count: Dim,
    dtype: DType,
    ascending: bool,
) -> SortedLine:
    """Return the first `count` elements of a line in sorted order, by sorting or selecting.

    `load` reads an element of the line, which has `size` elements.
    """
    if isinstance(count, int) and (not isinstance(size, int) or count < size):
        if 0 < count <= SELECT_AT_MOST:
            return select_line(b, load, size, count, dtype, ascending=ascending)
        if isinstance(size, int) and _SEVERAL * count <= size:
            return select_with_heap(b, load, size, count, dtype, ascending=ascending)
    return sort_line(b, load, size, dtype, ascending=ascending)
