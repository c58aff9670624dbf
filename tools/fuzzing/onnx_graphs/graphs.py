"""Generate whole random ONNX graphs with inputs of fixed or symbolic sizes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

import numpy as np
import onnx

from tools.fuzzing.onnx_graphs.arithmetic import RULES as ARITHMETIC
from tools.fuzzing.onnx_graphs.control import RULES as CONTROL
from tools.fuzzing.onnx_graphs.grower import Array, Grower, Node, Run, Unfit, model
from tools.fuzzing.onnx_graphs.idioms import RULES as IDIOMS
from tools.fuzzing.onnx_graphs.indexing import RULES as INDEXING
from tools.fuzzing.onnx_graphs.more_layers import RULES as MORE_LAYERS
from tools.fuzzing.onnx_graphs.networks import RULES as NETWORKS
from tools.fuzzing.onnx_graphs.shapes import RULES as SHAPES

Rule = Callable[[Grower], Node]

_FAMILIES: tuple[tuple[tuple[Rule, ...], int], ...] = (
    (ARITHMETIC, 6),
    (SHAPES, 5),
    (INDEXING, 4),
    (NETWORKS, 5),
    (CONTROL, 1),
    (IDIOMS, 4),
    (MORE_LAYERS, 3),
)
"""The rules, and how often each family is drawn."""

_OPSETS = (13, 17, 18, 21)
_SIZES = (1, 2, 3, 4, 5, 6, 8, 9, 16, 17)
_RARE_SIZES = (*_SIZES, *_SIZES, 0)
_RANKS = (0, 1, 2, 3, 4, 4, 5, 6)
_ELEMENTS = (
    *(np.float32, np.float32, np.float32, np.int64, np.int64),
    *(np.float64, np.int32, np.uint8, np.int8, np.bool_),
)
"""Ranks and element types of inputs after the first one."""

_MOST_OUTPUTS = 6
_MOST_ELEMENTS = 1500
_OTHERS = 16
"""How many inputs of other sizes a graph of open sizes has."""

_OPEN = 0.35
"""How often a size is open; that of the first axis is twice as often."""


@dataclass(frozen=True)
class RandomGraph:
    """A model, the inputs it was drawn for, and inputs of other sizes if its sizes are open.

    Many graphs make sense at few other sizes, or at none.
    """

    model: onnx.ModelProto
    inputs: Mapping[str, Array]
    others: Sequence[Mapping[str, Array]]

    @property
    def operators(self) -> list[str]:
        """Return the operators of the nodes in order."""
        return [node.op_type for node in self.model.graph.node]


def random_graph(number: int, run: Run, *, is_open: bool) -> RandomGraph:
    """Return a graph of 5 to 40 nodes; `run` evaluates each node as it is added.

    With open sizes, most sizes of inputs have names, and equal names stand for equal sizes.
    """
    random = Random(number)  # noqa: S311 - no secret
    grower = Grower(random, run, random.choice(_OPSETS))
    names = _inputs(grower, is_open=is_open)
    count = random.choice([random.randint(5, 15), random.randint(5, 40)])
    for _ in range(40 * count):
        if len(grower.nodes) >= count:
            break
        _grow(grower)
    inputs = {value.name: value.array for value in grower.values if value.name in names}
    read = {name for node in grower.nodes for name in (*node.input, *_inner(node))}
    ends = [each.name for each in grower.values if each.name not in read | set(names)]
    made = model(
        grower.nodes,
        inputs,
        grower.constants,
        ends[-_MOST_OUTPUTS:],
        grower.opset,
        names,
        grower.declared,
    )
    others = [_resized(grower, names, inputs) for _ in range(_OTHERS if is_open else 0)]
    return RandomGraph(made, inputs, others)


def _grow(grower: Grower) -> None:
    """Add a node if a randomly chosen rule is applicable."""
    (rules,) = grower.random.choices(*zip(*_FAMILIES, strict=True))
    try:
        grower.add(grower.random.choice(rules)(grower))
    except Unfit:
        return


def _inputs(grower: Grower, *, is_open: bool) -> dict[str, list[str | int]]:
    """Add inputs, and return their declared shapes: sizes, or names of open ones."""
    random = grower.random
    sizes = {name: random.choice(_SIZES) for name in ("a", "b", "c")}
    declared: dict[str, list[str | int]] = {}
    for place in range(random.randint(1, 3)):
        rank = random.choice([4, 3, 2]) if place == 0 else random.choice(_RANKS)
        dtype = np.float32 if place == 0 else random.choice(_ELEMENTS)
        sizes_of = _SIZES if place == 0 else _RARE_SIZES
        shape: list[str | int] = [
            random.choice(list(sizes))
            if is_open and grower.chance(_OPEN if axis else 2 * _OPEN)
            else random.choice(sizes_of)
            for axis in range(rank)
        ]
        while rank and prod(_known(shape, sizes)) > _MOST_ELEMENTS:
            shape[random.randrange(rank)] = random.choice([1, 2, 3])
        value = grower.input(_known(shape, sizes), dtype)
        declared[value.name] = shape
    return declared


def _resized(
    grower: Grower, names: Mapping[str, list[str | int]], inputs: Mapping[str, Array]
) -> dict[str, Array]:
    """Return inputs in which open sizes are others than those for which the graph was drawn."""
    sizes = {
        name: size
        for key, shape in names.items()
        for name, size in zip(shape, inputs[key].shape, strict=True)
        if isinstance(name, str)
    }
    changed = [*sizes] if grower.chance(0.5) or not sizes else [grower.random.choice([*sizes])]
    sizes |= {name: grower.random.choice([1, 2, 3, 5, 7, 16, 33]) for name in changed}
    return {
        name: grower.numbers(_known(shape, sizes), inputs[name].dtype)
        for name, shape in names.items()
    }


def _known(shape: Sequence[str | int], sizes: Mapping[str, int]) -> list[int]:
    """Return a shape whose open sizes are known."""
    return [sizes[each] if isinstance(each, str) else each for each in shape]


def _inner(node: onnx.NodeProto) -> list[str]:
    """Return the names that the nodes of a node's subgraphs read."""
    graphs = [each.g for each in node.attribute if each.HasField("g")]
    inputs = [name for graph in graphs for inner in graph.node for name in inner.input]
    return [*inputs, *(out.name for graph in graphs for out in graph.output)]
