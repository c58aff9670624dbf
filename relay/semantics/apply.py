"""The value of one operator, by NumPy: the operator's own reference, or that of its parts."""

from collections.abc import Sequence
from typing import TypeAlias, cast

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import fold
from relay.opdef.definition import OperatorDef

TensorValue: TypeAlias = Array | tuple[Array, ...]


def apply(op: OperatorDef, *args: TensorValue) -> TensorValue:
    """Return what the operator gives for these arrays (a tuple argument is a tuple of arrays).

    Like NumPy, floating-point exceptions (overflow, division by zero) are values, not warnings.
    """
    with np.errstate(all="ignore"):
        if op.has("reference"):
            return _typed(op, args, op.reference(*cast("Sequence[Array]", args)))
        return _evaluate(op.decompose(*map(as_constant, args)))


def as_constant(value: TensorValue) -> Expr:
    """Return the expression that stands for a value."""
    if isinstance(value, tuple):
        return Tuple(tuple(Constant(field) for field in value))
    return Constant(value)


def _typed(op: OperatorDef, args: Sequence[TensorValue], value: TensorValue) -> TensorValue:
    """Give the arrays the dtypes of the type rule, where NumPy promotes by rules of its own."""
    result = op.result_type([as_constant(arg).type for arg in args])
    if isinstance(value, tuple):
        assert isinstance(result, TupleType)
        pairs = zip(value, result.fields, strict=True)
        return tuple(_as_type(array, cast("TensorType", ty)) for array, ty in pairs)
    return _as_type(value, cast("TensorType", result))


def _as_type(array: Array, ty: TensorType) -> Array:
    return np.asarray(array).astype(ty.dtype.numpy, copy=False)


def _evaluate(expr: Expr) -> TensorValue:
    """Evaluate a dataflow expression without variables."""

    def visit(node: Expr, inner: list[TensorValue | None]) -> TensorValue | None:
        match node:
            case Constant(data):
                return data
            case Tuple():
                return tuple(cast("list[Array]", inner))
            case TupleGetItem(_, index):
                return cast("tuple[Array, ...]", inner[0])[index]
            case Call(OperatorDef() as op):
                return apply(op, *cast("list[TensorValue]", inner[:-1]))
            case _:
                return None

    value = fold(expr, visit)
    assert value is not None, "a decomposition uses only operators, tuples and constants"
    return value
