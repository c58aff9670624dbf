"""Whole programs: each function gives the same values as plain Python and NumPy running it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import PythonFunction, Tensor, data, float32, function, int32

RNG = np.random.default_rng(7)


@data
class Nil:
    pass


@data
class Cons:
    head: float32
    tail: "Floats"


Floats = Nil | Cons


def plain(program: PythonFunction) -> Callable[..., Any]:
    """Return the Python function, calling Python functions only."""
    return program.python


def floats(*numbers: float) -> Floats:
    """Return a list."""
    result = Nil()
    for number in reversed(numbers):
        result = Cons(number, result)
    return result


# Loops


@function
def count_down(n: int32) -> int32:
    total = 0
    for i in range(n, 0, -2):
        total = (total * 3 + i) % 1009
    return total


@function
def harmonic(n: int32) -> float32:
    total = 0
    for i in range(1, n):
        for k in range(i):
            total += 1 / (i + k)
    return total


def test_a_number_takes_the_type_that_an_inner_loop_gives_it():
    assert harmonic(6) == pytest.approx(plain(harmonic)(6), rel=1e-6)


def test_ten_thousand_rounds_and_ten_thousand_calls():
    assert count_down(20_000) == plain(count_down)(20_000)
    assert even(10_000)


# Recursion, functions as values


@function
def even(n: int32) -> bool:
    if n == 0:
        return True
    return odd(n - 1)


@function
def odd(n: int32) -> bool:
    if n == 0:
        return False
    return even(n - 1)


@function
def apply_all(f: Callable[[float32], float32], items: Floats) -> Floats:
    match items:
        case Nil():
            return Nil()
        case Cons(head, tail):
            return Cons(f(head), apply_all(f, tail))


@function
def fold(f: Callable[[float32, float32], float32], start: float32, items: Floats) -> float32:
    match items:
        case Nil():
            return start
        case Cons(head=first, tail=rest):
            return fold(f, f(start, first), rest)


@function
def scaled(items: Floats, factor: float32) -> Floats:
    return apply_all(lambda x: x * factor + 1, items)


@function
def squares(items: Floats) -> float32:
    def square(x: float32) -> float32:
        return x * x

    return fold(lambda a, b: a + b, 0.0, apply_all(square, items))


@function
def closures(x: float32) -> float32:
    def twice(f, y):
        return f(f(y))

    def power(n: int32) -> float32:
        return 1.0 if n == 0 else x * power(n - 1)

    shift = lambda y: y + x  # noqa: E731
    return twice(shift, power(3)) + math.pi


def test_map_and_fold_over_a_list():
    items = floats(1.0, -2.0, 3.5)
    assert scaled(items, 2.0) == floats(3.0, -3.0, 8.0)
    assert squares(items) == pytest.approx(1 + 4 + 12.25)
    assert scaled(items, 0.5) == plain(scaled)(items, 0.5)
    assert set(scaled.module.functions) == {"main", "apply_all"}


def test_closures():
    expected = 1.5**3 + 1.5 + 1.5 + math.pi
    assert closures(1.5) == pytest.approx(expected, rel=1e-6)


def made_for(rows: int, columns: int):
    @function
    def halves(x: Tensor[rows, columns]) -> Tensor[rows, columns]:
        return x / 2

    return halves


def test_sizes_of_the_function_around():
    x = RNG.standard_normal((3, 4), np.float32)
    np.testing.assert_array_equal(made_for(3, 4)(x), x / 2)
    with pytest.raises(relay.RelayError):
        made_for(4, 3)(x)


def test_long_lists():
    items = floats(*[1.0] * 2000)
    assert squares(items) == 2000


def test_the_front_door():
    assert relay.function is function
    assert relay.data is data
