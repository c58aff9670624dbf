"""Data as arguments and results of functions mapped by `relay.vmap`."""

from typing import Any, Generic, TypeVar, cast

import numpy as np
import pytest

import relay
from relay.frontend.python import float64
from relay.runtime.code.interface_types import Data
from relay.support.errors import RelayError

T = TypeVar("T")
vmap = cast("Any", relay.vmap)


@relay.data
class Pair:
    """Two numbers."""

    a: float64
    b: float64


@relay.function
def product(p: Pair) -> float64:
    """Return a number of the data."""
    return p.a * p.b


def test_data_is_mapped() -> None:
    """Its tensors have the rows, and their number."""
    x = np.array([1.0, 3.0])
    pair, many = Pair(x, x + 1.0), vmap(product)
    np.testing.assert_allclose(many(pair), x * (x + 1.0))
    np.testing.assert_allclose(relay.jit(many)(pair), x * (x + 1.0))
    np.testing.assert_allclose(vmap(relay.grad(product))(pair).a, x + 1.0)
    np.testing.assert_allclose(vmap(lambda each: each[0].a * each[1])([pair, x]), x * x)
    columns = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(vmap(many)(Pair(columns, columns)), columns**2)
    with pytest.raises(RelayError, match="size 3 at axis 0, not 2"):
        many(Pair(x, np.ones(3)))

    with pytest.raises(
        RelayError, match="'p' is mapped, so each tensor in it needs an additional first axis"
    ):
        relay.jit(lambda p: vmap(product)(p) + 1.0)(Pair(2.0, 5.0))


def test_data_is_mapped_inside_a_traced_function() -> None:
    """Arguments, objects made there and results of other maps have the new axis."""
    x = np.array([1.0, 3.0])
    pair, rows = Pair(x, x + 1.0), np.arange(6.0).reshape(2, 3)

    def loss(p: Any) -> Any:
        return np.sum(vmap(product)(p) * p.a)

    np.testing.assert_allclose(relay.jit(loss)(pair), np.sum(x * x * (x + 1.0)))
    np.testing.assert_allclose(relay.jit(relay.grad(loss))(pair).a, 2.0 * x * (x + 1.0))
    made = relay.jit(
        lambda x: vmap(product)(vmap(lambda y: Pair(y, y))(x)) + vmap(product)(Pair(x, x))
    )
    np.testing.assert_allclose(made(x), 2.0 * x * x)
    twice = relay.jit(lambda p: 1.0 * vmap(lambda q: vmap(product)(q) + q.a)(p))
    np.testing.assert_allclose(twice(Pair(rows, rows)), rows * rows + rows)
    mixed = relay.jit(vmap(lambda p, q: p.a * q.b, in_axes=(0, None)))
    np.testing.assert_allclose(mixed(pair, Pair(2.0, 5.0)), 5.0 * x)


def test_data_is_shared() -> None:
    """It has no rows, even if another argument or the result has data of the same type."""
    x, one = np.array([1.0, 3.0]), Pair(2.0, 5.0)
    mixed = vmap(lambda p, q: p.a * q.b, in_axes=(0, None))
    np.testing.assert_allclose(mixed(Pair(x, x), one), 5.0 * x)
    slope = vmap(relay.grad(lambda p, y: p.a * p.a * y), in_axes=(None, 0))
    np.testing.assert_allclose(slope(one, x).a, 4.0 * x)
    np.testing.assert_allclose(slope(one, x).b, np.zeros(2))
    compiled = relay.jit(vmap(lambda p, q: (p.a * q.b, 2.0), in_axes=(None, 0)))
    np.testing.assert_allclose(np.stack(compiled(one, Pair(x, x))), [2.0 * x, x * 0.0 + 2.0])
    twice = vmap(slope, in_axes=(0, None))(Pair(x, x), np.ones(3))
    np.testing.assert_allclose(twice.a, np.stack([2.0 * x] * 3, axis=1))

    def loss(p: Pair, y: Any) -> Any:
        return vmap(lambda q, z: q.a * q.b * z, in_axes=(None, 0))(p, y).sum()

    np.testing.assert_allclose(relay.jit(relay.grad(loss))(one, x).a, 5.0 * x.sum())


@relay.data
class Nil:
    """The end of a list."""


@relay.data
class Cons(Generic[T]):
    """A number in a list, and the rest."""

    head: T
    tail: "Numbers[T]"


Numbers = Nil | Cons[T]


@relay.function
def folded(first: Numbers[float64], others: Numbers[tuple[float64, float64]]) -> float64:
    """Return a number of two lists, in a loop over each."""
    found = 0.0
    while isinstance(first, Cons):
        found = 0.5 * found + first.head * first.head
        first = first.tail
    while isinstance(others, Cons):
        found = 0.5 * found + others.head[0] * others.head[1]
        others = others.tail
    return found


