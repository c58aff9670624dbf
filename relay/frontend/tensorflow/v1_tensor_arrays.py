"""Give the TensorArrays of TensorFlow before version 1 a *flow*, as those of version 1 have.

A `TensorArrayV3` has two results, a handle and a flow, which each operator on the array takes and
may return. `TensorArray` and `TensorArrayV2` only have the handle, a string; the first operators
on such an array take a constant as flow, which this module replaces by the second result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from relay.frontend.tensorflow.model import Node, Output

ARRAYS = ("TensorArray", "TensorArrayV2")
_FORWARDING = (
    "Identity", "RefIdentity", "Enter", "RefEnter", "Exit", "RefExit", "Switch", "RefSwitch",
    "NextIteration", "RefNextIteration",
)  # fmt: skip
_MERGES = ("Merge", "RefMerge")


def with_flows(nodes: Mapping[str, Node]) -> Mapping[str, Node]:
    """Return nodes in which each operator on an old TensorArray takes a flow of that array."""
    if not any(each.op in ARRAYS for each in nodes.values()):
        return nodes
    found = dict(nodes)
    for node in nodes.values():
        if node.op.startswith("TensorArray") and node.op not in ARRAYS:
            array, handles = _array(nodes, node.inputs[0])
            for each in handles:
                found[each] = _without_type(found[each])
            if array is not None and len(node.inputs) > 1:
                for user, place in _constant_flows(nodes, node):
                    found[user] = _with_input(found[user], place, Output(array, "", 1))
    return found


def _array(nodes: Mapping[str, Node], handle: Output) -> tuple[str | None, list[str]]:
    """Return the old TensorArray of a handle, or None, and the nodes that forward the handle."""
    path: list[str] = []
    while handle.node in nodes and nodes[handle.node].op in _FORWARDING:
        if handle.node in path:
            return None, []
        path.append(handle.node)
        handle = nodes[handle.node].inputs[0]
    source = nodes.get(handle.node)
    return (source.name, path) if source is not None and source.op in ARRAYS else (None, [])


def _constant_flows(nodes: Mapping[str, Node], node: Node) -> Iterator[tuple[str, int]]:
    """Yield the nodes, and the number of their input, through which constants reach a flow."""
    waiting = [(node.name, len(node.inputs) - 1)]
    seen: set[tuple[str, int]] = set()
    while waiting:
        user, place = waiting.pop()
        source = nodes.get(nodes[user].inputs[place].node)
        if (user, place) in seen or source is None:
            continue
        seen.add((user, place))
        if source.op == "Const":
            yield user, place
        elif source.op in _FORWARDING:
            waiting.append((source.name, 0))
        elif source.op in _MERGES:
            waiting += [(source.name, index) for index in range(len(source.inputs))]


def _with_input(node: Node, place: int, output: Output) -> Node:
    before, after = node.inputs[:place], node.inputs[place + 1 :]
    return replace(node, inputs=(*before, output, *after))


def _without_type(node: Node) -> Node:
    """Return a node that forwards a handle, without the type of strings."""
    return replace(node, attributes={k: v for k, v in node.attributes.items() if k != "T"})
