"""Operators that change the shape of a tensor, but not the row-major order of its elements."""

from collections.abc import Sequence

from relay.ir.dims import AnyDim, Dim, Shape
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import type_of
from relay.ops.tensor.dim_arithmetic import dims, ints
from relay.ops.tensor.element_movement import reshape_formula
from relay.ops.tensor.reshape_codes import reshaped, reverse_reshaped
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import set_field


class Reshaping(OperatorDef):
    """The base of operators that return the elements of the first argument in another shape."""

    __slots__ = ()
    fusion = Fusion.INJECTIVE  # also if only axes are added, which is not arithmetic

    def compute(self, *inputs: te.Tensor) -> te.Tensor:
        """Return the formula, which reads the element at the same row-major position."""
        result = self.infer(*map(type_of, inputs))
        assert isinstance(result, TensorType)
        return reshape_formula(inputs[0], result.shape)

    def reference(self, *arrays: Array) -> Array:
        """Return the first array, reshaped to the inferred shape."""
        result = self.infer(*(TensorType(each.shape, each.dtype) for each in arrays))
        assert isinstance(result, TensorType)
        return arrays[0].reshape(result.static_shape)

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether the elements keep their order: always."""
        del types
        return True

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, reshaped to the shape of the first argument."""
        return (reshape_to(d_out, call.args[0]), *[None] * (len(call.args) - 1))


@operator("reshape")
class Reshape(Reshaping):
    """Give `x` the shape that the codes in `newshape` describe.

    A code above 0 (or a symbolic dimension) is a size; 0 copies the dimension at the same position
    (with `allowzero`, it is the size 0); -1 is inferred; -2 copies all remaining dimensions; -3
    merges the next two; -4 splits the next dimension into the two entries that follow, one of which
    may be -1. Takes any element type.
    """

    newshape: Shape
    allowzero: bool = False

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 4]", newshape=(6, 4)),
        Example("f32[2, 3, 4]", newshape=(0, -1)),
        Example("f64[2, 3, 4]", newshape=(-1, 2)),
        Example("i64[2, 3, 4]", newshape=(-2, 1, 1)),
        Example("i32[2, 3, 4]", newshape=(-3, -2)),
        Example("f32[6, 4, 5]", newshape=(-4, 2, -1, -3)),
        Example("bool[2, 3]", newshape=(-1,)),
        Example("f32[]", newshape=(1, 1)),
        Example("f32[1]", newshape=()),
        Example("f32[0, 3]", newshape=(3, 0), allowzero=True),
    )

    def __post_init__(self) -> None:
        set_field(self, "newshape", dims(self.newshape))
        set_field(self, "allowzero", bool(self.allowzero))

    def infer(self, x: TensorType) -> TensorType:
        shape = reshaped(self.name, x.shape, self.newshape, allowzero=self.allowzero)
        return TensorType(shape, x.dtype)


@operator("contrib_reverse_reshape")
class ReverseReshape(Reshaping):
    """Give `x` the shape that the codes in `newshape` describe, starting from the right end.

    For example, the shape `(10, 5, 4)` and the codes `(-1, 0)` result in `(50, 4)`. The codes are
    those of `reshape`. Takes any element type.
    """

    newshape: Shape
    allowzero: bool = False

    examples = (
        Example("f32[10, 5, 4]", newshape=(-1, 0)),
        Example("i64[4, 6]", newshape=(-1, -4, 2, 3)),
        Example("f64[2, 3, 4]", newshape=(-2, -3)),
    )

    def __post_init__(self) -> None:
        set_field(self, "newshape", dims(self.newshape))
        set_field(self, "allowzero", bool(self.allowzero))

    def infer(self, x: TensorType) -> TensorType:
        shape = reverse_reshaped(self.name, x.shape, self.newshape, allowzero=self.allowzero)
        return TensorType(shape, x.dtype)


