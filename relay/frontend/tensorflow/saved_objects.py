"""Find the values of variables in a checkpoint by the objects of a SavedModel that own them.

TensorFlow restores a SavedModel by its objects. The graph has a second way, nodes that restore
variables by name, but some models apply it only to copies of their variables: those of Keras 3.
"""

from collections.abc import Mapping
from typing import Any

from relay.frontend.tensorflow.model import CALLS, TensorFlowModel

_VALUE = "VARIABLE_VALUE"


def keys_by_object(model: TensorFlowModel, stored: Any) -> dict[str, str]:
    """Map variable nodes that the signatures read to the names of tensors in the checkpoint.

    `stored` is the message of the objects in the checkpoint.
    """
    found: dict[str, str] = {}
    keys = _keys(model.objects, stored)
    for call in model.graph.nodes.values():
        name = call.attributes["f"].func.name if call.op in CALLS else ""
        if name in model.objects.concrete_functions:
            captured = model.objects.concrete_functions[name].bound_inputs
            inputs = call.inputs[len(call.inputs) - len(captured) :]
            pairs = zip(inputs, captured, strict=True)
            found |= {each.node: keys[index] for each, index in pairs if index in keys}
    return found


def _keys(objects: Any, stored: Any) -> Mapping[int, str]:
    """Map the indices of variables among the objects of a model to names in the checkpoint.

    Objects of both correspond that have the same path of names from the first object.
    """
    found: dict[int, str] = {}
    partners = {0: 0}
    waiting = [0]
    while waiting:
        index = waiting.pop()
        partner = stored.nodes[partners[index]]
        values = [each.checkpoint_key for each in partner.attributes if each.name == _VALUE]
        if values:
            found[index] = values[0]
        others = {each.local_name: each.node_id for each in partner.children}
        for child in objects.nodes[index].children:
            if child.local_name in others and child.node_id not in partners:
                partners[child.node_id] = others[child.local_name]
                waiting.append(child.node_id)
    return found
