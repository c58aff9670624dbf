"""Convert attributes of TensorFlow nodes to Python values."""

from collections.abc import Sequence
from typing import Any

from relay.frontend.tensorflow.decode_tensors import array_of, shape_of

_OFF: Sequence[object] = (None, False, 0, b"", (), [])
"""Values that say that a feature is not used."""

WITHOUT_MEANING = frozenset((
    "use_cudnn_on_gpu", "validate_indices", "parallel_iterations", "swap_memory", "container",
    "shared_name", "clear_after_read", "identical_element_shapes", "tensor_array_name",
    "bad_indices_policy", "grad_a", "grad_b", "debug_name", "max_num_elements", "is_constant",
    "config", "config_proto", "executor_type", "allowed_devices", "shape", "output_shapes",
    "message", "summarize", "N", "num", "Nindex", "incompatible_shape_error",
))  # fmt: skip
"""Attributes that affect only performance or messages, or that the operands determine."""


def attribute_value(message: Any, node: str) -> Any:
    """Return an attribute as a Python value: number, bytes, shape, array, function name, list.

    `node` is the name of the node, for messages.

    An element type is its number in the schema, a shape a tuple with -1 for unknown sizes, or None.
    """
    kind = message.WhichOneof("value")
    if kind is None:
        return None
    found = getattr(message, kind)
    match kind:
        case "list":
            return _elements(found)
        case "shape":
            return shape_of(found)
        case "tensor":
            return array_of(found, node)
        case "func":
            return found.name
        case _:
            return found


def _elements(message: Any) -> list[Any]:
    """Return the elements of a list attribute, from the field of its element kind."""
    for field, elements in message.ListFields():
        if field.name == "shape":
            return [shape_of(each) for each in elements]
        if field.name == "func":
            return [each.name for each in elements]
        return list(elements)
    return []


def is_off(message: Any) -> bool:
    """Whether the value of an attribute means that the feature is not used, such as 0."""
    return message.WhichOneof("value") not in ("tensor", "func") and (
        attribute_value(message, "") in _OFF
    )


def is_type(message: Any) -> bool:
    """Whether an attribute is an element type, or a list of them; operands determine these."""
    kind = message.WhichOneof("value")
    return kind == "type" or (kind == "list" and bool(message.list.type))
