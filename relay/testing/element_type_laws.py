"""Check that an operator converts to the element types that its attributes name as `cast` does."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.opdef.attribute_types import leaves
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.ops.cast import convert
from relay.semantics.apply_operator import TensorValue, apply, as_constant, value_of
from relay.support.dtype import DType, dtype, float64, int32, int64
from relay.support.errors import RelayTypeError
from relay.testing.compare_values import assert_close, flat
from relay.testing.compile_operator import run_operator
from relay.testing.element_types import ELEMENT_TYPES
from relay.testing.example_arguments import Values, draw

_SEED = 33
_FLOATS = (300.0, -300.0, 2.5, -0.75, 7e4, -1e30)
_INTEGERS = (300, -300, 70_000, -1, 2, 2**31 - 1)
"""Elements that narrow types cannot hold. NaN and infinity are only in the first argument."""

_Types: TypeAlias = Sequence[TensorType]


def names_element_type(cls: type[OperatorDef]) -> bool:
    """Whether an attribute of the operator may be an element type."""
    return bool(_attributes(cls))


def check_element_types(op: OperatorDef, example: Example) -> None:
    """Check the reference in each element type that an attribute may name.

    Only the first example of an operator is checked, with its argument types, and with integers in
    place of floats, unless it accepts only their own type. The reference must equal one of these:

    1. the reference in a wide type, converted by `cast`;
    2. compiled code or the decomposition, if the operator computes in the element type itself.
    """
    cls = type(op)
    if example is not cls.examples[0]:
        return
    given = [cast("TensorType", ty) for ty in example.types]
    integers = [TensorType(ty.shape, int32) if ty.dtype.is_float else ty for ty in given]
    for types in (given, integers):
        values = _arguments(example, types)
        for name in _attributes(cls):
            accepted = [*_accepted(cls, example, name, types)]
            for each in accepted if len(accepted) > 1 else ():
                _check(each, name, values, example.tolerance)


def _check(op: OperatorDef, name: str, values: Values, tolerance: float) -> None:
    try:
        expected = apply(op, *values)
        if not any(_same(each, expected) for each in _converted(op, name, values)):
            assert_close(_computed(op, values), expected, tolerance)
    except Exception as error:
        error.add_note(f"{op!r} of {[as_constant(value).type for value in values]}")
        raise


def _converted(op: OperatorDef, name: str, values: Values) -> Iterator[TensorValue]:
    """Yield the reference in each wide type that the operator accepts, converted.

    Floats become integers by way of float64. Indices, which become narrower by way of int64, are
    compared with compiled code, except those of operators that have none.
    """
    narrow: DType = getattr(op, name)
    attributes = {each: getattr(op, each) for each in op.__match_args__}
    has_floats = any(dtype(each.dtype).is_float for value in values for each in flat(value))
    is_computed = op.has("compute") or op.has("decompose")
    for wide in (float64,) if has_floats and is_computed else (float64, int64):
        with suppress(RelayTypeError), np.errstate(all="ignore"):
            found = apply(type(op).made({**attributes, name: wide}), *values)
            parts = [convert(f, narrow) if dtype(f.dtype) is wide else f for f in flat(found)]
            yield tuple(parts) if isinstance(found, tuple) else parts[0]


def _same(found: TensorValue, expected: TensorValue) -> bool:
    """Whether arrays have the same bits."""
    return all(
        one.tobytes() == other.tobytes()
        for one, other in zip(flat(found), flat(expected), strict=True)
    )


def _computed(op: OperatorDef, values: Values) -> TensorValue:
    if op.has("compute"):
        return run_operator(op, values)
    return value_of(op.decompose(*map(as_constant, values)))


def _accepted(
    cls: type[OperatorDef], example: Example, name: str, types: _Types
) -> Iterator[OperatorDef]:
    """Yield the operator with each element type that it accepts for the attribute `name`."""
    for each in (of for of in ELEMENT_TYPES if not of.is_complex):  # kernels have real numbers
        with suppress(RelayTypeError):
            op = cls.made({**example.attributes, name: each})
            if op.result_type(types) is not None:
                yield op


def _attributes(cls: type[OperatorDef]) -> tuple[str, ...]:
    """Return the names of the attributes that may be element types."""
    declared = {field.name: field.type for field in fields(cast("Any", cls))}
    return tuple(name for name in cls.__match_args__ if DType in leaves(declared[name]))


def _arguments(example: Example, types: _Types) -> Values:
    rng = np.random.default_rng(_SEED)

    def array(at: int, ty: TensorType) -> Array:
        given: Any = example.values.get(at)
        if given is not None:
            return np.broadcast_to(np.asarray(given).astype(ty.dtype.numpy), ty.static_shape)
        if ty.dtype.is_float or ty.dtype is int32:
            odd = () if at else (np.nan, np.inf)
            hard = (*_FLOATS, *odd) if ty.dtype.is_float else _INTEGERS
            return np.asarray(rng.choice(hard, ty.static_shape)).astype(ty.dtype.numpy)
        return draw(ty.static_shape, ty.dtype, example.domain, rng)

    return tuple(array(at, ty) for at, ty in enumerate(types))