@operator("reshape_like")
class ReshapeLike(Reshaping):
    """Give `x` the shape `x[:lhs_begin] + like[rhs_begin:rhs_end] + x[lhs_end:]`.

    By default, that is the shape of `like`, whose elements are not read. Negative bounds count from
    the end; None means the end. Takes any element types; the numbers of elements must agree
    (`T105`).
    """

    lhs_begin: int = 0
    lhs_end: int | None = None
    rhs_begin: int = 0
    rhs_end: int | None = None

    examples = (
        Example("f32[2, 6]", "f32[3, 4]"),
        Example("f32[2, 3, 4]", "i64[5, 6, 2]", lhs_end=2, rhs_begin=1, rhs_end=2),
        Example("i64[30, 7]", "f32[15, 2, 4]", lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2),
        Example("f32[2, 3, 4]", "f32[2, 12]", lhs_begin=-2, rhs_begin=-1),
    )

    def infer(self, x: TensorType, like: TensorType) -> TensorType:
        left = self._bounds(self.lhs_begin, self.lhs_end, x.rank)
        right = self._bounds(self.rhs_begin, self.rhs_end, like.rank)
        inserted = like.shape[slice(*right)]
        _same_elements(self.name, x.shape[slice(*left)], inserted)
        return TensorType((*x.shape[: left[0]], *inserted, *x.shape[left[1] :]), x.dtype)

    def _bounds(self, begin: int, end: int | None, rank: int) -> tuple[int, int]:
        low = begin + rank if begin < 0 else begin
        high = rank if end is None else end + rank if end < 0 else end
        if not 0 <= low <= high <= rank:
            message = (
                f"{self.name}: the axes {begin} to {end} are out of range for a tensor of rank "
                f"{rank}"
            )
            raise RelayTypeError(ErrorCode.T103, message)
        return low, high


def _same_elements(name: str, before: Sequence[Dim], after: Sequence[Dim]) -> None:
    """Require that two shapes have equal numbers of elements, as far as known (`T105`)."""
    reshaped(name, tuple(before), tuple(after), allowzero=True)


MOST_AXES = 64
"""The largest number of axes that `expand_dims` adds, which is the limit of NumPy arrays."""


@operator("expand_dims")
class ExpandDims(Reshaping):
    """Insert `num_newaxis` axes of length 1 before `axis`; -1 appends them.

    Takes any element type.
    """

    axis: int
    num_newaxis: int = 1

    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 4]", axis=0),
        Example("f32[3, 4]", axis=-1, num_newaxis=2),
        Example("i64[]", axis=0),
        Example("bool[0, 2]", axis=1, num_newaxis=0),
    )

    def __post_init__(self) -> None:
        checks.attribute("expand_dims", self.num_newaxis >= 0, "num_newaxis cannot be negative")
        few = self.num_newaxis <= MOST_AXES
        checks.attribute("expand_dims", few, f"num_newaxis must be at most {MOST_AXES}")

    def infer(self, x: TensorType) -> TensorType:
        at = checks.axis(self.name, self.axis, x.rank + 1)
        return TensorType((*x.shape[:at], *[1] * self.num_newaxis, *x.shape[at:]), x.dtype)


@operator("squeeze")
class Squeeze(Reshaping):
    """Remove axes of length 1: those in `axis`, or all of them if it is None.

    Takes any element type. Raises `T105` if a given axis is longer than 1, and `T104` if no axes
    are given and the shape is not static.
    """

    axis: tuple[int, ...] | None = None

    precision = Precision.FOLLOW
    examples = (
        Example("f32[1, 3, 1, 4]"),
        Example("f32[1, 3, 1, 4]", axis=(0, -2)),
        Example("i64[1]", axis=0),
        Example("f64[2, 3]", axis=()),
        Example("f32[]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "axis", None if self.axis is None else ints(self.axis))

    def infer(self, x: TensorType) -> TensorType:
        dropped = self._dropped(x.shape)
        for at in dropped:
            checks.size(self.name, f"axis {at}", 1, x.shape[at])
        kept = (dim for at, dim in enumerate(x.shape) if at not in dropped)
        return TensorType(tuple(kept), x.dtype)

    def _dropped(self, shape: Shape) -> tuple[int, ...]:
        if self.axis is not None:
            return checks.axes(self.name, self.axis, len(shape))
        static = all(isinstance(dim, int) for dim in shape)
        checks.attribute(
            self.name, static, ("axis must be given, because the shape of the tensor is not known")
        )
        return tuple(at for at, dim in enumerate(shape) if dim == 1)


def reshape_to(x: Expr, like: Expr) -> Expr:
    """Return `x` reshaped to the shape of `like`, by a static reshape if possible."""
    shape = like.tensor_type.shape
    if any(isinstance(dim, AnyDim) for dim in shape):
        return Call(ReshapeLike(), (x, like))
    return Call(Reshape(shape, allowzero=True), (x,))
