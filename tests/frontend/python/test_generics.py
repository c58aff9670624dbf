"""Functions and data types with type variables: one of each, for elements of every type."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import pytest

from relay.frontend.python import Tensor, data, float32, function, int32
from relay.support.errors import RelayError

A = TypeVar("A")
B = TypeVar("B")
Item = TypeVar("Item")


@data
class Nothing:
    pass


@data
class Some(Generic[Item]):
    value: Item


Option = Nothing | Some[A]


@data
class Left(Generic[A]):
    value: A


@data
class Right(Generic[B]):
    value: B


Either = Left[A] | Right[B]


@data
class Pair(Generic[A, B]):
    first: A
    second: B


@data
class Leaf:
    pass


@data
class Branch(Generic[A]):
    left: "Tree[A]"
    label: A
    right: "Tree[A]"


Tree = Leaf | Branch[A]
Total = Callable[[A, A], A]


@function
def map_option(f: Callable[[A], B], option: Option[A]) -> Option[B]:
    match option:
        case Nothing():
            return Nothing()
        case Some(value):
            return Some(f(value))


@function
def otherwise(option: Option[A], default: A) -> A:
    match option:
        case Some(value):
            return value
        case _:
            return default


@function
def swap(pair: Pair[A, B]) -> Pair[B, A]:
    return Pair(pair.second, pair.first)


@function
def collapse(total: Total[A], start: A, tree: Tree[A]) -> A:
    match tree:
        case Leaf():
            return start
        case Branch(left, label, right):
            return total(total(collapse(total, start, left), label), collapse(total, start, right))


@function
def map_tree(f: Callable[[A], B], tree: Tree[A]) -> Tree[B]:
    match tree:
        case Leaf():
            return Leaf()
        case Branch(left, label, right):
            return Branch(map_tree(f, left), f(label), map_tree(f, right))


@function
def half_of_even(n: int32) -> Option[int32]:
    return Some(n // 2) if n % 2 == 0 else Nothing()


@function
def three_times(x: Tensor["n"]) -> Tensor["n"]:
    return x * 3


@function
def summed(option: Option[Tensor[2]]) -> float32:
    return otherwise(map_option(three_times, option), np.zeros(2, np.float32)).sum()


@function
def halved(n: int32) -> float32:
    found = half_of_even(n)
    return otherwise(map_option(lambda half: half * 1.5, found), -1.0)


@function
def swapped(x: float32, n: int32) -> tuple[int32, float32]:
    pair = swap(Pair(x, n))
    return pair.first, pair.second


@function
def wrapped(x: float32) -> Pair[float32, Option[Tensor[2]]]:
    inside = Nothing()
    return Pair(x, inside)


@function
def heights(tree: Tree[Tensor[2]]) -> float32:
    sums = map_tree(lambda row: row.sum(), tree)
    return collapse(max, -100.0, sums)


@function
def ranges(n: int32) -> Tree[int32]:
    tree: Tree[int32] = Leaf()
    for i in range(n):
        tree = Branch(tree, i, Leaf())
    return tree


@function
def either(x: float32) -> float32:
    result: Either[int32, float32] = Left(7) if x > 0 else Right(x)
    match result:
        case Left(number):
            return number * 2.0
        case Right(value):
            return value


@function
def vector_or_zero(option: Option[Tensor["n"]], zero: Tensor["n"]) -> Tensor["n"]:
    return otherwise(option, zero)


@pytest.mark.parametrize("n", [6, 7])
def test_options(n):
    assert halved(n) == halved.python(n)
    assert half_of_even(n) == half_of_even.python(n)


def test_pairs():
    assert swapped(0.5, 3) == (3, 0.5)
    assert wrapped(2.0) == Pair(np.float32(2.0), Nothing())
    assert set(swapped.module.types) == {"Pair"}


def test_trees_of_two_types():
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    tree = Branch(Branch(Leaf(), rows[0], Leaf()), rows[3], Branch(Leaf(), rows[2], Leaf()))
    assert heights(tree) == heights.python(tree) == 13
    assert ranges(3) == ranges.python(3)


def test_either():
    assert [either(x) for x in (1.0, -2.5)] == [14.0, -2.5]


def test_sizes_and_variables_together():
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(vector_or_zero(Some(x), np.zeros_like(x)), x)
    np.testing.assert_array_equal(vector_or_zero(Nothing(), x * 2), x * 2)


@function
def roots(tree: Tree[float32]) -> float32:
    return collapse(max, 0.0, map_tree(np.sqrt, tree))


def test_operators_and_generic_functions_are_passed_on():
    tree = Branch(Leaf(), 4.0, Branch(Leaf(), 9.0, Leaf()))
    assert roots(tree) == roots.python(tree) == 3
    x = np.ones(2, np.float32)
    assert summed(Some(x)) == 6.0


def test_a_function_whose_own_type_variables_are_open_cannot_be_called_from_python():
    with pytest.raises(RelayError) as caught:
        otherwise(Some(1), 2)
    assert caught.value.code == "F140"


def test_data_whose_type_nothing_tells():
    @function
    def unknown(x: float32):
        return Nothing()

    with pytest.raises(RelayError) as caught:
        _ = unknown.module
    assert caught.value.code == "F133"
