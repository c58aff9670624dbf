"""Reading the JSON format of TVM's Relay: a graph of nodes, and a list of arrays.

`{"root": 1, "nodes": [{"type_key": …, "attrs": …, "keys": …, "data": …}, …], "b64ndarrays": […]}`:
nodes refer to other nodes by number, and constants to their arrays. In the metadata section of a
program's text, the root maps kinds to lists of entries of that kind; in a saved module, it is the
module (`relay.frontend.classic_json`).
"""

import base64
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, count
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

import numpy as np

from relay.ir.dims import ANY, Dim, DimVar, add, floor_divide, maximum, multiply
from relay.ir.expr import Array, Operator
from relay.support.dims.algebra import MOST_PARTS
from relay.support.dtype import DType, dtype

ClassicNode: TypeAlias = dict[str, Any]
"""A node of the JSON graph: its `type_key`, and its `attrs`, `keys`, `data` or `repr_str`."""

_MAGIC = 0xDD5E40F096B4A13F
_HEAD = "<QQiiiBBH"  # magic number, reserved, device type and id, rank, kind, bits, lanes
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat"}
_INTEGERS = frozenset(("IntImm", "runtime.BoxInt"))
_SIZE_NAMES = frozenset(("tir.Var", "tir.SizeVar"))
_SIZES: dict[str, Callable[[Dim, Dim], Dim]] = {
    "tir.Add": add,
    "tir.Sub": lambda a, b: add(a, multiply(-1, b)),
    "tir.Mul": multiply,
    "tir.FloorDiv": floor_divide,
    "tir.Max": maximum,
}
_NUMBERS = frozenset((bool, int, float, NoneType))
_BOXED = {
    "relay.attrs.GatherAttrs": ("axis",),
    "relay.attrs.RepeatAttrs": ("repeats",),
    "relay.attrs.ScatterElementsAttrs": ("axis",),
    "relay.attrs.StackAttrs": ("axis",),
    "relay.attrs.TakeAttrs": ("batch_dims",),
}
_OF_NODES = frozenset(("span",))
ATTRIBUTES = "relay.attrs."
"""The prefix of the kinds of nodes that hold the attributes of calls."""

_FLOATS = frozenset(("FloatImm", "runtime.BoxFloat"))
_OTHERS = frozenset(("runtime.String", "runtime.BoxBool", "tir.StringImm", "tir.Any"))
LEAVES = frozenset((*_INTEGERS, *_FLOATS, *_SIZE_NAMES, *_SIZES, *_OTHERS))
"""The kinds of nodes whose values are strings, numbers and dimensions."""


def classic_entries(section: ClassicNode) -> dict[str, list[object]]:
    """Return the entries of a metadata section by kind.

    An entry that has a meaning only in TVM is None. Raises `ValueError`, `LookupError` or
    `TypeError` for an invalid section.
    """
    values = ClassicValues(section)
    start: int = section["root"]
    root = values.nodes[start]
    keys: list[str] = root["keys"]
    lists: list[int] = root["data"]
    found: dict[str, list[object]] = {}
    for kind, index in zip(keys, lists, strict=True):
        members: list[int] = values.nodes[index]["data"]
        found[kind] = [*map(values.of, members)]
    return found


class ClassicValues:
    """The values that the nodes of a metadata section represent, memoised."""

    def __init__(self, section: ClassicNode) -> None:
        self.nodes: Sequence[ClassicNode] = section["nodes"]
        texts: Sequence[str] = section.get("b64ndarrays", ())
        self._arrays = [_array(base64.b64decode(each, validate=True)) for each in texts]
        self._known: dict[int, object] = {}
        self._size_names: set[str] = set()

    def of(self, index: int) -> object:
        """Return the value of a node: an array, attribute value, dimension, or call attributes."""
        if index not in self._known:
            self._known[index] = self._value(self.nodes[index])
        return self._known[index]

    def _value(self, node: ClassicNode) -> object:
        kind: str = node["type_key"]
        attributes: dict[str, str] = node.get("attrs", {})
        if not all(isinstance(text, str) for text in attributes.values()):  # pyright: ignore[reportUnnecessaryIsInstance] - as files may
            raise TypeError(f"the attributes of {kind} are not strings")
        if kind == "Array":
            return tuple(map(self.of, node["data"]))
        if kind == "relay.Constant":
            return self._array(int(attributes["data"]))
        if kind.startswith(ATTRIBUTES):
            return CallAttributes(kind, attributes, self.of)
        if kind in _SIZE_NAMES:
            return self._size_name(attributes["name"])
        if kind in _SIZES:
            return self._size(_SIZES[kind], attributes)
        return ANY if kind == "tir.Any" else _plain(node, attributes)

    def _array(self, index: int) -> Array:
        if not 0 <= index < len(self._arrays):
            raise ValueError(f"there is no array {index}: the file has {len(self._arrays)}")
        return self._arrays[index]

    def _size_name(self, name: str) -> DimVar:
        """Return a dimension variable; names of different variables are made unique."""
        hint = str(self.of(int(name))) if name.isdigit() else name
        names = chain([hint], (f"{hint}{number}" for number in count(1)))
        chosen = next(each for each in names if each not in self._size_names)
        self._size_names.add(chosen)
        return DimVar(chosen)

    def _size(self, combine: Callable[[Dim, Dim], Dim], attributes: dict[str, str]) -> Dim:
        operands = [self.of(int(attributes[side])) for side in ("a", "b")]
        left, right = (each for each in operands if isinstance(each, Dim))
        size = combine(left, right)
        if size is ANY and ANY not in (left, right):
            raise ValueError(f"a size of more than {MOST_PARTS} parts")
        return size


