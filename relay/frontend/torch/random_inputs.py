"""Draw the random numbers of a compiled graph by PyTorch, as further inputs of the program.

PyTorch's generators, seeds included, thereby determine them, and programs stay pure.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from relay.frontend.torch.check_supported import nodes_of, operator_name
from relay.frontend.torch.registry import packet

Draw: TypeAlias = Callable[[Sequence[Any]], torch.Tensor]
"""Returns random numbers, given the arguments of a call of the graph."""

DRAWS = frozenset(
    f"aten::{name}" for name in (
        "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like",
        "exponential", "normal_functional", "uniform", "log_normal", "cauchy", "geometric",
        "bernoulli.p",
    )
)  # fmt: skip
"""Operators whose results depend on shapes and on PyTorch's generator alone."""


def draws_of(graph: GraphModule) -> Mapping[Node, Draw]:
    """Return how the random numbers of a graph are drawn, by node and in the order of the graph.

    The result is empty if a nested graph draws some, which a call may not execute.
    """
    nodes = [node for node in graph.graph.nodes if _is_draw(node)]
    if len(nodes) < sum(map(_is_draw, nodes_of(graph))):
        return {}
    sizes = _Sizes([node for node in graph.graph.nodes if node.op == "placeholder"])
    return {node: _draw(node, sizes) for node in nodes}


def _is_draw(node: Node) -> bool:
    name = operator_name(node) or ""
    return name in DRAWS or packet(name) in DRAWS


def _draw(node: Node, sizes: "_Sizes") -> Draw:
    target: Any = node.target

    def draw(inputs: Sequence[Any]) -> torch.Tensor:
        def known(leaf: object) -> object:
            return sizes.value(leaf, inputs) if isinstance(leaf, Node) else leaf

        args, kwargs = pytree.tree_map(known, (tuple(node.args), dict(node.kwargs)))
        return target(*args, **kwargs)

    return draw


class _Sizes:
    """The values of symbolic sizes, given the inputs of a call."""

    def __init__(self, placeholders: Sequence[Node]) -> None:
        self._places: dict[Any, Callable[[Sequence[Any]], int]] = {}
        for index, node in enumerate(placeholders):
            example = node.meta.get("val")
            if isinstance(example, torch.SymInt):
                self._places[_formula(example)] = lambda inputs, i=index: inputs[i]
            elif isinstance(example, torch.Tensor):
                for axis, size in enumerate(example.shape):
                    if isinstance(size, torch.SymInt):
                        self._places[_formula(size)] = lambda x, i=index, a=axis: x[i].shape[a]

    def value(self, node: Node, inputs: Sequence[Any]) -> Any:
        """Return a size as a number, and a tensor as an empty one of the same type."""
        example = node.meta["val"]
        if not isinstance(example, torch.Tensor):
            return self._size(example, inputs)
        shape = [self._size(size, inputs) for size in example.shape]
        return torch.empty(shape, dtype=example.dtype)

    def _size(self, size: Any, inputs: Sequence[Any]) -> int:
        if not isinstance(size, torch.SymInt):
            return size
        known = {symbol: place(inputs) for symbol, place in self._places.items()}
        return int(_formula(size).subs(known))


def _formula(size: Any) -> Any:
    """Return the SymPy formula of a symbolic size."""
    return size.node.expr
