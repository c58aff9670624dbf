"""Functions mapped by `relay.vmap` in which sizes depend on mapped values: row after row."""

from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float64
from relay.support.errors import RelayError

vmap = cast("Any", relay.vmap)
X = np.array([[1.0, -2.0, 3.0], [-1.0, -2.0, 5.0], [-1.0, -1.0, -1.0]])


def squares(x):
    """Return a number, and an array of the same size for each row."""
    chosen = x[x > 0]
    return np.sum(chosen * chosen), x * 2.0


def collected(x, n):
    """Return a sum of a list that grows in a loop, for as many steps as a mapped value says."""
    found = []
    for i in range(n):
        if x[i] > 0.0:
            found.append(x[i] * x[i])  # noqa: PERF401 - a list that grows
    return np.sum(np.array(found))


def test_sizes_may_differ_between_rows() -> None:
    """The result has one size; derivatives and maps of maps follow."""
    number, whole = relay.jit(vmap(squares))(X)
    np.testing.assert_allclose(number, [10.0, 25.0, 0.0])
    np.testing.assert_allclose(whole, 2.0 * X)
    slope = np.where(X > 0, 2.0 * X, 0.0)
    np.testing.assert_allclose(vmap(relay.grad(lambda x: squares(x)[0]))(X), slope)
    total = relay.grad(lambda x: np.sum(vmap(squares)(x)[0]))
    np.testing.assert_allclose(relay.jit(total)(X), slope)
    found = vmap(vmap(collected, in_axes=(0, None)), in_axes=(None, 0))(X, np.array([1, 3]))
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.0], [10.0, 25.0, 0.0]])
    none = vmap(squares)(X[:0])
    assert none[0].shape == (0,)


@relay.data
class Leaf:
    """Numbers in a tree."""

    values: Tensor["?", float64]  # noqa: F722 - a size


@relay.data
class Node:
    """A tree with parts."""

    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


@relay.function
def total(tree: Tree) -> float64:
    """Return the sum of the squares of the positive numbers in a tree."""
    if isinstance(tree, Leaf):
        chosen = tree.values[tree.values > 0]
        return np.sum(chosen * chosen)
    return total(tree.left) + total(tree.right)


def test_data_in_arguments_and_results() -> None:
    """Each row has its element of mapped data, beside shared data of the same type."""
    tree = Node(Leaf(X), Node(Leaf(X[:, :2]), Leaf(X)))
    wanted = np.where(X > 0, 2.0 * X, 0.0)[:, :2]
    slope = relay.jit(relay.grad(lambda each: np.sum(vmap(total)(each))))(tree)
    np.testing.assert_allclose(slope.right.left.values, wanted)
    found = relay.jit(vmap(relay.grad(total)))(tree)
    np.testing.assert_allclose(found.right.left.values, wanted)
    shared = relay.jit(vmap(lambda a, b: total(a) * total(b), in_axes=(0, None)))
    np.testing.assert_allclose(shared(Leaf(X), Leaf(X[0])), [100.0, 250.0, 0.0])


def test_results_have_one_size() -> None:
    """It may depend on data; a row whose result has another size stops the program."""

    def positive(x: Any) -> Any:
        return x[x > 0]

    x = np.array([[1.0, -1.0, 2.0], [-1.0, 3.0, 4.0]])
    np.testing.assert_allclose(vmap(positive, in_axes=1, out_axes=1)(x.T), [[1.0, 3.0], [2.0, 4.0]])
    slope = relay.jit(relay.grad(lambda x: np.sum(vmap(positive)(x) ** 2)))(x)
    np.testing.assert_allclose(slope, np.where(x > 0, 2.0 * x, 0.0))
    with pytest.raises(RelayError, match="the result of the mapped function") as caught:
        vmap(positive)(X)
    assert caught.value.code == "R040"

    def tree(x: Any) -> Tree:
        return Node(Leaf(x), Leaf(x[x > 0])) if np.sum(x[x > 0]) > 4.5 else Leaf(x)

    with pytest.raises(RelayError, match="data of another structure"):
        vmap(tree)(X)