def _plain(node: ClassicNode, attributes: Mapping[str, str]) -> object:
    """Return the number, bool or string that a node represents."""
    kind: str = node["type_key"]
    text = attributes.get("value", node.get("repr_str"))
    if text is None:
        return None
    if kind == "runtime.BoxBool" or attributes.get("dtype") == "bool":
        return text in ("1", "True", "true")
    if kind in _INTEGERS:
        return int(text)
    return float(text) if kind in _FLOATS else text


@dataclass(frozen=True)
class CallAttributes:
    """The attributes of a call in a metadata section of TVM: strings without types.

    `kind` is the class of the object that holds them, and `written` has the fields' text: a value,
    or the number of the node that has the value. Only the declared type of a field shows which:
    optional numbers, lists and strings are nodes, and so are the integers in `_BOXED`. `node`
    returns the value of a node.
    """

    kind: str
    written: Mapping[str, str]
    node: Callable[[int], object]

    def of(self, cls: type[Operator]) -> dict[str, object]:
        """Return the attributes by name, with the types that the operator class declares.

        Raises `LookupError` or `ValueError` if the section is damaged.
        """
        declared: Any = cls
        leaves = {each.name: _leaves(each.type) for each in fields(declared)}
        found = {
            name: self._value(name, text, leaves.get(name, frozenset()))
            for name, text in self.written.items()
            if name not in _OF_NODES
        }
        return {
            name: value
            for name, value in found.items()
            if value is not None or NoneType in leaves.get(name, ())
        }

    def _value(self, name: str, text: str, leaves: frozenset[Any]) -> object:
        if DType in leaves:
            return text or None
        is_written = not text.isdigit() or (bool in leaves and text in ("0", "1"))
        is_boxed = leaves & {bool, NoneType} or name in _BOXED.get(self.kind, ())
        if is_written or (leaves and leaves <= _NUMBERS and not is_boxed):
            return _number(text, leaves)
        found = self.node(int(text)) if int(text) else None
        is_found = found is not None or text == "0" or not leaves & _NUMBERS
        return found if is_found else _number(text, leaves)


def _leaves(declared: Any) -> frozenset[Any]:
    """Return the members of a declared union type, without their type arguments."""
    if isinstance(declared, UnionType) or get_origin(declared) is Union:
        return frozenset[Any]().union(*map(_leaves, get_args(declared)))
    return frozenset((get_origin(declared) or declared,))


def _number(text: str, leaves: frozenset[Any]) -> object:
    """Return a field's value from its text: a bool, a number, or else the string itself.

    `leaves` are the basic types that the field may have.
    """
    if bool in leaves:
        return text in ("1", "True", "true")
    return int(text) if int in leaves else float(text) if float in leaves else text


def _array(content: bytes) -> Array:
    """Return an array from its bytes in the file format of TVM's runtime."""
    try:
        magic, _, _, _, rank, code, bits, lanes = struct.unpack_from(_HEAD, content)
        at = struct.calcsize(_HEAD)
        *shape, size = struct.unpack_from(f"<{max(rank, 0) + 1}q", content, at)
    except struct.error as error:
        raise ValueError(f"the data of an array end too early: {error}") from None
    start = at + 8 * (len(shape) + 1)
    if magic != _MAGIC or lanes != 1 or min(shape, default=0) < 0:
        raise ValueError("the data of an array cannot be decoded")
    is_bool = (code, bits) == (1, 1)
    element = dtype("bool" if is_bool else f"{_KINDS[code]}{bits}").numpy
    if size != math.prod(shape) * element.itemsize or len(content) != start + size:
        raise ValueError(f"{size} bytes are stored for an array of shape {tuple(shape)}")
    return np.frombuffer(content, element, offset=start).reshape(shape)
