"""Compare derivatives with finite differences of the program itself."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from relay.autodiff.grad import jvp, value_and_grad
from relay.autodiff.tangent_types import holds_data
from relay.ir.module import HasModule, Module, module_of
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data
from relay.semantics.well_formed import check_types, check_well_formed

_STEP = 1e-6


def check_gradient(
    model: HasModule,
    args: Sequence[Any],
    argnums: Sequence[int] = (0,),
    *,
    seed: int = 7,
    tolerance: float = 1e-5,
) -> Module:
    """Check derivatives of a program in float64, and return the program of value and gradient.

    The gradient and forward mode are compared with central differences along a random direction.
    """
    derived = value_and_grad(model, tuple(argnums))
    check_well_formed(derived)
    check_types(derived)
    found: Any = evaluate(derived, *args)
    np.testing.assert_array_equal(found[0], evaluate(model, *args))
    rng = np.random.default_rng(seed)
    for number, gradient in zip(argnums, found[1], strict=True):
        direction = randomly_like(gradient, rng)
        measured = slope(model, args, number, direction)
        slopes = [inner(gradient, direction)]
        if not holds_data(module_of(model).main.params[number].type):
            slopes.append(forward_slope(model, args, number, direction))
        np.testing.assert_allclose(slopes, measured, rtol=tolerance, atol=tolerance)
    return derived


def forward_slope(model: HasModule, args: Sequence[Any], number: int, direction: Any) -> float:
    """Return the slope of a program along a direction of one argument, by forward mode."""
    derived = jvp(model, number)
    check_well_formed(derived)
    check_types(derived)
    found: Any = evaluate(derived, *args, direction)
    return float(found[1])


def slope(model: HasModule, args: Sequence[Any], number: int, direction: Any) -> float:
    """Return the slope of a program along a direction of one argument, by central differences."""

    def along(step: float) -> float:
        moved = [*args]
        moved[number] = shifted(args[number], direction, step)
        result: Any = evaluate(model, *moved)
        return float(result)

    return (along(_STEP) - along(-_STEP)) / (2 * _STEP)


def shifted(value: Any, direction: Any, step: float) -> Any:
    """Return `value + step * direction`; nothing is added for an empty direction."""
    parts, directions = _parts(value), _parts(direction)
    if directions is None:
        return value + step * direction
    if parts is None or not directions:
        return value
    moved = tuple(shifted(*pair, step) for pair in zip(parts, directions, strict=True))
    return Data(value.constructor, moved) if isinstance(value, Data) else moved


def inner(a: Any, b: Any) -> float:
    """Return the inner product of two values of one structure."""
    parts, others = _parts(a), _parts(b)
    if parts is None or others is None:
        return float(np.sum(np.multiply(a, b)))
    return sum(inner(*pair) for pair in zip(parts, others, strict=True))


def randomly_like(value: Any, rng: np.random.Generator) -> Any:
    """Return random numbers in the structure of a value."""
    parts = _parts(value)
    if parts is None:
        return rng.standard_normal(np.shape(value))
    made = tuple(randomly_like(each, rng) for each in parts)
    return Data(value.constructor, made) if isinstance(value, Data) else made


def _parts(value: Any) -> tuple[Any, ...] | None:
    """Return the fields of data or of a tuple; None for a tensor."""
    if isinstance(value, Data):
        return value.fields
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else None
