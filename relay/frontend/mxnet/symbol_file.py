"""Read the graph of a network of MXNet or NNVM from its JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relay.frontend.json_values import is_fields, is_list
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


@dataclass(frozen=True)
class Format:
    """The format of a network: its framework's name, and advice on how to save a file in it."""

    name: str
    writing: str


MXNET = Format(
    "MXNet", "write the file with symbol.save(path), or with net.export(prefix) of Gluon"
)


@dataclass(frozen=True)
class Entry:
    """A reference to result number `index` of node number `node`."""

    node: int
    index: int


@dataclass(frozen=True)
class Node:
    """A node: an operator with its attributes as strings; `op` is `null` for a variable.

    `subgraphs` are the bodies of a loop or the branches of a conditional.
    """

    op: str
    name: str
    attributes: Mapping[str, str]
    inputs: tuple[Entry, ...]
    subgraphs: "tuple[Symbol, ...]" = ()


@dataclass(frozen=True)
class Symbol:
    """A network: its nodes in topological order, and its results (`heads`)."""

    nodes: Sequence[Node]
    heads: Sequence[Entry]

    @property
    def given(self) -> tuple[str, ...]:
        """Return the names of the variables, which are inputs and weights."""
        return tuple(each.name for each in self.nodes if each.op == "null")

    @property
    def all_nodes(self) -> "list[Node]":
        """Return all nodes, also those of subgraphs."""
        inner = (
            each for node in self.nodes for graph in node.subgraphs for each in graph.all_nodes
        )
        return [*self.nodes, *inner]


def read_symbol(text: str | bytes, span: Span, format: Format = MXNET) -> Symbol:
    """Return the network in a JSON text; raises `F060` if it is invalid."""
    try:
        return _read(text)
    except _DamagedError as error:
        raise broken(span, str(error), format) from None


class _DamagedError(ValueError):
    """The exception for a text that is not a network; its message is the reason."""


def _read(text: str | bytes) -> Symbol:
    try:
        return _symbol(json.loads(text))
    except RecursionError:
        raise _DamagedError("the file is not JSON: it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise _DamagedError(f"the file is not text: {error}") from None
    except json.JSONDecodeError as error:
        raise _DamagedError(f"the file is not JSON: {error}") from None


def _symbol(fields: object) -> Symbol:
    listed = fields.get("nodes") if is_fields(fields) else None
    results = fields.get("heads") if is_fields(fields) else None
    if not is_list(listed) or not is_list(results) or not results:
        raise _DamagedError("the network has no nodes, or no results")
    nodes = [_node(each, index) for index, each in enumerate(listed)]
    return Symbol(nodes, [_entry(each, len(nodes)) for each in results])


def _node(fields: object, index: int) -> Node:
    node: Mapping[str, object] = fields if is_fields(fields) else {}
    op, name, inputs = (node.get(key) for key in ("op", "name", "inputs"))
    if not isinstance(op, str) or not isinstance(name, str) or not is_list(inputs):
        raise _DamagedError(f"node number {index} lacks its operator, its name or its inputs")
    # Older versions call attributes `param`, and store users' attributes in `attr`.
    given = [node.get(key) for key in ("attr", "param", "attrs")]
    attributes: dict[str, str] = {}
    for each in given:
        found: Mapping[str, object] = each if is_fields(each) else {}
        attributes |= {key: str(value) for key, value in found.items()}
    entries = tuple(_entry(each, index) for each in inputs)
    graphs = node.get("subgraphs", [])
    if not is_list(graphs):
        raise _DamagedError(f"the subgraphs of node number {index} are not a list")
    return Node(op, name, attributes, entries, tuple(map(_symbol, graphs)))


def _entry(value: object, limit: int) -> Entry:
    first = [*value[:2]] if is_list(value) else []
    match first:
        case [int(node), int(index)] if 0 <= node < limit and index >= 0:
            return Entry(node, index)
        case _:
            raise _DamagedError("a node reads a value that no earlier node computes")


def broken(span: Span, problem: str, format: Format) -> RelayImportError:
    """Return the error for an invalid network."""
    return RelayImportError(
        ErrorCode.F060,
        f"the file is not a network of {format.name}, or it is damaged: {problem}",
        span=span,
        help=format.writing,
    )
