"""Check derivatives of operators: first and second order by finite differences, and types."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Array, Call, Expr, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type, has_any, substitute_dims
from relay.ir.walk import post_order, rewrite, substitute
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.ops.binary import add
from relay.ops.creation import Zeros
from relay.semantics.apply_operator import TensorValue, apply, as_constant, value_of
from relay.support.errors import OpenSizeError, RelayTypeError
from relay.testing.compare_values import flat
from relay.testing.example_arguments import Values, arguments
from relay.testing.example_types import fields_of, with_each_size_replaced

_SEED = 21
_STEP = 1e-5  # the step of a finite difference: curvature and rounding give an error of about 1e-10

Tangent: TypeAlias = "Expr | list[Expr | None] | None"
"""A derivative by a value: None is zero, a list has one item per field of a tuple."""


def check_derivative(op: OperatorDef, example: Example) -> None:
    """Check the derivative in float64 against central differences in random directions."""
    values = arguments(example, precise=True)
    if not (example.differentiable and _is_precise_call(op, values)):
        return
    rng = np.random.default_rng(_SEED)
    weights = _normal(rng, apply(op, *values))
    args = [Var("x", as_constant(value).type) for value in values]
    found = first_derivatives(op, args, as_constant(weights))
    felt = _differentiable(op)
    _check_slopes(rng, lambda *xs: apply(op, *xs), values, weights, args, found, felt)


def check_second_derivative(op: OperatorDef, example: Example) -> None:
    """Check the second derivative by central differences, also with respect to `d_out`."""
    values = arguments(example, precise=True)
    if not (example.differentiable and _is_precise_call(op, values)):
        return
    rng = np.random.default_rng(_SEED)
    weights = _normal(rng, apply(op, *values))
    args = [Var("x", as_constant(value).type) for value in (*values, weights)]
    first = _fields(first_derivatives(op, args[:-1], args[-1]))
    if not first:
        return
    whole, given = Tuple(tuple(first)), (*values, weights)

    def derivative(*xs: TensorValue) -> TensorValue:
        return _value_at(whole, args, xs)

    directions = _normal(rng, derivative(*given))
    found = backpropagated(whole, args, as_constant(directions))
    felt = [*_differentiable(op), True]
    _check_slopes(rng, derivative, given, directions, args, found, felt)


def _differentiable(op: OperatorDef) -> list[bool]:
    """Return for each argument whether it has a derivative to check."""
    return [name not in op.not_differentiated_by for name in op.arguments()]


def _fields(gradients: Sequence[Expr | None]) -> list[Expr]:
    """Return the tensors in derivatives, of which some may be tuples or None."""
    found: list[Expr] = []
    for each in gradients:
        if each is not None and isinstance(each.type, TupleType):
            found += [TupleGetItem(each, index) for index in range(len(each.type.fields))]
        elif each is not None:
            found.append(each)
    return found


def check_derivative_types(op: OperatorDef, example: Example) -> None:
    """Check that derivatives have the types of the arguments, for the example's types.

    This includes symbolic sizes if the type rule accepts them; a derivative may reject these with
    an `OpenSizeError`.
    """
    if not example.differentiable:
        return
    _check_types(op, example.types, {})
    n = DimVar("n")
    for types, sizes in with_each_size_replaced(example.types, n, n):
        _check_types(op, types, sizes)


def _check_types(op: OperatorDef, types: Sequence[Type], sizes: dict[DimVar, Dim]) -> None:
    try:
        result = op.result_type(types)
    except RelayTypeError:
        return
    static = op.result_type([substitute_dims(ty, sizes) for ty in types])
    if result is None or substitute_dims(result, sizes) is not static:
        return
    if not any(map(_is_float, fields_of(result))):
        return
    args = [Var("x", ty) for ty in types]
    try:
        found = first_derivatives(op, args, Var("d_out", result))
    except OpenSizeError:
        return
    for ty, gradient in zip(types, found, strict=True):
        if gradient is not None:
            derived = substitute_dims(gradient.type, sizes)
            assert derived is substitute_dims(ty, sizes), f"{ty!r} has a derivative {derived!r}"
            assert any(map(_is_float, fields_of(ty))), f"an argument {ty!r} has a derivative"


def first_derivatives(op: OperatorDef, args: Sequence[Expr], d_out: Expr) -> Sequence[Expr | None]:
    """Return the derivatives of a call: by the operator's rule, or through its decomposition."""
    call = Call(op, tuple(args))
    if op.has("gradient"):
        found = op.gradient(call, d_out)
        assert len(found) == len(args), "a derivative has an entry for each argument"
        return found
    return backpropagated(op.decompose(*args), args, d_out)


def backpropagated(result: Expr, by: Sequence[Expr], d_result: Expr) -> list[Expr | None]:
    """Return the derivatives of `result` with respect to its subexpressions `by`.

    They are computed in reverse mode.
    """
    tangents: dict[Expr, Tangent] = {}
    whole = rewrite(result, _with_rules)
    _put(tangents, whole, d_result)
    for node in reversed(post_order(whole)):
        known = tangents.get(node)
        if known is None or any(node is each for each in by):
            continue
        match node:
            case Tuple(fields):
                for field, part in zip(fields, _parts(known, len(fields)), strict=True):
                    _put(tangents, field, part)
            case TupleGetItem(inner, index):
                count = len(cast("TupleType", inner.type).fields)
                only: list[Expr | None] = [None] * count
                only[index] = _whole(known, node.type)
                _put(tangents, inner, only)
            case Call(OperatorDef() as op, args) if any(map(_has_derivative, args)):
                found = op.gradient(node, _whole(known, node.type))
                for arg, part in zip(args, found, strict=True):
                    _put(tangents, arg, part)
            case _:
                pass
    return [
        None if (found := tangents.get(each)) is None else _whole(found, each.type) for each in by
    ]


