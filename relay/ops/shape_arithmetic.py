"""Symbolic evaluation of shape arithmetic: the dimensions that a tensor of sizes contains."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.ir.dims import ANY, Dim, product
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, FloorDivide, Multiply, Subtract
from relay.ops.cast import Cast
from relay.ops.sum_and_mean_reductions import Prod
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze
from relay.ops.tensor.slice import StridedSlice

MOST_SIZES = 64  # the most elements of one vector

_COMPUTING: dict[type[Expr | OperatorDef], Callable[[Array, Array], Array]] = {
    Add: np.add,
    Multiply: np.multiply,
    Subtract: np.subtract,
}


def sizes_of(x: Expr) -> Array | None:
    """Return the elements of an integer tensor as dimensions, which may be symbolic.

    The result is None if they are known only at run time.
    """
    return _Follower().found(x)


def size_in(x: Expr) -> Dim:
    """Return an integer tensor of one element as a dimension; `Any` if it is not known."""
    found = sizes_of(x)
    return ANY if found is None else found.item()


class _Follower:
    """The symbolic evaluator, which memoises the result for each expression."""

    def __init__(self) -> None:
        self._known: dict[Expr, Array | None] = {}

    def found(self, x: Expr) -> Array | None:
        if x not in self._known:
            self._known[x] = self._followed(x)
        return self._known[x]

    def _followed(self, x: Expr) -> Array | None:
        if isinstance(x, Constant):
            few = x.array.size <= MOST_SIZES and x.array.dtype.kind in "iu"
            return x.array.astype(object) if few else None
        if isinstance(x, TupleGetItem) and isinstance(x.tuple_value, Call):
            return self._part(x.tuple_value, x.index)
        return self._called(x) if isinstance(x, Call) and _is_small(x) else None

    def _called(self, x: Call) -> Array | None:
        match x.op:
            case ShapeOf():
                return _array(x.args[0].tensor_type.shape)
            case Concatenate() | Stack():
                known = self._fields(x.args[0])
                return None if known is None else x.op.reference(known)
            case Add() | Multiply() | Subtract():
                a, b = map(self.found, x.args)
                function = _COMPUTING[type(x.op)]
                return None if a is None or b is None else np.asarray(function(a, b), object)
            case FloorDivide():
                a, b = map(self.found, x.args)
                is_safe = b is not None and all(isinstance(e, int) and e > 0 for e in b.flat)
                return None if a is None or not is_safe else np.asarray(a // b, object)
            case Cast() | ExpandDims() | Prod() | Reshape() | Squeeze() | StridedSlice() | Take():
                known = self.found(x.args[0])
                return None if known is None else _of_one(x, known)
            case _:
                return None

    def _fields(self, x: Expr) -> list[Array] | None:
        fields = x.fields if isinstance(x, Tuple) else ()
        known = [each for each in map(self.found, fields) if each is not None]
        return known if fields and len(known) == len(fields) else None

    def _part(self, x: Call, index: int) -> Array | None:
        """Return one of the parts into which a tensor of sizes is split."""
        if not isinstance(x.op, Split):
            return None
        known = self.found(x.args[0])
        return None if known is None else x.op.reference(known)[index]


def _of_one(x: Call, known: Array) -> Array | None:
    """Return the result, as dimensions, of an operator on one tensor of known sizes."""
    ty = x.tensor_type
    match x.op:
        case Cast() if ty.dtype.is_integer:
            return known
        case ExpandDims() | Reshape() | Squeeze():
            return known.reshape(ty.static_shape)
        case Prod() if ty.rank == 0:
            return np.asarray(product(known.ravel()), object)
        case StridedSlice():
            return x.op.reference(known)
        case Take() if known.ndim == 1 and isinstance(x.args[1], Constant):
            return np.asarray(known[x.args[1].array], object)
        case _:
            return None


def _array(dims: Sequence[Dim]) -> Array:
    result = np.empty(len(dims), object)
    result[:] = dims
    return result


def _is_small(x: Expr) -> bool:
    ty = x.ty
    return isinstance(ty, TensorType) and product(ty.shape) in range(MOST_SIZES + 1)
