"""The metadata section as the classic printer wrote it: a graph of nodes, and arrays beside it.

`{"root": 1, "nodes": [{"type_key": …, "attrs": …, "keys": …, "data": …}, …], "b64ndarrays": […]}`:
a node refers to others by their numbers, and a constant to its array. The root is a map from kinds
to lists of things of that kind.
"""

import base64
import math
import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import dtype

_Node: TypeAlias = dict[str, Any]

_MAGIC = 0xDD5E40F096B4A13F
_HEAD = "<QQiiiBBH"  # magic number, nothing, device and its number, rank, kind, bits, lanes
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat"}
_INTEGERS = frozenset(("IntImm", "runtime.BoxInt"))
_FLOATS = frozenset(("FloatImm", "runtime.BoxFloat"))


def classic_entries(section: _Node) -> dict[str, list[object]]:
    """Return what the section holds, by kind; raises `ValueError`, `LookupError` or `TypeError`.

    A thing that has no value outside of the classic system is None.
    """
    nodes: list[_Node] = section["nodes"]
    arrays = [_array(base64.b64decode(each, validate=True)) for each in section["b64ndarrays"]]
    start: int = section["root"]
    root = nodes[start]
    keys: list[str] = root["keys"]
    lists: list[int] = root["data"]
    found: dict[str, list[object]] = {}
    for kind, index in zip(keys, lists, strict=True):
        members: list[int] = nodes[index]["data"]
        found[kind] = [_thing(nodes, arrays, member) for member in members]
    return found


def _thing(nodes: Sequence[_Node], arrays: Sequence[Array], index: int) -> object:
    """Return a constant's array or an attribute's value; it recurses on the depth of lists."""
    node = nodes[index]
    kind: str = node["type_key"]
    if kind == "Array":
        return tuple(_thing(nodes, arrays, each) for each in node["data"])
    attributes: dict[str, str] = node.get("attrs", {})
    if kind == "relay.Constant":
        return arrays[int(attributes["data"])]
    text = attributes.get("value", node.get("repr_str"))
    if text is None:
        return None
    if kind == "runtime.BoxBool" or attributes.get("dtype") == "bool":
        return text in ("1", "True", "true")
    if kind in _INTEGERS:
        return int(text)
    return float(text) if kind in _FLOATS else text


def _array(content: bytes) -> Array:
    """Return an array from the bytes of the classic runtime's file format."""
    try:
        magic, _, _, _, rank, code, bits, lanes = struct.unpack_from(_HEAD, content)
        at = struct.calcsize(_HEAD)
        *shape, size = struct.unpack_from(f"<{max(rank, 0) + 1}q", content, at)
    except struct.error as error:
        raise ValueError(f"an array that is cut off: {error}") from None
    start = at + 8 * (len(shape) + 1)
    if magic != _MAGIC or lanes != 1 or min(shape, default=0) < 0:
        raise ValueError("an array that is none")
    is_bool = (code, bits) == (1, 1)
    element = dtype("bool" if is_bool else f"{_KINDS[code]}{bits}").numpy
    if size != math.prod(shape) * element.itemsize or len(content) != start + size:
        raise ValueError(f"{size} bytes for an array of shape {tuple(shape)}")
    return np.frombuffer(content, element, offset=start).reshape(shape)
