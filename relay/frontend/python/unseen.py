"""Values that nobody ever sees: a variable has one before a loop that surely gives it another."""

from collections.abc import Sequence

import numpy as np

from relay.frontend.python.values import Group, Static, Value
from relay.ir.dims import ANY, AnyDim
from relay.ir.expr import Constant, Expr
from relay.ir.types import TensorType, TupleType, Type
from relay.numpy.creation import zeros


def unseen(value: Value) -> Value | None:
    """Return a value of the type of another one; None for data and functions."""
    match value:
        case Static() if value.number is not None:
            return value
        case Group(items):
            return _together([unseen(each) for each in items])
        case Expr(ty=ty) if ty is not None:
            return _of_type(ty)
        case _:
            return None


def _of_type(ty: Type) -> Value | None:
    match ty:
        case TensorType(shape, dtype):
            none = Constant(np.asarray(0, np.int32))
            if ANY in shape and not all(isinstance(each, int | AnyDim) for each in shape):
                return None  # what its names stand for may be known in the loop only
            return zeros([none if isinstance(each, AnyDim) else each for each in shape], dtype)
        case TupleType(fields):
            return _together([_of_type(each) for each in fields])
        case _:
            return None


def _together(items: Sequence[Value | None]) -> Group | None:
    known = tuple(each for each in items if each is not None)
    return Group(known) if len(known) == len(items) else None
