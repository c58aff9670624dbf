"""Build a random ONNX graph node by node; each node is evaluated when it is added."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

Array: TypeAlias = npt.NDArray[Any]
Run: TypeAlias = Callable[[onnx.ModelProto, Mapping[str, Array]], Sequence[Array]]
"""An engine: runs a model on inputs by name; raises for what it does not support."""

MOST_ELEMENTS = 4096
_MOST_AXES = 6
LARGEST = 1e4
"""Values stay below this magnitude, so that functions of them are finite."""

_GRID = 64
"""Multiples of 1/64 are computed without rounding, as long as they are not multiplied often."""


class Unfit(Exception):  # noqa: N818 - no failure: another rule is drawn
    """Raised if no value is suitable for a rule, or its node has no usable results."""


@dataclass(frozen=True)
class Value:
    """A value of the graph, and its array for the example inputs."""

    name: str
    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes for the example inputs."""
        return self.array.shape

    @property
    def rank(self) -> int:
        """Return the number of axes."""
        return self.array.ndim

    @property
    def is_float(self) -> bool:
        """Whether the elements are floats."""
        return self.array.dtype.kind == "f"

    @property
    def is_integer(self) -> bool:
        """Whether the elements are integers."""
        return self.array.dtype.kind in "iu"

    @property
    def is_bool(self) -> bool:
        """Whether the elements are booleans."""
        return self.array.dtype.kind == "b"

    @property
    def is_exact(self) -> bool:
        """Whether the elements have no rounding errors.

        Discontinuous functions need such values.
        """
        return not self.is_float or bool(np.all(self.array * _GRID == np.round(self.array * _GRID)))


@dataclass(frozen=True)
class Node:
    """A node to be added; arrays among its inputs are stored, and subgraphs read `captured`.

    If `declares_rank`, the model declares the rank of its results, because values of an input
    decide about it.
    """

    op: str
    inputs: Sequence[Value | Array | None]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    results: int = 1
    captured: Sequence[Value] = ()
    declares_rank: bool = False


class Grower:
    """A graph under construction, and the random choices for it."""

    def __init__(self, random: Random, run: Run, opset: int) -> None:
        self.random = random
        self.opset = opset
        self.values: list[Value] = []
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Array] = {}
        self.declared: list[Value] = []
        self._run = run
        self._used: set[str] = set()

    def pick(self, fits: Callable[[Value], bool] = lambda _: True) -> Value:
        """Return a value for which `fits` holds, preferably recent or unused; raises `Unfit`."""
        fitting = [each for each in self.values if fits(each)]
        if not fitting:
            raise Unfit
        unread = [each for each in fitting if each.name not in self._used]
        pool = unread if unread and self.random.random() < 0.5 else fitting[-6:]
        return self.random.choice(pool if self.random.random() < 0.8 else fitting)

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.random.random() < probability

    def axis(self, rank: int) -> int:
        """Return an axis, counted from the end in half of the cases; raises `Unfit` for scalars."""
        if rank == 0:
            raise Unfit
        axis = self.random.randrange(rank)
        return axis - rank if self.chance(0.5) else axis

    def numbers(self, shape: Sequence[int], dtype: Any = np.float32) -> Array:
        """Return constants: multiples of 1/4, integers from -3 to 5, or booleans."""
        count = int(np.prod(shape))
        kind = np.dtype(dtype).kind
        if kind == "f":
            drawn: list[Any] = [self.random.randint(-8, 8) / 4 for _ in range(count)]
        elif kind == "b":
            drawn = [self.chance(0.5) for _ in range(count)]
        else:
            low = 0 if kind == "u" else -3
            drawn = [self.random.randint(low, 5) for _ in range(count)]
        return np.array(drawn, dtype).reshape(shape)

    def integers(self, shape: Sequence[int], low: int, high: int, dtype: Any = np.int64) -> Array:
        """Return constants from `low` to below `high`."""
        count = int(np.prod(shape))
        drawn = [self.random.randrange(low, high) for _ in range(count)]
        return np.array(drawn, dtype).reshape(shape)

    def input(self, shape: Sequence[int], dtype: Any) -> Value:
        """Add an input of the graph."""
        value = Value(f"x{len(self.values)}", self.numbers(shape, dtype))
        self.values.append(value)
        return value

    def add(self, node: Node) -> None:
        """Add a node if an engine computes usable results for it; raises `Unfit` otherwise."""
        made, constants = self._named(node)
        sources = [each for each in (*node.inputs, *node.captured) if isinstance(each, Value)]
        read = {each.name: each.array for each in sources}
        single = model([made], read, constants, made.output, self.opset)
        try:
            results = self._run(single, read)
        except Exception as error:
            raise Unfit from error
        if not all(map(_is_usable, results)):
            raise Unfit
        self.nodes.append(made)
        self.constants |= constants
        self._used |= set(read)
        values = [Value(*each) for each in zip(made.output, results, strict=True)]
        self.values += values
        self.declared += values if node.declares_rank else ()

    def _named(self, node: Node) -> tuple[onnx.NodeProto, dict[str, Array]]:
        """Return the node in ONNX's form, and its initialisers by name."""
        place, names, constants = len(self.nodes), list[str](), dict[str, Array]()
        for index, each in enumerate(node.inputs):
            if isinstance(each, Value):
                names.append(each.name)
            elif each is None:
                names.append("")
            else:
                names.append(f"c{place}_{index}")
                constants[names[-1]] = each
        outputs = [f"v{place}_{index}" for index in range(node.results)]
        made = helper.make_node(node.op, names, outputs, name=f"n{place}", **node.attributes)
        return made, constants


def _is_usable(array: Array | Sequence[Array]) -> bool:
    if not isinstance(array, np.ndarray) or array.ndim > _MOST_AXES or array.size > MOST_ELEMENTS:
        return False
    return bool(np.all(np.isfinite(array)) and np.max(np.abs(array), initial=0) <= LARGEST)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Array],
    constants: Mapping[str, Array],
    outputs: Sequence[str],
    opset: int,
    names: Mapping[str, Sequence[str | int]] | None = None,
    declared: Sequence[Value] = (),
) -> onnx.ModelProto:
    """Return a model; `names` has the declared shapes of inputs with open sizes.

    The model declares the rank of results in `declared`, which are outputs.
    """
    ranks = {
        each.name: helper.make_tensor_value_info(
            each.name, helper.np_dtype_to_tensor_dtype(each.array.dtype), [None] * each.rank
        )
        for each in declared
    }
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), (names or {}).get(name, array.shape)
        )
        for name, array in inputs.items()
    ]
    graph = helper.make_graph(
        list(nodes),
        "random",
        infos,
        [
            ranks.get(name) or helper.make_empty_tensor_value_info(name)
            for name in dict.fromkeys((*outputs, *ranks))
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
