"""Sort the nodes of an ONNX graph topologically."""

from collections import Counter
from collections.abc import Container, Mapping

import onnx

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span


def title(node: onnx.NodeProto) -> str:
    """Return how messages refer to a node: by its name, or by the names of its results."""
    return node.name or ", ".join(node.output) or f"{node.op_type} without results"


def sorted_nodes(
    graph: onnx.GraphProto, known: Container[str], source: Source
) -> list[onnx.NodeProto]:
    """Return the nodes in topological order; raises `F011` if they form a cycle."""
    producers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    waiting: list[int] = []
    users: dict[int, list[int]] = {}
    for index, node in enumerate(graph.node):
        sources = {producers[name] for name in uses(node) if name in producers}
        waiting.append(len(sources))
        for producer in sources:
            users.setdefault(producer, []).append(index)
        _check_known(node, producers, known, source)
    ready = [i for i, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        order.extend(sorted(ready))
        following = Counter(user for index in ready for user in users.get(index, ()))
        ready = list[int]()
        for user, count in following.items():
            waiting[user] -= count
            ready += [user] if waiting[user] == 0 else []
    if len(order) < len(graph.node):
        stuck = [title(n) for i, n in enumerate(graph.node) if waiting[i]]
        raise RelayImportError(
            ErrorCode.F011,
            f"the graph has a cycle through the nodes {', '.join(stuck[:5])}",
            span=Span(source),
        )
    return [graph.node[index] for index in order]


def uses(node: onnx.NodeProto) -> set[str]:
    """Return the names of the values that a node reads or its subgraphs capture."""
    return set(node.input) - {""} | captured(node)


def captured(node: onnx.NodeProto) -> set[str]:
    """Return the names of the values that a node's subgraphs capture or attributes refer to."""
    names = _mentioned(node)
    for attribute in node.attribute:
        if attribute.HasField("g"):
            inner = attribute.g
            made = {name for each in inner.node for name in each.output}
            made |= {each.name for each in (*inner.input, *inner.initializer)}
            wanted = {name for each in inner.node for name in uses(each)}
            names |= (wanted | {info.name for info in inner.output}) - made
    return names - {""}


def _mentioned(node: onnx.NodeProto) -> set[str]:
    """Return the names of the values that the attributes of a `Gradient` node refer to."""
    if (node.domain, node.op_type) != ("ai.onnx.preview.training", "Gradient"):
        return set()
    texts = [text for each in node.attribute for text in (*each.strings, each.s)]
    return {text.decode() for text in texts}


def _check_known(
    node: onnx.NodeProto, producers: Mapping[str, int], known: Container[str], source: Source
) -> None:
    for name in node.input:
        if name and name not in producers and name not in known:
            raise RelayImportError(
                ErrorCode.F018,
                f"the node '{title(node)}' reads the value '{name}', which no node computes",
                span=Span(source),
            )
