"""Random values, for constants and inputs, and equality of values."""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.semantics.evaluator_values import Data, Value
from relay.support.dtype import bool_
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.data import DataTypes


def random_array(choices: Choices, ty: TensorType, largest: int = 12) -> Array:
    """Return an array of a static type: small numbers, floats in quarters."""
    count = int(np.prod(ty.static_shape))
    low = 0 if ty.dtype.is_float or (ty.dtype.is_integer and ty.dtype.kind.value == "int") else 1
    numbers = [choices.below(2 * largest + 1) for _ in range(count)]
    flat = np.array(numbers, np.float64).reshape(ty.static_shape)
    if ty.dtype is bool_:
        return (flat % 2 == 1).astype(np.bool_)
    if low == 0:
        flat = flat - largest
    return (flat / 4 if ty.dtype.is_float else flat).astype(ty.dtype.numpy)


def random_value(choices: Choices, ty: Type, data: DataTypes, depth: int = 4) -> Value:
    """Return a value of a type of tensors, tuples and data types, of that depth at most."""
    match ty:
        case TensorType():
            return random_array(choices, ty)
        case TupleType(fields):
            return tuple(random_value(choices, field, data, depth) for field in fields)
        case TypeCall():
            candidates = [data.last(ty), *(data.constructors(ty) if depth > 0 else ())]
            constructor = choices.pick(candidates)
            fields = data.fields(constructor, ty)
            inner = [random_value(choices, field, data, depth - 1) for field in fields]
            return Data(constructor, tuple(inner))
        case _:
            raise AssertionError(f"no input is of type {ty!r}")


def same(a: Value, b: Value) -> bool:
    """Whether two results are equal bit for bit; constructors are compared by name."""
    stack = [(a, b)]
    while stack:
        left, right = stack.pop()
        inner = _pairs(left, right)
        if inner is None:
            return False
        stack.extend(inner)
    return True


def _pairs(a: Value, b: Value) -> Iterable[tuple[Value, Value]] | None:
    """Return the pairs of values that must be equal; None if a difference is found."""
    if isinstance(a, Data) and isinstance(b, Data):
        same_kind = a.constructor.name == b.constructor.name
        return list(zip(a.fields, b.fields, strict=True)) if same_kind else None
    if isinstance(a, tuple) and isinstance(b, tuple):
        return list(zip(a, b, strict=True)) if len(a) == len(b) else None
    if isinstance(a, tuple | Data) or isinstance(b, tuple | Data):
        return None
    x, y = np.asarray(cast("Any", a)), np.asarray(cast("Any", b))
    alike = x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    return [] if alike else None
