"""Whole programs: each function gives the same values as plain Python and NumPy running it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import PythonFunction, Tensor, data, float32, function, int32

RNG = np.random.default_rng(7)
W_IN = RNG.standard_normal((5, 8), np.float32)
W_STATE = RNG.standard_normal((8, 8), np.float32)
W_OUT = RNG.standard_normal((8, 5), np.float32)


@data
class Nil:
    pass


@data
class Cons:
    head: float32
    tail: "Floats"


Floats = Nil | Cons


@data
class Leaf:
    word: Tensor[4]


@data
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


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
def newton(a: float32) -> float32:
    x = a
    steps = 0
    while abs(x * x - a) > 1e-5 * a and steps < 50:
        x = 0.5 * (x + a / x)
        steps += 1
    return x


@function
def collatz(n: int32) -> int32:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


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


@function
def first_above(x: Tensor["n"], limit: float32) -> int32:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@function
def some_rows(x: Tensor["n", 3]) -> float32:
    total = 0
    for row in x:
        if row[0] > 1.5:
            break
        if row[1] < 0:
            continue
        total += row.sum()
    return total


@function
def primes(n: int32) -> int32:
    found = 0
    for i in range(2, n):
        prime = True
        for k in range(2, i):
            if i % k == 0:
                prime = False
                break
        if prime:
            found += 1
    return found


@function
def divisor(n: int32) -> int32:
    k = 2
    while True:
        if k * k > n:
            return n
        if n % k == 0:
            return k
        k += 1


@function
def nested_return(n: int32, stop: int32) -> int32:
    seen = 0
    for i in range(n):
        for k in range(i):
            if i * k == stop:
                return 100 * i + k
            seen += 1
    return -seen


@pytest.mark.parametrize("a", [2.0, 9.0, 1234.5])
def test_newton(a):
    assert newton(a) == pytest.approx(plain(newton)(a), rel=1e-6)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (collatz, (27,)),
        (count_down, (10001,)),
        (primes, (30,)),
        (divisor, (91,)),
        (divisor, (97,)),
        (nested_return, (6, 12)),
        (nested_return, (6, 13)),
    ],
)
def test_loops_over_integers(program, arguments):
    assert program(*arguments) == plain(program)(*arguments)


def test_a_number_takes_the_type_that_an_inner_loop_gives_it():
    assert harmonic(6) == pytest.approx(plain(harmonic)(6), rel=1e-6)


def test_loops_over_tensors():
    x = RNG.standard_normal((9, 3), np.float32)
    assert some_rows(x) == pytest.approx(plain(some_rows)(x), rel=1e-5)
    column = x[:, 0].copy()
    for limit in (0.5, 99.0):
        assert first_above(column, limit) == plain(first_above)(column, limit)


def test_ten_thousand_rounds_and_ten_thousand_calls():
    assert count_down(20_000) == plain(count_down)(20_000)
    assert even(10_000)


# Branches


@function
def grade(points: int32) -> int32:
    if points > 90:
        mark = 1
    elif points > 70:
        mark = 2
    else:
        mark = 5
    bonus = 10 if points % 2 == 0 and points != 80 else 0
    return mark + bonus


@function
def early(a: int32, b: int32) -> int32:
    c = 0
    if a > 0:
        if b > 0:
            return a * b
        c = a
    else:
        if b < -5:
            return b
        c = b
    c = c + 1
    if c == 3:
        return 1000
    return c


def test_branches():
    for points in (95, 94, 80, 75, 3):
        assert grade(points) == plain(grade)(points)
    for a in (-1, 1, 2):
        for b in (-9, -3, 2, 5):
            assert early(a, b) == plain(early)(a, b)


# Recursion, functions as values


@function
def fibonacci(n: int32) -> int32:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


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


def test_recursion():
    assert fibonacci(12) == plain(fibonacci)(12)
    assert [bool(even(n)) for n in range(4)] == [True, False, True, False]


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


# Models


@function
def generate(start: int32, count: int32) -> Tensor[1, 5]:
    state = np.zeros((1, 8), np.float32)
    letter = start
    scores = np.zeros((1, 5), np.float32)
    for _ in range(count):
        x = W_IN[letter].reshape(1, 8)
        state = np.tanh(x + state @ W_STATE)
        scores = scores * 0.5 + state @ W_OUT
        letter = np.argmax(scores[0])
    return scores


@function
def encode(tree: Tree) -> tuple[Tensor[4], Tensor[4]]:
    match tree:
        case Leaf(word):
            return word, np.tanh(word)
        case Node(left, right):
            c_left, h_left = encode(left)
            c_right, h_right = encode(right)
            both = h_left + h_right
            gate = 1 / (1 + np.exp(-both))
            c = gate * np.tanh(both) + 0.5 * (c_left + c_right)
            return c, gate * np.tanh(c)


@function
def power(m: Tensor["k", "k"], one: Tensor["k", "k"], n: int32) -> Tensor["k", "k"]:
    result = one
    while n > 0:
        if n % 2 == 1:
            result = result @ m
        m = m @ m
        n //= 2
    return result


@function
def beam(steps: int32) -> tuple[Tensor[3], Tensor[3, int32]]:
    scores = np.array([0.0, -1.0, -2.0], np.float32)
    states = np.array([0, 1, 2], np.int32)
    for _ in range(steps):
        logits = W_OUT[states]
        total = (scores.reshape(3, 1) + logits).reshape(15)
        order = np.argsort(-total)[:3]
        scores = np.take(total, order)
        states = (order % 5).astype(np.int32)
    return scores, states


def test_characters_one_after_another():
    expected = plain(generate)(np.int32(2), 6)
    np.testing.assert_allclose(generate(2, 6), expected, rtol=1e-4, atol=1e-5)


def test_a_tree():
    def leaf():
        return Leaf(RNG.standard_normal(4, np.float32))

    tree = Node(Node(leaf(), leaf()), Node(leaf(), Node(leaf(), leaf())))
    expected = plain(encode)(tree)
    for found, wanted in zip(encode(tree), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_powers_of_a_matrix():
    m = RNG.standard_normal((3, 3), np.float32)
    one = np.eye(3, dtype=np.float32)
    expected = np.linalg.matrix_power(m.astype(np.float64), 9)
    np.testing.assert_allclose(power(m, one, 9), expected, rtol=1e-3)


def test_beam_search():
    for found, wanted in zip(beam(5), plain(beam)(5), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_the_front_door():
    assert relay.function is function
    assert relay.data is data
