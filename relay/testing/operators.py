"""What is checked of every operator, from the examples in its class: one function for each law.

`tests/ops/test_every_operator.py` runs these over the whole table. An operator that lives outside
Relay can be held to the same laws:

>>> from relay.ops.elementwise import Clip
>>> for example in Clip.examples:
...     check_example(Clip, example)
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type, has_any, substitute_dims
from relay.ir.walk import fold
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.semantics.apply import TensorValue, apply, as_constant
from relay.support.dtype import DType, Kind, bool_, dtype, float32, float64
from relay.support.errors import TypeError_
from relay.testing.kernels import run_operator

Values: TypeAlias = tuple[TensorValue, ...]

_SEED = 20
_STEP = 1e-5  # of a finite difference: its error is about 1e-10 by curvature and by rounding
_PRECISION = {16: 500.0, 64: 1e-6}  # tolerances by width, relative to that of float32
_ODD_FLOATS = (
    *(np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0),
    *(1e-3, -7.25, 1e-40, -1e-40, 3e38, -3e38),
)


def check_class(cls: type[OperatorDef]) -> None:
    """Check what is not about a single example: documentation, examples, rules that are filled in."""
    assert cls.__doc__ is not None, "an operator says what it does in a docstring"
    assert not cls.__doc__.startswith(f"{cls.__name__}("), "a docstring, not dataclass's signature"
    assert cls.examples, f"{cls.name} has no examples, so nothing about it is tested"
    assert cls.has("infer") or cls.has("relate"), f"{cls.name} has no type rule"
    assert cls.has("reference") or cls.has("decompose"), f"{cls.name} does not say what it means"
    names = cls.arguments()
    assert len(set(names)) == len(names)
    attributes = set(cls.__match_args__)
    assert cls.has("infer"), f"{cls.name} names its arguments in its type rule"
    assert attributes.isdisjoint({"self", "args"})


def check_example(cls: type[OperatorDef], example: Example) -> None:
    """Check every law on one example."""
    check_reference(cls, example)
    check_symbolic(cls, example)
    check_decomposition(cls, example)
    check_derivative(cls, example)
    check_kernel(cls, example)
    check_odd_values(cls, example)


def check_reference(cls: type[OperatorDef], example: Example) -> None:
    """Check that the reference gives arrays of the type that the type rule says."""
    op = instance(cls, example)
    expected = result_type(op, example.types)
    if not op.has("reference"):
        return
    with np.errstate(all="ignore"):
        value = op.reference(*cast("Values", arguments(example)))  # pyright: ignore[reportArgumentType]
    for array, ty in zip(map(np.asarray, flat(value)), _fields(expected), strict=True):
        found = TensorType(array.shape, dtype(array.dtype))
        assert found is ty or _matches(ty, found), f"inferred {ty!r}, but the reference is {found!r}"


def check_symbolic(cls: type[OperatorDef], example: Example) -> None:
    """Check that the type rule stands symbolic sizes, and agrees with itself once they are known.

    It may refuse them with a `TypeError_`; it must not fail otherwise, nor say something else.
    """
    op = instance(cls, example)
    static = result_type(op, example.types)
    for types, sizes in generalised(example.types):
        try:
            general = op.result_type(types)
        except TypeError_:
            continue
        if general is None:
            continue
        for ty, known in zip(_fields(substitute_dims(general, sizes)), _fields(static), strict=True):
            assert has_any(ty) or ty is known, f"{types} gave {general!r}, but {known!r} when static"


def check_decomposition(cls: type[OperatorDef], example: Example) -> None:
    """Check that the smaller operators of a decomposition give what the reference gives."""
    op = instance(cls, example)
    if not (op.has("decompose") and op.has("reference")):
        return
    values = arguments(example)
    parts = evaluate(op.decompose(*map(as_constant, values)))
    assert_close(parts, apply(op, *values), example.tolerance)


def check_derivative(cls: type[OperatorDef], example: Example) -> None:
    """Check the derivative in float64 against central finite differences, in random directions."""
    op = instance(cls, example)
    if not (op.has("gradient") and example.differentiable):
        return
    values = arguments(example, precise=True)
    if not all(array.dtype == np.float64 for array in flat(apply(op, *values))):
        return
    rng = np.random.default_rng(_SEED)
    call = Call(op, tuple(map(as_constant, values)))
    d_out = as_constant(_map(rng.standard_normal, apply(op, *values)))
    gradients = op.gradient(call, d_out)
    assert len(gradients) == len(values), "a derivative has an entry for each argument"
    for position, gradient in enumerate(gradients):
        if all(array.dtype == np.float64 for array in flat(values[position])):
            _check_direction(op, values, position, evaluate(d_out), gradient, rng)


def _check_direction(
    op: OperatorDef,
    values: Values,
    position: int,
    d_out: TensorValue,
    gradient: Expr | None,
    rng: np.random.Generator,
) -> None:
    """Compare the slope along one random direction of one argument."""
    direction = _map(rng.standard_normal, values[position])
    slope = 0.0
    if gradient is not None:
        assert gradient.type is as_constant(values[position]).type, "of the type of its argument"
        slope = _inner(evaluate(gradient), direction)
    ends: list[float] = []
    for step in (_STEP, -_STEP):
        moved = list(values)
        pairs = zip(flat(values[position]), flat(direction), strict=True)
        arrays = tuple(np.asarray(a + step * b) for a, b in pairs)
        moved[position] = arrays if isinstance(values[position], tuple) else arrays[0]
        ends.append(_inner(apply(op, *moved), d_out))
    measured = (ends[0] - ends[1]) / (2 * _STEP)
    np.testing.assert_allclose(slope, measured, rtol=1e-5, atol=1e-5)


def check_kernel(cls: type[OperatorDef], example: Example) -> None:
    """Check that compiled code gives what the reference gives."""
    op = instance(cls, example)
    if op.has("compute"):
        values = arguments(example)
        assert_close(run_operator(op, values), apply(op, *values), example.tolerance)


def check_odd_values(cls: type[OperatorDef], example: Example) -> None:
    """Check compiled elementwise code on NaN, infinities, zeros, tiny, huge and extreme numbers."""
    op = instance(cls, example)
    if not (op.has("compute") and op.fusion <= Fusion.BROADCAST):
        return
    values = odd_arguments(example)
    if values is not None:
        assert_close(run_operator(op, values), apply(op, *values), example.tolerance)


def instance(cls: type[OperatorDef], example: Example) -> OperatorDef:
    """Return the operator with the attributes of an example."""
    return cls(**example.attributes)


def result_type(op: OperatorDef, types: Sequence[Type]) -> Type:
    """Return the type of a call, which is known."""
    found = op.result_type(types)
    assert found is not None, f"{op.name} cannot tell the type of its result"
    return found


def arguments(example: Example, *, precise: bool = False) -> Values:
    """Return values for the arguments of an example; floats are float64 if they are to be `precise`."""
    rng = np.random.default_rng(_SEED)
    return tuple(
        _argument(ty, example, position, rng, precise=precise)
        for position, ty in enumerate(example.types)
    )


def _argument(
    ty: TensorType | TupleType,
    example: Example,
    position: int,
    rng: np.random.Generator,
    *,
    precise: bool,
) -> TensorValue:
    if isinstance(ty, TupleType):
        fields = cast("tuple[TensorType, ...]", ty.fields)
        return tuple(_argument(each, example, -1, rng, precise=precise) for each in fields)
    wanted = float64 if precise and ty.dtype.is_float else ty.dtype
    if position in example.values:
        given = np.asarray(example.values[position]).astype(wanted.numpy)
        return np.broadcast_to(given, ty.static_shape).copy()
    return draw(ty.static_shape, wanted, example.domain, rng)


def draw(
    shape: tuple[int, ...], of: DType, domain: tuple[float, float], rng: np.random.Generator
) -> Array:
    """Return random elements: integers from the half-open range, without what the dtype cannot hold."""
    if of is bool_:
        return rng.integers(0, 2, shape).astype(bool)
    low, high = domain
    if of.is_float:
        return np.asarray(rng.uniform(low, high, shape)).astype(of.numpy)
    limits = np.iinfo(of.numpy)
    first = int(max(low, limits.min))
    last = int(max(min(high - 1, float(limits.max)), first))
    return np.asarray(rng.integers(first, last, shape, endpoint=True)).astype(of.numpy)


def odd_arguments(example: Example) -> Values | None:
    """Return all pairs of odd values for an elementwise example; None if it is not one.

    Such an example has one argument, or two of one dtype; its own values are left out.
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
        return np.asarray(_ODD_FLOATS).astype(of.numpy)
    limits = np.iinfo(of.numpy)
    small = [number for number in (-7, -2, -1, 0, 1, 2, 3, 7) if number >= limits.min]
    return np.array([limits.min, limits.min + 1, *small, limits.max - 1, limits.max], of.numpy)