def _with_rules(expr: Expr) -> Expr:
    """Replace a call of an operator without derivative rule by its decomposition."""
    match expr:
        case Call(OperatorDef() as op, args) if not op.has("gradient") and op.has("decompose"):
            return rewrite(op.decompose(*args), _with_rules)
        case _:
            return expr


def _put(tangents: dict[Expr, Tangent], node: Expr, more: Tangent) -> None:
    """Add `more` to the accumulated derivative of a node, if the node has a derivative."""
    if more is None or not _has_derivative(node):
        return
    known = tangents.get(node)
    if isinstance(node.type, TupleType):
        count = len(node.type.fields)
        pairs = zip(_parts(known, count), _parts(more, count), strict=True)
        tangents[node] = [_sum(one, other) for one, other in pairs]
    else:
        tangents[node] = _sum(cast("Expr | None", known), cast("Expr", more))


def _sum(one: Expr | None, other: Expr | None) -> Expr | None:
    if one is None or other is None:
        return other if one is None else one
    return add(one, other)


def _parts(tangent: Tangent, count: int) -> Sequence[Expr | None]:
    match tangent:
        case None:
            return [None] * count
        case list():
            return tangent
        case Tuple(fields):
            return fields
        case _:
            return [TupleGetItem(tangent, index) for index in range(count)]


def _whole(tangent: Tangent, ty: Type) -> Expr:
    if not isinstance(tangent, list):
        assert tangent is not None, "a node without a derivative is passed over"
        return tangent
    fields = zip(tangent, fields_of(ty), strict=True)
    return Tuple(tuple(_zeros(each) if part is None else part for part, each in fields))


def _zeros(ty: TensorType) -> Expr:
    return Call(Zeros(ty.shape, ty.dtype), ())


def _check_slopes(
    rng: np.random.Generator,
    function: Callable[..., TensorValue],
    values: Values,
    weights: TensorValue,
    args: Sequence[Var],
    found: Sequence[Expr | None],
    felt: Sequence[bool],
) -> None:
    """Compare derivatives of `weights · function(values)` with finite differences."""
    for position, (value, gradient) in enumerate(zip(values, found, strict=True)):
        if is_precise(value) and felt[position]:
            direction = _normal(rng, value)
            measured = _difference(function, values, position, direction, weights)
            slope = 0.0
            if gradient is not None:
                ty, found_type = args[position].type, gradient.type
                is_known = not has_any(found_type)
                assert ty is found_type or not is_known, f"the derivative by {ty!r}: {found_type!r}"
                slope = _inner(_value_at(gradient, args, values), direction)
            np.testing.assert_allclose(slope, measured, rtol=1e-5, atol=1e-5)


def _difference(
    function: Callable[..., TensorValue],
    values: Values,
    position: int,
    direction: TensorValue,
    weights: TensorValue,
) -> float:
    """Return the directional derivative of `weights · function(values)`, by differences.

    The direction changes one argument.
    """

    def along(step: float) -> float:
        moved = list(values)
        moved[position] = _moved(values[position], direction, step)
        return _inner(function(*moved), weights)

    return (along(_STEP) - along(-_STEP)) / (2 * _STEP)


def _moved(value: TensorValue, direction: TensorValue, step: float) -> TensorValue:
    pairs = zip(map(_doubles, flat(value)), map(_doubles, flat(direction)), strict=True)
    moved = tuple(np.asarray(a + step * b) for a, b in pairs)
    return moved if isinstance(value, tuple) else moved[0]


def _value_at(expr: Expr, args: Sequence[Var], values: Values) -> TensorValue:
    return value_of(substitute(expr, dict(zip(args, map(as_constant, values), strict=True))))


def _is_precise_call(op: OperatorDef, values: Values) -> bool:
    """Whether an operator accepts float64 values and returns float64."""
    try:
        op.result_type([as_constant(value).type for value in values])
    except RelayTypeError:  # it requires float32, for example for the scales of quantised numbers
        return False
    return is_precise(apply(op, *values))


def is_precise(value: TensorValue) -> bool:
    """Return whether all arrays of a value are float64."""
    return all(array.dtype == np.float64 for array in flat(value))


def _has_derivative(node: Expr) -> bool:
    """Whether a subexpression contains floats, so that derivatives propagate through it."""
    return any(map(_is_float, fields_of(node.type)))


def _is_float(ty: TensorType) -> bool:
    return ty.dtype.is_float


def _normal(rng: np.random.Generator, like: TensorValue) -> TensorValue:
    """Return normally distributed numbers in the shapes of a value."""
    made = tuple(np.asarray(rng.standard_normal(array.shape)) for array in flat(like))
    return made if isinstance(like, tuple) else made[0]


def _inner(a: TensorValue, b: TensorValue) -> float:
    pairs = zip(map(_doubles, flat(a)), map(_doubles, flat(b)), strict=True)
    return float(sum(np.vdot(x, y) for x, y in pairs))


def _doubles(array: Array) -> npt.NDArray[np.float64]:
    return array.astype(np.float64)
