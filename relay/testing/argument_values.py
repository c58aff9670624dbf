"""Generate argument values for operator examples, and compare values."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef.example import Example
from relay.semantics.apply_operator import TensorValue
from relay.support.dtype import DType, Kind, bool_, dtype, float64

Values: TypeAlias = tuple[TensorValue, ...]

_SEED = 20
_PRECISION = {16: 500.0, 64: 1e-6}  # rounding errors by width, relative to that of float32
_ODD_FLOATS = (
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
    if of.is_float:
        return np.asarray(rng.uniform(low, high, shape)).astype(of.numpy)
    least, largest = of.limits
    first = int(max(low, least))
    last = int(max(min(high - 1, float(largest)), first))
    return np.asarray(rng.integers(first, last, shape, endpoint=True)).astype(of.numpy)


def odd_arguments(example: Example) -> Values | None:
    """Return all pairs of special values for an elementwise example; None for other examples.

    An elementwise example has one argument, or two of one dtype, and no values of its own.
    """
    types = [ty for ty in example.types if isinstance(ty, TensorType)]
    distinct = {ty.dtype for ty in types}
    if example.values or len(types) != len(example.types) or len(distinct) != 1 or len(types) > 2:
        return None
    odd = _odd(distinct.pop())
    return (odd,) if len(types) == 1 else (odd[:, None], odd[None, :].copy())


def _odd(of: DType) -> Array:
    if of is bool_:
        return np.array([False, True])
    if of.is_float:
        with np.errstate(over="ignore"):
            return np.asarray(_ODD_FLOATS).astype(of.numpy)
    least, largest = of.limits
    small = [number for number in (-7, -2, -1, 0, 1, 2, 3, 7) if least <= number <= largest]
    return np.array([least, least + 1, *small, largest - 1, largest], of.numpy)


def generalised(types: Sequence[Type]) -> Iterator[tuple[list[Type], dict[DimVar, Dim]]]:
    """Yield the types with a size replaced by `n` or `Any`: on one axis, or everywhere."""
    n = DimVar("n")
    for new in (n, ANY):
        yield from open_sizes(types, n, new)
    places = [
        (argument, axis)
        for argument, ty in enumerate(types)
        if isinstance(ty, TensorType)
        for axis in range(ty.rank)
    ]
    for (argument, axis), new in product(places, (n, ANY)):
        changed = list(types)
        ty = cast("TensorType", types[argument])
        changed[argument] = _replaced(ty, ty.shape[axis], new, axis)
        yield changed, {n: ty.shape[axis]}


def open_sizes(
    types: Sequence[Type], n: DimVar, new: Dim
) -> Iterator[tuple[list[Type], dict[DimVar, Dim]]]:
    """Yield the types with each size in turn replaced by `new` everywhere.

    The second item of a pair maps `n` to the size that was replaced.
    """
    sizes = {dim for ty in types for field in fields_of(ty) for dim in field.shape}
    for size in sorted(size for size in sizes if isinstance(size, int) and size > 1):
        yield [_replaced(ty, size, new, None) for ty in types], {n: size}


def _replaced(ty: Type, size: Dim, new: Dim, only: int | None) -> Type:
    if isinstance(ty, TupleType):
        return TupleType(tuple(_replaced(field, size, new, only) for field in ty.fields))
    assert isinstance(ty, TensorType)
    shape = enumerate(ty.shape)
    return TensorType(
        tuple(new if dim == size and only in (None, axis) else dim for axis, dim in shape),
        ty.dtype,
    )


def assert_close(actual: TensorValue, expected: TensorValue, tolerance: float) -> None:
    """Assert that values agree: integers exactly, floats within tolerance, NaN with NaN."""
    for found, wanted in zip(flat(actual), flat(expected), strict=True):
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        of = dtype(wanted.dtype)
        if not of.is_float:
            exact = np.float32 if of.is_minifloat else found.dtype  # NumPy can test NaN in these
            np.testing.assert_array_equal(found.astype(exact), wanted.astype(exact))
            continue
        bound = tolerance * precision(of)
        wide = np.float64
        np.testing.assert_allclose(found.astype(wide), wanted.astype(wide), rtol=bound, atol=bound)


def precision(of: DType) -> float:
    """Return the rounding error of a float type, relative to that of float32.

    >>> precision(dtype("float16")) > 1 > precision(float64)
    True
    """
    return _PRECISION.get(of.bits, 1.0) * (8 if of.kind is Kind.BFLOAT else 1)


def flat(value: TensorValue) -> tuple[Array, ...]:
    """Return the arrays of a value as a tuple, of one or several."""
    return value if isinstance(value, tuple) else (value,)


def fields_of(ty: Type) -> tuple[TensorType, ...]:
    """Return the tensor types of a value's type as a tuple, of one or several."""
    return cast("tuple[TensorType, ...]", ty.fields if isinstance(ty, TupleType) else (ty,))
