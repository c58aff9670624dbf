"""Scatter operators, which combine updates with elements of a tensor at given indices.

Negative indices count from the end; indices that are still out of range trap (`R056`). Updates are
applied in row-major order, so the last of several writes to a position takes effect.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import divide, multiply
from relay.ops.cast import cast_like
from relay.ops.comparison import equal
from relay.ops.creation import OnesLike, ZerosLike, number
from relay.ops.families import ANYTHING, NUMBERS, extents
from relay.ops.selection import where
from relay.ops.tensor.dim_arithmetic import require_integer, require_no_longer, require_same_shape
from relay.ops.tensor.gather import Gather, GatherND
from relay.ops.tensor.index_bounds import checked_index, checked_indices
from relay.ops.tensor.position_tensors import positions
from relay.ops.tensor.product_of_others import element_numbers, product_of_others
from relay.ops.tensor.scatter_kernel import Target, scatter
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

REDUCTIONS = ("update", "add", "mul", "mean", "min", "max")

_JOIN: dict[str, Callable[..., None]] = {
    "add": np.add.at,
    "mean": np.add.at,
    "mul": np.multiply.at,
    "min": np.minimum.at,
    "max": np.maximum.at,
}


_TWICE = {1: [[1, -2, 1]]}
_PLACES = {1: [1, 0, 1]}


def _combinable(operator_: str, data: TensorType, reduction: str) -> None:
    """Raise `T102` if elements cannot be combined by `reduction`; "update" accepts any."""
    if data.dtype.is_complex and reduction not in ("update", "add", "mean"):
        raise RelayTypeError(
            ErrorCode.T102,
            f"{operator_}: the reduction '{reduction}' does not combine complex numbers",
            help='use the reduction "update", "add" or "mean"',
        )
    if reduction != "update":
        checks.kind(operator_, "data", data, *(NUMBERS if reduction == "mean" else ANYTHING))


@operator("scatter_elements")
class ScatterElements(OperatorDef):
    """Combine updates with the elements of `data` at the indices `indices` along `axis`.

    `reduction` is "update" (replace), "add", "mul", "min", "max" or "mean" (of the element and all
    its updates; integers round down). `indices` and `updates` have the same shape, which is not
    longer than `data` along the other axes. Takes any element type, except bool for "mean", and
    integer indices.
    """

    axis: int = 0
    reduction: str = "update"

    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 3]", "i64[2, 3]", "f32[2, 3]", values={1: [[1, 0, 2], [1, 2, 1]]}),
        Example("f32[1, 5]", "i64[1, 3]", "f32[1, 3]", axis=1, reduction="add", values=_TWICE),
        Example("f64[4]", "i32[3]", "f64[3]", reduction="mul", values={1: [1, 1, -4]}),
        Example("i64[4]", "i64[3]", "i64[3]", reduction="min", values={1: [1, 1, -1]}),
        Example("f32[4]", "i64[3]", "f32[3]", axis=-1, reduction="max", values=_PLACES),
        Example("f32[4]", "i64[3]", "f32[3]", reduction="mean", values=_PLACES),
        Example("bool[2]", "i64[0]", "bool[0]"),
    )

    def __post_init__(self) -> None:
        known = self.reduction in REDUCTIONS
        checks.attribute("scatter_elements", known, f"reduction must be one of {REDUCTIONS}")

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because an index may be out of range."""
        return True

    def infer(self, data: TensorType, indices: TensorType, updates: TensorType) -> TensorType:
        checks.same_dtype(self.name, data, updates)
        _combinable(self.name, data, self.reduction)
        require_integer(self.name, "indices", indices)
        axis = checks.axis(self.name, self.axis, data.rank)
        checks.rank(self.name, "indices", indices, data.rank)
        require_no_longer(self.name, indices.shape, data.shape, axis)
        require_same_shape(self.name, "updates", indices.shape, updates.shape)
        return data

    def compute(self, data: te.Tensor, indices: te.Tensor, updates: te.Tensor) -> te.Tensor:
        return self._scatter(data, indices, updates)

    def compute_changes(self, *inputs: te.Tensor) -> te.Tensor:
        return self._scatter(*inputs, in_place=True)

    def _scatter(
        self, data: te.Tensor, indices: te.Tensor, updates: te.Tensor, *, in_place: bool = False
    ) -> te.Tensor:
        target, rank = self._target(data), len(data.shape)
        return scatter(data, indices, updates, target, self.reduction, rank, in_place=in_place)

    def _target(self, data: te.Tensor) -> Target:
        axis = self.axis % len(data.shape)

        def target(read: Buffer, i: Sequence[te.Scalar]) -> Sequence[te.Scalar]:
            return [
                *i[:axis],
                checked_index(read[tuple(i)], extents(data)[axis], axis),
                *i[axis + 1 :],
            ]

        return target

    def reference(self, data: Array, indices: Array, updates: Array) -> Array:
        at = list(np.meshgrid(*map(np.arange, indices.shape), indexing="ij"))
        axis = self.axis % data.ndim
        at[axis] = checked_indices(indices, data.shape[axis], axis)
        return scattered(data, at, updates, self.reduction)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        write, count = partial(ScatterElements, self.axis), product(call.args[1].tensor_type.shape)
        return _derivatives(write, Gather(self.axis), self.reduction, count, call, d_out)


