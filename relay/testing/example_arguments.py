"""Generate argument values for operator examples: random numbers, and special values."""

from typing import Any, TypeAlias

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.opdef.example import Example
from relay.semantics.apply_operator import TensorValue
from relay.support.dtype import DType, bool_, float64
from relay.testing.example_types import fields_of

Values: TypeAlias = tuple[TensorValue, ...]

_SEED = 20
_SPECIAL_FLOATS = (
    *(np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0),
    *(1e-3, -7.25, 1e-40, -1e-40, 3e38, -3e38),
)


def arguments(example: Example, *, precise: bool = False) -> Values:
    """Return argument values for an example; with `precise`, floats are float64."""
    rng = np.random.default_rng(_SEED)

    def array(ty: TensorType, given: Any = None) -> Array:
        of = float64 if precise and ty.dtype.is_float else ty.dtype
        if given is None:
            return draw(ty.static_shape, of, example.domain, rng)
        return np.broadcast_to(np.asarray(given).astype(of.numpy), ty.static_shape).copy()

    def argument(ty: TensorType | TupleType, given: Any) -> TensorValue:
        if isinstance(ty, TupleType):
            return tuple(map(array, fields_of(ty), given or [None] * len(ty.fields)))
        return array(ty, given)

    types = enumerate(example.types)
    return tuple(argument(ty, example.values.get(position)) for position, ty in types)


def draw(
    shape: tuple[int, ...], of: DType, domain: tuple[float, float], rng: np.random.Generator
) -> Array:
    """Return random elements in a domain; for integers, the upper end is exclusive."""
    if of is bool_:
        return rng.integers(0, 2, shape).astype(bool)
    low, high = domain
    if of.is_complex:
        real, imaginary = (draw(shape, of.part, domain, rng) for _ in range(2))
        return np.asarray(real + 1j * imaginary).astype(of.numpy)
    if of.is_float:
        return np.asarray(rng.uniform(low, high, shape)).astype(of.numpy)
    least, largest = of.limits
    first = int(max(low, least))
    last = int(max(min(high - 1, float(largest)), first))
    return np.asarray(rng.integers(first, last, shape, endpoint=True)).astype(of.numpy)


def special_value_arguments(example: Example) -> Values | None:
    """Return all pairs of special values for an elementwise example; None for other examples.

    An elementwise example has one argument, or two of one dtype, and no values of its own.
    """
    types = [ty for ty in example.types if isinstance(ty, TensorType)]
    distinct = {ty.dtype for ty in types}
    if example.values or len(types) != len(example.types) or len(distinct) != 1 or len(types) > 2:
        return None
    odd = _special_values(distinct.pop())
    return (odd,) if len(types) == 1 else (odd[:, None], odd[None, :].copy())


def _special_values(of: DType) -> Array:
    if of is bool_:
        return np.array([False, True])
    if of.is_float or of.is_complex:
        with np.errstate(over="ignore"):
            return np.asarray(_SPECIAL_FLOATS).astype(of.numpy)
    least, largest = of.limits
    small = [number for number in (-7, -2, -1, 0, 1, 2, 3, 7) if least <= number <= largest]
    return np.array([least, least + 1, *small, largest - 1, largest], of.numpy)
