"""A TreeLSTM that learns what sums and products are modulo 3, from trees like `(4 + 7) * (2 * 5)`.

    python examples/arithmetic_trees.py [STEPS]

The network is a recursive function over a data type, and so is its gradient: each tree has its own
structure, and nothing is unrolled (Tai et al., 2015). Trees that are deeper than any seen in
training are read in the end.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from training_report import Report

import relay
from relay import layers
from relay.frontend.python import Tensor, int32
from relay.layers import Parameter, initializers

HIDDEN, STEPS, BATCH = 24, 2000, 24


@relay.data
class Number:
    """A leaf: a number below 10."""

    digit: int32


@relay.data
class Sum:
    """A sum of two trees."""

    left: "Tree"
    right: "Tree"


@relay.data
class Product:
    """A product of two trees."""

    left: "Tree"
    right: "Tree"


Tree = Number | Sum | Product


@relay.data
class End:
    """No more trees."""


@relay.data
class More:
    """A tree, its value modulo 3, and more trees."""

    tree: Tree
    value: int32
    rest: "Trees"


Trees = End | More
State = tuple[Tensor[HIDDEN], Tensor[HIDDEN]]
Weights = tuple[
    Tensor[10, 2 * HIDDEN],  # of numbers
    Tensor[2, 2 * HIDDEN, 5 * HIDDEN],  # of sums and products
    Tensor[2, 5 * HIDDEN],
    Tensor[HIDDEN, 3],  # from a state to classes
]


@relay.function
def joined(left: State, right: State, matrix: Tensor["n", "m"], bias: Tensor["m"]) -> State:
    """Return the state of a tree from those of its parts."""
    h_left, c_left = left
    h_right, c_right = right
    sums = np.concatenate((h_left, h_right)) @ matrix + bias
    entry, exit_, content, keep_left, keep_right = np.split(sums, 5)
    kept = sigmoid(keep_left) * c_left + sigmoid(keep_right) * c_right
    cell = kept + sigmoid(entry) * np.tanh(content)
    return sigmoid(exit_) * np.tanh(cell), cell


@relay.function
def sigmoid(x: Tensor["n"]) -> Tensor["n"]:
    """Return values between 0 and 1."""
    return 1 / (1 + np.exp(-x))


@relay.function
def encode(tree: Tree, weights: Weights) -> State:
    """Return the hidden state and the content of the cell for a tree."""
    table, matrices, biases, _ = weights
    match tree:
        case Number(digit):
            exit_, content = np.split(table[digit], 2)
            cell = np.tanh(content)
            return sigmoid(exit_) * np.tanh(cell), cell
        case Sum(left, right):
            return joined(encode(left, weights), encode(right, weights), matrices[0], biases[0])
        case Product(left, right):
            return joined(encode(left, weights), encode(right, weights), matrices[1], biases[1])


@relay.function
def scores(tree: Tree, weights: Weights) -> Tensor[3]:
    """Return how likely each value modulo 3 is, as logarithms up to a constant."""
    h, _ = encode(tree, weights)
    return h @ weights[3]


@relay.function
def loss(weights: Weights, trees: Trees) -> float:
    """Return how surprising the values of some trees are, in all."""
    match trees:
        case End():
            return 0.0
        case More(tree, value, rest):
            found = scores(tree, weights)
            largest = np.max(found)
            total = largest + np.log(np.sum(np.exp(found - largest)))
            return total - found[value] + loss(weights, rest)


def drawn(random: np.random.Generator, depth: int) -> Any:
    """Return a random tree, at most so deep."""
    if depth == 0 or random.random() < 0.2:
        return Number(int(random.integers(10)))
    kind = Sum if random.random() < 0.5 else Product
    return kind(drawn(random, depth - 1), drawn(random, depth - 1))


def value_of(tree: Any) -> int:
    """Return the value of a tree modulo 3."""
    if isinstance(tree, Number):
        return int(tree.digit) % 3
    left, right = value_of(tree.left), value_of(tree.right)
    return (left + right if isinstance(tree, Sum) else left * right) % 3


def batch(random: np.random.Generator) -> Any:
    """Return random trees and their values."""
    trees: Any = End()
    for _ in range(BATCH):
        tree = drawn(random, int(random.integers(1, 5)))
        trees = More(tree, value_of(tree), trees)
    return trees


def main(steps: int) -> None:
    """Train, draw the loss, and read deeper trees."""
    random = np.random.default_rng(0)
    shapes = ((10, 2 * HIDDEN), (2, 2 * HIDDEN, 5 * HIDDEN), (2, 5 * HIDDEN), (HIDDEN, 3))
    begin = initializers.normal(0.2)
    specs = tuple(Parameter(relay.TensorType(shape), begin) for shape in shapes)
    optimizer = layers.chain(
        layers.clip_by_norm(5.0), layers.adam(layers.cosine_decay(5e-3, steps))
    )
    weights, memory = layers.initialize((specs, optimizer.init(specs)), seed=1)

    def update(weights: Any, memory: Any, gradients: Any) -> Any:
        updates, after = optimizer.update(gradients, memory, weights)
        return layers.apply_updates(weights, updates), after

    slopes = relay.compile(relay.value_and_grad(loss))
    updated = layers.compile_function(update, weights, memory, weights)
    with Report("arithmetic trees", steps) as report:
        for _ in range(steps):
            value, gradients = slopes(weights, batch(random))
            weights, memory = updated(weights, memory, gradients)
            report.step(float(value) / BATCH)
    report.draw(Path("arithmetic_trees.svg"))
    read = relay.compile(scores)
    for depth in (3, 6, 9):
        trees = [drawn(random, depth) for _ in range(300)]
        right = np.mean([read(tree, weights).argmax() == value_of(tree) for tree in trees])
        print(f"{right:.1%} of trees of depth {depth} or less are right")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
