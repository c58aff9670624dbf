"""Translate `Assert` nodes, which run before other nodes and fail if a condition is false."""

from collections.abc import Sequence

from relay.frontend.tensorflow.decode_tensors import STRING
from relay.frontend.tensorflow.model import Graph, Node
from relay.frontend.tensorflow.non_tensor_values import Value
from relay.ir.expr import Constant, Expr, If
from relay.ir.trap import failure


def asserted(graph: Graph, effects: Sequence[str]) -> list[Node]:
    """Return the `Assert` nodes among the control dependencies `effects`.

    Assertions that are reached through `NoOp` nodes, which group dependencies, are included.
    """
    found: dict[str, Node] = {}
    waiting, seen = list(effects), set[str]()
    while waiting:
        node = graph.nodes.get(waiting.pop())
        if node is None or node.name in seen:
            continue
        seen.add(node.name)
        if node.op == "Assert":
            found[node.name] = node
        elif node.op == "NoOp":
            waiting += node.controls
    return list(found.values())


def message_of(graph: Graph, node: Node) -> str:
    """Return the first string of an assertion's message."""
    for each in node.inputs[1:]:
        source = graph.nodes.get(each.node)
        if source is not None and source.op == "Const":
            tensor = source.attributes["value"].tensor
            if tensor.dtype == STRING and tensor.string_val:
                return tensor.string_val[0].decode(errors="replace")
    return "an assertion of the model fails"


def guarded(values: Sequence[Value], condition: Expr, reason: str) -> Sequence[Value]:
    """Return `values` with a check: they trap (`R040`) unless `condition` holds."""
    if isinstance(condition, Constant) and condition.array:
        return values
    return [
        If(condition, each, failure(each.type, reason)) if isinstance(each, Expr) else each
        for each in values
    ]
