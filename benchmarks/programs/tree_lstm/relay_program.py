"""The TreeLSTM as two recursive functions: one over trees, one over the children of a node."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np

import relay
from benchmarks.programs.relay_parts import sigmoid
from benchmarks.programs.tree_lstm.case import Node, Sizes
from benchmarks.programs.workload import Weights
from relay.frontend.python import PythonFunction, Tensor, int32

T = TypeVar("T")
U = TypeVar("U")


@relay.data
class Tree:
    """A word and its children."""

    word: int32
    children: "Children"


@relay.data
class Child:
    """A child, and the list of the remaining ones."""

    tree: Tree
    others: "Children"


@relay.data
class Done:
    """The end of the list of children."""


Children = Child | Done


@relay.data
class Nil(Generic[T]):
    """The empty list."""


@relay.data
class Cons(Generic[T]):
    """A non-empty list: its first element and the rest."""

    head: T
    tail: "List[T]"


List = Nil[T] | Cons[T]


@relay.function
def each(f: Callable[[T], U], items: List[T]) -> List[U]:
    """Return the list of results of `f` for each element."""
    match items:
        case Nil():
            return Nil()
        case Cons(head, tail):
            return Cons(f(head), each(f, tail))


def argument(root: Node) -> Tree:
    """Return a tree as a value of the program."""
    children: Children = Done()
    for child in reversed(root.children):
        children = Child(argument(child), children)
    return Tree(root.word, children)


def build(sizes: Sizes, weights: Weights) -> PythonFunction:
    """Return the function from a tree to the state of its root."""
    weights = relay.frozen(weights)
    vectors, w, u, b = (weights[name] for name in ("vectors", "w", "u", "b"))
    w_keep, u_keep, b_keep = (weights[name] for name in ("w_keep", "u_keep", "b_keep"))
    size = sizes.hidden

    @relay.function
    def encode(tree: Tree) -> tuple[Tensor[size], Tensor[size]]:
        x = vectors[tree.word]
        h, kept = gather(tree.children, x @ w_keep + b_keep)
        entry, exit_, content = np.split(x @ w + h @ u + b, 3)
        c = sigmoid(entry) * np.tanh(content) + kept
        return sigmoid(exit_) * np.tanh(c), c

    @relay.function
    def gather(children: Children, keep: Tensor[size]) -> tuple[Tensor[size], Tensor[size]]:
        match children:
            case Done():
                return np.zeros(size, np.float32), np.zeros(size, np.float32)
            case Child(tree, others):
                h, c = encode(tree)
                sum_h, kept = gather(others, keep)
                return h + sum_h, sigmoid(keep + h @ u_keep) * c + kept

    return encode


def forest(roots: Sequence[Node]) -> List[Tree]:
    """Return trees as a list of the program."""
    found: List[Tree] = Nil()
    for root in reversed(roots):
        found = Cons(argument(root), found)
    return found


def build_forest(sizes: Sizes, weights: Weights) -> PythonFunction:
    """Return the function from a list of trees to the states of their roots."""
    encode, size = build(sizes, weights), sizes.hidden

    @relay.function
    def encode_all(trees: List[Tree]) -> List[tuple[Tensor[size], Tensor[size]]]:
        return each(encode, trees)

    return encode_all