def test_loops_over_lists() -> None:
    """All rows leave them together, in lists of any type."""
    x = np.array([1.0, 3.0])
    first, others = Cons(x, Cons(x + 1.0, Nil())), Cons((x, x), Nil())
    wanted = (0.5 * x * x + (x + 1.0) ** 2) * 0.5 + x * x
    np.testing.assert_allclose(relay.jit(vmap(folded))(first, others), wanted)
    np.testing.assert_allclose(vmap(relay.grad(folded))(first, others).tail.head, x + 1.0)
    shared = relay.jit(vmap(folded, in_axes=(None, 0)))
    np.testing.assert_allclose(shared(Cons(2.0, Nil()), others), 2.0 + x * x)


def test_generic_data_in_a_traced_function() -> None:
    """The fields of an object tell its type arguments, also with the new axes."""

    def total(numbers: Numbers[float64]) -> float64:
        found = 0.0
        while isinstance(numbers, Cons):
            found = found + numbers.head * numbers.head
            numbers = numbers.tail
        return found

    x, rows = np.array([1.0, 3.0]), np.arange(6.0).reshape(2, 3)
    slope = relay.jit(relay.grad(lambda each: np.sum(vmap(total)(each))))(Cons(x, Nil()))
    np.testing.assert_allclose(slope.head, 2.0 * x)
    made = relay.jit(lambda x: vmap(total)(Cons(x, Cons(x, Nil()))))
    np.testing.assert_allclose(made(x), 2.0 * x * x)
    twice = relay.jit(vmap(vmap(total)))
    np.testing.assert_allclose(twice(Cons(rows, Nil())), rows * rows)


def test_first_of_a_list() -> None:
    """A row leaves the loop where it finds what it looks for."""

    def first_above(numbers: Numbers[float64], bound: float64) -> float64:
        while isinstance(numbers, Cons):
            if numbers.head > bound:
                return numbers.head
            numbers = numbers.tail
        return bound

    numbers = Cons(2.0, Cons(3.0, Nil()))
    found = vmap(first_above, in_axes=(None, 0))(numbers, np.array([1.0, 2.0, 4.0]))
    np.testing.assert_allclose(found, [2.0, 3.0, 4.0])


def test_lists_are_mapped() -> None:
    """Their tensors tell the number of rows; data without tensors has none."""
    module = relay.parse("""#[version = "0.0.5"]
    type L { N, C(L[], float64), }
    def @main(%p: L[]) -> float64 {
      match (%p) { C(%r: L[], %x: float64) => { %x * %x + @main(%r) }, N => { 0f64 } }
    }""")
    run, none = relay.compile(vmap(module)), Data("N", ())
    x = np.array([1.0, 3.0])
    np.testing.assert_allclose(run(Data("C", (Data("C", (none, x)), x))), 2.0 * x * x)
    assert run(none).shape == (0,)


def test_trees_are_mapped() -> None:
    """Each leaf tells the number of rows, which is not known where the recursion begins."""
    module = relay.parse("""#[version = "0.0.5"]
    type T { Leaf(float64), Node(T[], T[]), }
    def @main(%t: T[]) -> float64 {
      match (%t) { Leaf(%x: float64) => %x * %x, Node(%l, %r) => @main(%l) * @main(%r) }
    }""")
    x = np.array([1.0, 3.0])
    tree = Data("Node", (Data("Leaf", (x,)), Data("Leaf", (x + 1.0,))))
    np.testing.assert_allclose(relay.compile(vmap(module))(tree), (x * (x + 1.0)) ** 2)


@relay.data
class Leaf:
    """The result of a decision tree."""

    value: float64


@relay.data
class Split:
    """A decision between two trees."""

    bound: float64
    low: "Tree"
    high: "Tree"


Tree = Leaf | Split


def decided(tree: Tree, x: float64) -> float64:
    """Return what a decision tree says of a number."""
    while isinstance(tree, Split):
        tree = tree.low if x < tree.bound else tree.high
    return tree.value


def test_rows_take_ways_of_their_own() -> None:
    """A row steps to another part of shared data, or of mapped data, than the others."""
    x, parts = np.array([0.0, 2.0, 5.0]), np.array([1.0, 2.0, 3.0])
    tree = Split(3.0, Split(1.0, Leaf(10.0), Leaf(20.0)), Leaf(30.0))
    shared = relay.jit(vmap(decided, in_axes=(None, 0)))
    np.testing.assert_allclose(shared(tree, x), [10.0, 20.0, 30.0])
    trees = Split(np.array([3.0, 1.0, 9.0]), Leaf(parts), Leaf(-parts))
    np.testing.assert_allclose(vmap(decided)(trees, x), [1.0, -2.0, 3.0])
    found = relay.jit(relay.grad(lambda t: vmap(decided)(t, x).sum()))(trees)
    np.testing.assert_allclose(found.high.value, [0.0, 1.0, 0.0])

    def first(tree: Any) -> Any:
        match tree:
            case Leaf(value):
                return value
            case _:
                return tree.low.value

    np.testing.assert_allclose(relay.jit(first)(trees), parts)
