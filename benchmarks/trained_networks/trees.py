"""A TreeLSTM on a batch of trees (Tai et al., 2015): the program of `relay.testing.zoo.tree_lstm`.

A loss adds up the hidden states of all roots; its gradients by all weights train them.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import torch

import relay
from benchmarks.contenders.case import Outputs
from relay.ir.expr import Call, Constructor, Function, GlobalVar, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, GlobalTypeVar, TypeCall
from relay.runtime import Data
from relay.support.node import replace
from relay.testing.zoo import tree_lstm

NAME = "tree_lstm"
TREES, WIDTH, RATE = 64, 128, 1e-4
WEIGHTS: Sequence[str] = ("leaf", "leaf bias", "left", "right", "bias")


def _tree(rng: np.random.Generator, leaves: int) -> Data:
    if leaves == 1:
        return Data("Leaf", (rng.standard_normal((1, WIDTH), np.float32),))
    left = int(rng.integers(1, leaves))
    return Data("Node", (_tree(rng, left), _tree(rng, leaves - left)))


def draw() -> tuple[list[Data], list[Any]]:
    """Return trees of 5 to 40 leaves, and the weights."""
    rng = np.random.default_rng(0)
    trees = [_tree(rng, int(rng.integers(5, 41))) for _ in range(TREES)]
    params = tree_lstm.network(WIDTH, WIDTH).module.main.params[1:]
    shapes = [param.tensor_type.static_shape for param in params]
    scale = np.float32(0.05)
    return trees, [rng.standard_normal(each, np.float32) * scale for each in shapes]


def program() -> Module:
    """Return the loss of a forest: a list of trees."""
    module = tree_lstm.network(WIDTH, WIDTH).module
    tree, *weights = module.main.params
    head = GlobalTypeVar("Forest")
    forest = TypeCall(head, ())
    done = Constructor("Done", (), head, (), 0)
    more = Constructor("More", (tree.type, forest), head, (), 1)
    first, rest, given = Var("first", tree.type), Var("rest", forest), Var("forest", forest)
    params = [Var(each.name, each.type) for each in weights]
    total = GlobalVar(
        "total", ty=FuncType((forest, *(w.type for w in weights)), relay.scalar_type("float32"))
    )
    of_one = GlobalVar("tree", ty=module.main.type)
    sums = relay.sum(Call(of_one, (first, *params))) + Call(total, (rest, *params))
    clauses = (
        Clause(PatternConstructor(done), relay.const(0.0, "float32")),
        Clause(PatternConstructor(more, (PatternVar(first), PatternVar(rest))), sums),
    )
    loss = Function((given, *params), Match(given, clauses))
    again = (Var("forest", forest), *(Var(each.name, each.type) for each in weights))
    functions = {"tree": module.main, "total": loss, "main": Function(again, Call(total, again))}
    types = {**module.types, "Forest": TypeData(head, (), (done, more))}
    return replace(module, functions=functions, types=types)


def relay_gradients(threads: int, dtype: str = "float32") -> Callable[..., Any]:
    """Return a native function, in batches, from the weights to the loss and its gradients."""
    trees = [_converted(each, dtype) for each in draw()[0]]
    forest = reduce(lambda rest, tree: Data("More", (tree, rest)), trees, Data("Done"))
    by = tuple(range(1, len(WEIGHTS) + 1))
    typed = program() if dtype == "float32" else _in_float64(program())
    compiled = relay.compile(relay.value_and_grad(typed, by), threads=threads, batch=True)
    return lambda *weights: compiled(forest, *weights)


def _in_float64(module: Module) -> Module:
    text = module.astext().replace("float32", "float64")
    return relay.parse(re.sub(r"(?<=\d)f\b", "f64", text))


def _converted(tree: Data, dtype: str) -> Data:
    """Return a tree with the vectors of its leaves in an element type."""
    if tree.constructor == "Leaf":
        return Data("Leaf", (tree.fields[0].astype(dtype),))
    return Data("Node", tuple(_converted(each, dtype) for each in tree.fields))


def relay_step(threads: int) -> Callable[[], Outputs]:
    """Return a step: one native function for the gradients, and Adam in NumPy."""
    weights = draw()[1]
    gradients, adam = relay_gradients(threads), Adam(weights)

    def step() -> Outputs:
        loss, slopes = gradients(*weights)
        adam.step(slopes)
        return [np.asarray(loss)]

    return step


class Adam:
    """Adam in NumPy, which changes the weights in place."""

    def __init__(self, weights: list[Any], rate: float = RATE) -> None:
        self._weights, self._rate, self._count = weights, rate, 0
        self._means = [np.zeros_like(each) for each in weights]
        self._squares = [np.zeros_like(each) for each in weights]

    def step(self, slopes: Any) -> None:
        """Change the weights by their gradients."""
        self._count += 1
        rate, root = self._rate / (1 - 0.9**self._count), math.sqrt(1 - 0.999**self._count)
        parts = zip(self._weights, slopes, self._means, self._squares, strict=True)
        for weight, slope, mean, square in parts:
            mean[:] += 0.1 * (slope - mean)
            square[:] += 0.001 * (slope * slope - square)
            scaled = np.sqrt(square) / root + 1e-8
            weight[:] -= rate * mean / scaled


def torch_loss(trees: Sequence[Data], weights: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the loss by eager PyTorch, which visits the trees one by one."""
    of_leaf, leaf_bias, left, right, bias = weights

    def state(exit_: Any, content: Any) -> Any:
        return torch.sigmoid(exit_) * torch.tanh(content), content

    def visit(part: Data) -> Any:
        if part.constructor == "Leaf":
            vector = torch.from_numpy(part.fields[0]).to(bias.dtype)
            entry, exit_, content = torch.addmm(leaf_bias, vector, of_leaf.T).chunk(3, 1)
            return state(exit_, torch.sigmoid(entry) * torch.tanh(content))
        (h_left, c_left), (h_right, c_right) = map(visit, part.fields)
        gates = torch.addmm(bias, h_left, left.T) + h_right @ right.T
        entry, exit_, content, forget_left, forget_right = gates.chunk(5, 1)
        kept = torch.sigmoid(forget_left) * c_left + torch.sigmoid(forget_right) * c_right
        return state(exit_, kept + torch.sigmoid(entry) * torch.tanh(content))

    return torch.stack([visit(tree)[0].sum() for tree in trees]).sum()


def torch_gradients(dtype: torch.dtype) -> list[Any]:
    """Return PyTorch's gradients, computed in an element type and converted to float64."""
    trees, drawn = draw()
    weights = [torch.tensor(each).to(dtype).requires_grad_() for each in drawn]
    found = torch.autograd.grad(torch_loss(trees, weights), weights)
    return [each.double().numpy() for each in found]


def torch_step() -> Callable[[], Outputs]:
    """Return a step of eager PyTorch."""
    trees, drawn = draw()
    weights = [torch.tensor(each, requires_grad=True) for each in drawn]
    adam = torch.optim.Adam(weights, lr=RATE)

    def step() -> Outputs:
        adam.zero_grad()
        loss = torch_loss(trees, weights)
        loss.backward()
        adam.step()
        return [np.asarray(loss.detach())]

    return step