@operator("scatter_nd")
class ScatterND(OperatorDef):
    """Combine updates with slices of `data` at tuples of indices.

    The tuples are along the *first* axis of `indices`. With M indices in a tuple, `updates` has
    shape `indices.shape[1:] + data.shape[M:]`. `mode` is "update" (replace), "add", "mul", "min" or
    "max". Takes any element type, and integer indices.
    """

    mode: str = "update"

    precision = Precision.FOLLOW
    examples = (
        Example("f32[3, 4]", "i64[2, 3]", "f32[3]", values={1: [[0, 1, -1], [3, 0, 2]]}),
        Example("f32[3, 4]", "i32[1]", "f32[4]", values={1: [2]}),
        Example("f32[3, 4]", "i32[1, 3]", "f32[3, 4]", mode="add", values={1: [[0, 2, 0]]}),
        Example("f64[4]", "i64[1, 2]", "f64[2]", mode="mul", values={1: [[3, 3]]}),
        Example("i32[4]", "i64[1, 2]", "i32[2]", mode="min", values={1: [[3, 3]]}),
        Example("i64[4]", "i64[1, 2]", "i64[2]", mode="max", values={1: [[3, 3]]}),
    )

    def __post_init__(self) -> None:
        known = self.mode in REDUCTIONS and self.mode != "mean"
        checks.attribute("scatter_nd", known, f"mode must be one of {REDUCTIONS} except mean")

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because an index may be out of range."""
        return True

    def infer(self, data: TensorType, indices: TensorType, updates: TensorType) -> TensorType:
        checks.same_dtype(self.name, data, updates)
        _combinable(self.name, data, self.mode)
        require_integer(self.name, "indices", indices)
        depth = indices.shape[0] if indices.shape else -1
        known = isinstance(depth, int) and 0 <= depth <= data.rank
        checks.attribute(
            self.name, known, f"indices select along {depth} axes, but data has {data.rank}"
        )
        expected = (*indices.shape[1:], *data.shape[depth if isinstance(depth, int) else 0 :])
        require_same_shape(self.name, "updates", expected, updates.shape)
        return data

    def _depth(self, indices: te.Tensor) -> int:
        depth = indices.shape[0]
        assert isinstance(depth, int), "the type rule asks for it"
        return depth

    def compute(self, data: te.Tensor, indices: te.Tensor, updates: te.Tensor) -> te.Tensor:
        return self._scatter(data, indices, updates)

    def compute_changes(self, *inputs: te.Tensor) -> te.Tensor:
        return self._scatter(*inputs, in_place=True)

    def _scatter(
        self, data: te.Tensor, indices: te.Tensor, updates: te.Tensor, *, in_place: bool = False
    ) -> te.Tensor:
        target, outer = self._target(data, indices), len(indices.shape) - 1
        return scatter(data, indices, updates, target, self.mode, outer, in_place=in_place)

    def _target(self, data: te.Tensor, indices: te.Tensor) -> Target:
        depth, sizes = self._depth(indices), extents(data)

        def target(read: Buffer, i: Sequence[te.Scalar]) -> Sequence[te.Scalar]:
            found = [read[(te.const(k), *i)] for k in range(depth)]
            return [checked_index(one, sizes[k], k) for k, one in enumerate(found)]

        return target

    def reference(self, data: Array, indices: Array, updates: Array) -> Array:
        inner = len(data.shape) - indices.shape[0]
        grid = np.indices(updates.shape)[updates.ndim - inner :]
        listed = zip(indices, data.shape, range(data.ndim), strict=False)
        outer = [
            checked_indices(*each).reshape((*indices.shape[1:], *[1] * inner)) for each in listed
        ]
        at = [*(np.broadcast_to(one, updates.shape) for one in outer), *grid]
        return scattered(data, at, updates, self.mode)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        count = product(call.args[1].tensor_type.shape[1:])
        return _derivatives(ScatterND, GatherND(), self.mode, count, call, d_out)


def _derivatives(
    write: Callable[[str], OperatorDef],
    gather: OperatorDef,
    reduction: str,
    count: Dim,
    call: Call,
    d_out: Expr,
) -> Sequence[Expr | None]:
    """Return the derivatives of a scatter, `write(reduction)`; `gather` reads at its positions.

    The rule depends on `reduction`:

    1. For sums, every summand gets the derivative.
    2. For replacements, the last update of an element gets the derivative, and the replaced element
       none. If `count`, the number of positions, is 1, its update is the last one.
    3. For means, every summand gets the same share.
    4. For products, every factor gets the product of the other factors, which may be 0.
    5. For extrema, the elements equal to the extremum get equal shares.
    """
    data, indices, updates = call.args

    def scattered_by(of: str, first: Expr, more: Expr) -> Expr:
        return Call(write(of), (first, indices, more))

    def read(x: Expr) -> Expr:
        return Call(gather, (x, indices))

    zero, ones = number(0, d_out), [Call(OnesLike(), (each,)) for each in (data, updates)]
    match reduction:
        case "add":
            return d_out, None, read(d_out)
        case "update":
            kept = scattered_by("update", d_out, Call(ZerosLike(), (updates,)))
            if count == 1:
                return kept, None, read(d_out)
            order = positions(updates)
            nothing = cast_like(Call(ZerosLike(), (data,)), order)  # what is read was written
            last = scattered_by("update", nothing, order)
            return kept, None, where(equal(read(last), order), read(d_out), zero)
        case "mean":
            share = divide(d_out, scattered_by("add", ones[0], ones[1]))
            return share, None, read(share)
        case "mul":
            factors = scattered_by("mul", ones[0], updates)
            others = read(multiply(d_out, data))
            if count != 1:
                others = multiply(others, product_of_others(updates, read(element_numbers(data))))
            return multiply(d_out, factors), None, others
        case _:
            chosen = [
                cast_like(equal(each, found), d_out)
                for each, found in ((data, call), (updates, read(call)))
            ]
            share = divide(d_out, scattered_by("add", chosen[0], chosen[1]))
            return multiply(chosen[0], share), None, multiply(chosen[1], read(share))


def scattered(
    data: Array, at: Sequence[npt.NDArray[np.int64]], updates: Array, reduction: str
) -> Array:
    """Return `data` with updates combined at positions, by NumPy.

    `at` has an array of indices for each axis.
    """
    found, result = tuple(at), data.copy()
    if reduction == "update":
        rows = zip(*(one.reshape(-1) for one in found), strict=True)
        for position, one in zip(rows, updates.reshape(-1), strict=False):
            result[position] = one
        return result
    _JOIN[reduction](result, found, updates)
    return _mean(result, found) if reduction == "mean" else result


def _mean(total: Array, at: tuple[Array, ...]) -> Array:
    count = np.ones(total.shape, np.int64)
    np.add.at(count, at, 1)
    if np.issubdtype(total.dtype, np.integer):
        return (total // count).astype(total.dtype)
    return (total / count).astype(total.dtype)
