"""Writes the graph of a compiled program as JSON for TVM's tools.

A program is one native function, so its graph is its inputs and one operator.
"""

import json

from relay.runtime.program import Signature, TensorSpec

_OPEN = -1
"""The number that represents a dynamic size."""


def graph_json(signature: Signature, name: str) -> str:
    """Return the graph of a program called `name` as JSON in TVM's schema.

    >>> spec = TensorSpec("x", (2, 3), "float32")
    >>> json.loads(graph_json(Signature((spec,), (spec,)), "f"))["arg_nodes"]
    [0]
    """
    inputs, outputs = signature.inputs, signature.outputs
    count, entries = len(inputs), (*inputs, *outputs)
    attrs = {
        "func_name": name,
        "num_inputs": str(count),
        "num_outputs": str(len(outputs)),
        "flatten_data": "0",
    }
    places = [[index, 0, 0] for index in range(count)]
    function = {"op": "tvm_op", "name": name, "attrs": attrs, "inputs": places}
    graph: dict[str, object] = {
        "nodes": [*({"op": "null", "name": spec.name, "inputs": []} for spec in inputs), function],
        "arg_nodes": [*range(count)],
        "heads": [[count, index, 0] for index in range(len(outputs))],
        "attrs": {
            "dltype": ["list_str", [str(spec.dtype) for spec in entries]],
            "shape": ["list_shape", [*map(_shape, entries)]],
            "storage_id": ["list_int", [*range(len(entries))]],
        },
        "node_row_ptr": [*range(count + 1), len(entries)],
    }
    return json.dumps(graph, indent=2)


def _shape(spec: TensorSpec) -> list[int]:
    return [_OPEN if isinstance(size, str) else size for size in spec.shape]
