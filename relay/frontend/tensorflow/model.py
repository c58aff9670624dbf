"""The graphs of a TensorFlow model as data classes, independent of the file format."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

CALLS = ("PartitionedCall", "StatefulPartitionedCall")
"""Operators that call a function of the model."""


@dataclass(frozen=True)
class Output:
    """A reference to a result of a node.

    It is an index into the output argument of that name, or among all results without one.
    """

    node: str
    argument: str = ""
    index: int = 0


def output_of(text: str) -> Output:
    """Parse a reference such as `node`, `node:1`, or, in a function, `node:argument:1`.

    >>> output_of("split:output:1")
    Output(node='split', argument='output', index=1)
    """
    node, *rest = text.split(":")
    if len(rest) > 2 or not node or not (rest[-1] if rest else "0").isdecimal():
        raise ValueError(f"'{text}' does not name a result of a node")
    return Output(node, rest[0] if len(rest) == 2 else "", int(rest[-1]) if rest else 0)


@dataclass(frozen=True)
class Node:
    """A node of a graph; `attributes` are protocol buffer messages of `schema`."""

    name: str
    op: str
    inputs: tuple[Output, ...]
    controls: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph: its nodes by name.

    A function also has parameters, results, and nodes that run for their effect.
    """

    name: str
    nodes: Mapping[str, Node]
    parameters: tuple[str, ...] = ()
    results: tuple[Output, ...] = ()
    effects: tuple[str, ...] = ()

    @cached_property
    def users(self) -> Mapping[str, Sequence[Node]]:
        """Return for each node the nodes that read its results."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes.values():
            for name in dict.fromkeys(each.node for each in node.inputs):
                found.setdefault(name, []).append(node)
        return found

    def source(self, output: Output, kinds: Container[str] = ("Identity",)) -> Output:
        """Return the source of a value, skipping nodes of `kinds` that only forward it.

        Raises `F011` for a cycle.
        """
        seen = set[str]()
        while output.node in self.nodes and self.nodes[output.node].op in kinds:
            if output.node in seen:
                message = f"the graph has a cycle through the node {output.node}"
                raise RelayImportError(ErrorCode.F011, message)
            seen.add(output.node)
            output = self.nodes[output.node].inputs[0]
        return output

    def node(self, name: str) -> Node:
        """Return a node by its name; raises `F018` if there is none."""
        if name not in self.nodes:
            message = f"no node computes the value '{name}', which another node reads"
            raise RelayImportError(ErrorCode.F018, message)
        return self.nodes[name]


class Library:
    """The functions of a model, parsed on first use.

    `operators` has the definitions of operators that the file contains, by name.
    """

    def __init__(self, functions: Mapping[str, Any], operators: Mapping[str, Any]) -> None:
        self._messages = functions
        self._graphs: dict[str, Graph] = {}
        self._operators = operators

    def __contains__(self, name: str) -> bool:
        return name in self._messages

    def __getitem__(self, name: str) -> Graph:
        """Return the graph of a function; raises `F018` if there is none."""
        if name not in self._messages:
            raise RelayImportError(ErrorCode.F018, f"the model has no function '{name}'")
        if name not in self._graphs:
            try:
                self._graphs[name] = function_graph(self._messages[name])
            except ValueError as error:
                message = f"the function '{name}' is damaged: {error}"
                raise RelayImportError(ErrorCode.F092, message) from None
        return self._graphs[name]

    def outputs(self, op: str) -> Sequence[str]:
        """Return the names of an operator's output arguments, or () if unknown."""
        if op in self._messages:
            return [each.name for each in self._messages[op].signature.output_arg]
        found = self._operators.get(op)
        return () if found is None else [each.name for each in found.output_arg]

    def defaults(self, op: str) -> Mapping[str, Any]:
        """Return the default attributes of an operator by name, which nodes may omit."""
        found = self._operators.get(op)
        attributes = () if found is None else found.attr
        return {
            each.name: each.default_value for each in attributes if each.HasField("default_value")
        }


@dataclass(frozen=True)
class Endpoint:
    """An input or output: its name, the node's result, and its element type number and shape.

    Unknown sizes are -1; the shape is None if the rank is unknown.
    """

    name: str
    output: Output
    element: int
    shape: tuple[int, ...] | None


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a signature of a SavedModel."""

    inputs: tuple[Endpoint, ...]
    outputs: tuple[Endpoint, ...]


@dataclass(frozen=True)
class TensorFlowModel:
    """The main graph of a model, its functions, and its signatures by name.

    `objects` is the message of the objects that own variables, or None. `assets` has the files
    that nodes name, below the folder `assets` of a SavedModel.
    """

    graph: Graph
    library: Library
    signatures: Mapping[str, Signature] = field(default_factory=dict[str, Signature])
    objects: Any = None
    assets: Mapping[str, str] = field(default_factory=dict[str, str])


def nodes_of(messages: Sequence[Any]) -> dict[str, Node]:
    """Return nodes by name; raises `F012` if two have the same name."""
    found: dict[str, Node] = {}
    for each in messages:
        if each.name in found:
            raise RelayImportError(
                ErrorCode.F012, f"two nodes of the graph have the name '{each.name}'"
            )
        data = tuple(output_of(text) for text in each.input if not text.startswith("^"))
        controls = tuple(text[1:] for text in each.input if text.startswith("^"))
        found[each.name] = Node(each.name, each.op, data, controls, each.attr)
    return found


def function_graph(message: Any) -> Graph:
    """Return the graph of a function, from its protocol buffer message."""
    signature = message.signature
    return Graph(
        signature.name,
        nodes_of(message.node),
        tuple(each.name for each in signature.input_arg),
        tuple(output_of(message.ret[each.name]) for each in signature.output_arg),
        tuple(message.control_ret.values()),
    )