def generalised(types: Sequence[Type]) -> Iterator[tuple[list[Type], dict[DimVar, Dim]]]:
    """Yield the types with one size replaced: at one axis, or wherever it stands, by `n` or `Any`."""
    sizes = {dim for ty in types for field in _fields(ty) for dim in field.shape}
    n = DimVar("n")
    for size in sorted(size for size in sizes if isinstance(size, int) and size > 1):
        for new in (n, ANY):
            yield [_replaced(ty, size, new, None) for ty in types], {n: size}
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


def _replaced(ty: Type, size: Dim, new: Dim, only: int | None) -> Type:
    if isinstance(ty, TupleType):
        return TupleType(tuple(_replaced(field, size, new, only) for field in ty.fields))
    assert isinstance(ty, TensorType)
    shape = enumerate(ty.shape)
    return TensorType(
        tuple(new if dim == size and only in (None, axis) else dim for axis, dim in shape),
        ty.dtype,
    )


def evaluate(expr: Expr) -> TensorValue:
    """Return the value of an expression of operators, constants and tuples, by references."""

    def visit(expr: Expr, inner: list[TensorValue | None]) -> TensorValue | None:
        match expr:
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
    assert value is not None, f"{type(expr).__name__} is no value"
    return value


def assert_close(actual: TensorValue, expected: TensorValue, tolerance: float) -> None:
    """Check that values agree: integers exactly, floats as their width allows, NaN where NaN is."""
    for found, wanted in zip(flat(actual), flat(expected), strict=True):
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        of = dtype(wanted.dtype)
        if not of.is_float:
            np.testing.assert_array_equal(found, wanted)
            continue
        bound = tolerance * _PRECISION.get(of.bits, 1.0) * (8 if of.kind is Kind.BFLOAT else 1)
        wide = np.float64
        np.testing.assert_allclose(found.astype(wide), wanted.astype(wide), rtol=bound, atol=bound)


def flat(value: TensorValue) -> tuple[Array, ...]:
    """Return the arrays of a value, one or several."""
    return value if isinstance(value, tuple) else (value,)


def _map(function: Any, value: TensorValue) -> TensorValue:
    """Return a value of the same shapes with elements from a generator's method."""
    made = tuple(np.asarray(function(array.shape)) for array in flat(value))
    return made if isinstance(value, tuple) else made[0]


def _inner(a: TensorValue, b: TensorValue) -> float:
    return float(sum(np.vdot(x, y) for x, y in zip(flat(a), flat(b), strict=True)))


def _fields(ty: Type) -> tuple[TensorType, ...]:
    return cast("tuple[TensorType, ...]", ty.fields if isinstance(ty, TupleType) else (ty,))


def _matches(ty: TensorType, found: TensorType) -> bool:
    """Whether a type with unknown sizes allows a static one."""
    pairs = zip(ty.shape, found.shape, strict=True)
    return (
        ty.dtype is found.dtype
        and ty.rank == found.rank
        and all(not isinstance(dim, int) or dim == size for dim, size in pairs)
    )
