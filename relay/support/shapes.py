"""Shapes whose dimensions are numbers."""

from collections.abc import Iterable
from math import prod

from relay.support.dims import Shape


def is_static(shape: Shape) -> bool:
    """Whether every dimension is an integer."""
    return all(isinstance(dim, int) for dim in shape)


def static(shape: Shape) -> tuple[int, ...]:
    """Return the shape as integers; the caller knows that it is static."""
    assert is_static(shape), f"not static: {shape}"
    return tuple(dim for dim in shape if isinstance(dim, int))


def elements(shape: Iterable[int]) -> int:
    """Return the number of elements of a static shape."""
    return prod(shape)
