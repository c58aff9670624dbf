"""Maxima and minima along axes, their indices, and the logical reductions `all` and `any`."""

from collections.abc import Callable, Sequence
from math import prod
from typing import ClassVar

import numpy as np

from relay.ir import dims
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import Precision
from relay.opdef.dim_constraints import Relation, constrain
from relay.opdef.example import Example, reduction_examples
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.table import operator
from relay.ops.binary import add, divide, multiply
from relay.ops.cast import Cast, cast_like
from relay.ops.comparison import equal
from relay.ops.creation import number
from relay.ops.families import ANYTHING, Reduction
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import restored, summed
from relay.ops.tensor.position_tensors import length, numbered
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import Kind, bool_, int32, int64
from relay.support.node import set_field, value


@value
class Extremum(Reduction):
    """The base of `max` and `min`.

    The derivative is shared equally among equal elements (`ties` is `"share"`), only the `"first"`
    of them receives it, or `"each"` receives all of it. `function` is the NumPy function; `nothing`
    is the result for an empty axis of floats.
    """

    ties: str = "share"

    kinds = ANYTHING
    derivative_attributes = ("ties",)
    function: ClassVar[Callable[..., Array]]
    nothing: ClassVar[float]
    examples = (
        *reduction_examples(),
        Example("bool[3, 20]", axis=1),
        Example("bool[0, 2]", axis=0, keepdims=True),
        Example("bool[5]"),
        Example("f32[3, 4]", axis=1, ties="first"),
        Example("f32[2, 3, 4]", axis=(0, 2), ties="first"),
        Example("f32[3, 4]", axis=0, keepdims=True, ties="each"),
    )

    def __post_init__(self) -> None:
        super(Extremum, self).__post_init__()
        known = self.ties in ("share", "first", "each")
        checks.attribute(self.name, known, f"ties must be share, first or each, not {self.ties}")

    def place(self, axes: tuple[int, ...]) -> "Position":
        """Return the operator for the index of the first extremum; reduced axes keep size 1."""
        raise AssertionError(f"{self.name} does not say where it is")

    def reference(self, data: Array) -> Array:
        """Return the result of the NumPy function; an empty axis gives the dtype's limit."""
        start: float = self.nothing
        if data.dtype == np.bool:
            start = self.nothing > 0
        elif np.issubdtype(data.dtype, np.integer):
            limits = np.iinfo(data.dtype)
            start = limits.max if self.nothing > 0 else limits.min
        search, axes = type(self).function, self.axes(data.ndim)
        found = search(data, axis=axes, keepdims=self.keepdims, initial=data.dtype.type(start))
        return np.asarray(found).astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative; `ties` says how elements that equal the result share it."""
        (data,) = call.args
        axes = self.axes(data.tensor_type.rank)
        if self.ties == "first" and axes:
            place = Call(Cast(int64), (Call(self.place(axes), (data,)),))
            is_first = equal(_row_major(data, axes), place)
            return (where(is_first, restored(d_out, data, axes), number(0, data)),)
        chosen = cast_like(equal(data, restored(call, data, axes)), d_out)
        share = restored(d_out, data, axes)
        if self.ties == "share":
            share = divide(share, summed(chosen, axes))
        return (multiply(chosen, share),)


def _row_major(data: Expr, axes: Sequence[int]) -> Expr:
    """Return row-major indices over the axes `axes`, which broadcast with `data`."""
    rank, found = data.tensor_type.rank, None
    for axis in axes:
        own = numbered(data, axis)
        if axis + 1 < rank:
            own = Call(ExpandDims(1, rank - 1 - axis), (own,))
        found = own if found is None else add(multiply(found, length(data, axis)), own)
    assert found is not None, "a reduction over axes"
    return found


@operator("max")
class Max(Extremum):
    """The largest element along `axis`; NaN if one is NaN. An empty axis gives the dtype's minimum.

    Takes numbers and bools; `true` is larger than `false`.
    """

    precision = Precision.FOLLOW
    function = np.max
    nothing = -np.inf

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.any(x, axes) if x.dtype is bool_ else te.max(x, axes)

    def place(self, axes: tuple[int, ...]) -> "Position":
        return ArgMax(axes, keepdims=True)


@operator("min")
class Min(Extremum):
    """The smallest element along `axis`; NaN if one is NaN.

    An empty axis gives the dtype's maximum.

    Takes numbers and bools; `false` is smaller than `true`.
    """

    precision = Precision.FOLLOW
    function = np.min
    nothing = np.inf

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.all(x, axes) if x.dtype is bool_ else te.min(x, axes)

    def place(self, axes: tuple[int, ...]) -> "Position":
        return ArgMin(axes, keepdims=True)


@value
class Position(Reduction):
    """The base of `argmax` and `argmin`; `function` is the NumPy function.

    The result is int32: an index along the axis, or the row-major index over several axes. Raises
    `T104` for rank 0, and for empty axes unless the result is empty.
    """

    select_last_index: bool = False

    function: ClassVar[Callable[..., Array]]
    examples = (
        Example("f32[3, 4]", axis=1),
        Example("f32[3, 4]"),
        Example("i32[2, 30]", axis=-1, domain=(0.0, 4.0), keepdims=True),
        Example("i32[2, 30]", axis=-1, domain=(0.0, 4.0), select_last_index=True),
        Example("f64[2, 3, 4]", axis=(0, 2)),
        Example("u8[4, 5]", axis=0, exclude=True, domain=(0.0, 3.0)),
        Example("f32[0, 3]", axis=1),
        Example("i32[0, 0]", axis=1),
        Example("bf16[9]", axis=0),
        Example("f32[5]", values={0: [1.0, np.nan, 3.0, np.nan, 2.0]}),
        Example("f32[5]", values={0: [1.0, np.nan, 3.0, np.nan, 2.0]}, select_last_index=True),
    )

    def __post_init__(self) -> None:
        super(Position, self).__post_init__()
        set_field(self, "select_last_index", bool(self.select_last_index))

    def infer(self, data: TensorType) -> TensorType:
        """Return the shape without the reduced axes, with int32 elements."""
        checks.kind(self.name, "data", data, *self.kinds)
        checks.attribute(
            self.name, data.rank > 0, "data is a scalar, so there is no axis to search"
        )
        for axis in self.axes(data.rank):
            self._require_elements(data, axis)
        least = prod(size for size in data.shape if isinstance(size, int))
        checks.attribute(
            self.name,
            least < 2**31,
            f"data has too many elements for an index of type int32: {data!r}",
        )
        return TensorType(self.shape(data.shape), int32)

    def _require_elements(self, data: TensorType, axis: int) -> None:
        """Require that an axis has an element, unless the result has none.

        1. The result has elements: the axis has one.
        2. Sizes decide whether the result has elements: `size >= min(results, 1)`, which is
           `size + max(results, 1) >= results + 1`.
        """
        size, results = data.shape[axis], dims.product(self.shape(data.shape))
        if results == 0 or (isinstance(size, int) and size > 0):
            return
        missing = f"axis {axis} of data has no elements to choose from"
        if (dims.lower_bound(results) or 0) > 0:
            checks.attribute(self.name, size != 0, f"{missing}: {data!r}")
            constrain(self.name, size, 1, relation=Relation.AT_LEAST)
        else:
            sizes = dims.add(size, dims.maximum(results, 1)), dims.add(results, 1)
            message = f"{self.name}: {missing}"
            constrain(self.name, *sizes, relation=Relation.AT_LEAST, message=message)

    def reference(self, data: Array) -> Array:
        """Return the result of the NumPy function, applied to the reduced axes as one axis."""
        gone = self.axes(data.ndim)
        kept = [axis for axis in range(data.ndim) if axis not in gone]
        shape = self.infer(TensorType(data.shape, "float32")).static_shape
        if not data.size:
            return np.zeros(shape, np.int32)
        rows = data.transpose([*kept, *gone]).reshape([*(data.shape[a] for a in kept), -1])
        function = type(self).function
        if self.select_last_index:
            found = rows.shape[-1] - 1 - function(rows[..., ::-1], axis=-1)
        else:
            found = function(rows, axis=-1)
        return np.asarray(found).astype(np.int32).reshape(shape)

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the search in this layout; None if that reorders the axes that an index counts."""
        answer = super(Position, self).relayout(types, layouts)
        axes = answer.op.axis if answer and isinstance(answer.op, Position) else None
        return answer if axes is not None and list(axes) == sorted(axes) else None

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivative, because an index is piecewise constant."""
        return (None,)


@operator("argmax")
class ArgMax(Position):
    """The index of the largest element along `axis`; of equal elements the first, or the last.

    NaN is largest. `select_last_index` selects the last.
    """

    precision = Precision.FOLLOW
    function = np.argmax

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.argmax(x, axes, last=self.select_last_index, dtype=int32)


@operator("argmin")
class ArgMin(Position):
    """The index of the smallest element along `axis`; of equal elements the first, or the last.

    NaN is smallest. `select_last_index` selects the last.
    """

    precision = Precision.FOLLOW
    function = np.argmin

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.argmin(x, axes, last=self.select_last_index, dtype=int32)


@value
class Quantifier(Reduction):
    """The base of `all` and `any`; `function` is the NumPy function."""

    function: ClassVar[Callable[..., Array]]
    kinds = (Kind.BOOL,)
    examples = (
        Example("bool[3, 2]", axis=1),
        Example("bool[2, 3, 2]", axis=1, keepdims=True),
        Example("bool[2, 2]", axis=0, exclude=True),
        Example("bool[3]"),
        Example("bool[]"),
        Example("bool[2, 0]", axis=1),
    )

    def reference(self, data: Array) -> Array:
        """Return the result of the NumPy function."""
        function = type(self).function
        return np.asarray(function(data, axis=self.axes(data.ndim), keepdims=self.keepdims))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivative, because booleans have none."""
        return (None,)


@operator("all")
class All(Quantifier):
    """Whether every element along `axis` is true; an empty axis gives True. Takes bools."""

    function = np.all

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.all(x, axes)


@operator("any")
class Any(Quantifier):
    """Whether at least one element along `axis` is true; an empty axis gives False. Takes bools."""

    function = np.any

    def combine(self, x: Scalar, axes: Sequence[te.Axis]) -> Scalar:
        return te.any(x, axes)
