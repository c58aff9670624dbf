"""Reading of ONNX files without copies of their weights inside of protobuf messages.

A message copies the bytes of each field, and its Python interface copies them again. The weights of
the main graph are most of a file, so they are cut out of the message before it is parsed. Large
ones are views of the mapped file, possibly unaligned: a compiled program holds its own copy, packed
for its kernels, and the originals need no memory beside it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

import onnx
from onnx import numpy_helper

from relay.frontend.onnx.protobuf_fields import Field, delimited, fields, number_in
from relay.ir.expr import Array

_GRAPH = 7
"""The number of the field `graph` in a `ModelProto`."""

_INITIALIZER = 5
"""The number of the field `initializer` in a `GraphProto`."""

_DATA_TYPE, _NAME, _RAW_DATA, _DATA_LOCATION = 2, 8, 9, 14
"""The numbers of these fields in a `TensorProto`."""

_LEAST_BYTES = 1024
"""Smaller weights stay in the message: most are shapes and scalars, which a copy costs nothing."""

_LEAST_MAPPED = 2**20
"""Smaller weights are copied: together they are a small part of a large file."""

_PLAIN = frozenset(
    getattr(onnx.TensorProto, name)
    for name in (
        "FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "BOOL",
        "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64",
    )
)  # fmt: skip
"""The element types whose bytes in a file are those of an array."""

_Chunks: TypeAlias = list[memoryview | bytes]


@dataclass(frozen=True)
class DetachedWeights:
    """The bytes of weights by name, and the arrays that were made of them."""

    places: Mapping[str, Array] = field(default_factory=dict[str, Array])
    _arrays: dict[str, Array] = field(default_factory=dict[str, Array])

    def has(self, tensor: onnx.TensorProto) -> bool:
        """Whether the data of a tensor of the main graph are stored here."""
        return tensor.name in self.places

    def array(self, tensor: onnx.TensorProto) -> Array:
        """Return the array of a tensor of the main graph.

        Raises `ValueError` if its bytes do not fit its shape.
        """
        if not self.has(tensor):
            return numpy_helper.to_array(tensor)
        made = self._arrays.get(tensor.name)
        if made is None:
            made = self._arrays[tensor.name] = _viewed(tensor, self.places[tensor.name])
        return made


def _viewed(tensor: onnx.TensorProto, stored: Array) -> Array:
    kind, shape = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type), tuple(tensor.dims)
    if prod(shape) * kind.itemsize != stored.nbytes:
        raise ValueError(f"{stored.nbytes} bytes for the shape {shape} of {kind}")
    held = stored if stored.nbytes >= _LEAST_MAPPED else stored.copy()
    made = held.view(kind).reshape(shape)
    made.flags.writeable = False
    return made


def is_plain(data_type: int) -> bool:
    """Whether bytes of an ONNX element type in a file are those of an array."""
    return data_type in _PLAIN


def detach_weights(file: Array) -> tuple[bytes, dict[str, Array]]:
    """Return a serialised model without its large weights, and the bytes of these by name.

    `file` has the bytes of a file, of which the weights are views. Raises `ValueError` if they are
    not a message.
    """
    data, places = file.data, dict[str, Array]()

    def without_data(tensor: Field) -> _Chunks | None:
        inner = list(fields(data, tensor.body, tensor.stop))
        place = _place(data, inner)
        if place is None:
            return None
        name, raw = place
        places[name] = file[raw.body : raw.stop]
        return [data[tensor.body : raw.start], data[raw.stop : tensor.stop]]

    def without_weights(graph: Field) -> _Chunks | None:
        return _replaced(data, graph, _INITIALIZER, without_data)

    whole = Field(0, 0, 0, 0, len(data))
    return b"".join(_replaced(data, whole, _GRAPH, without_weights)), places


def _place(data: memoryview, tensor: Sequence[Field]) -> tuple[str, Field] | None:
    """Return the name and the data of a weight that can be detached, given its fields."""
    known = {each.number: each for each in tensor}
    raw, kind, name = (known.get(number) for number in (_RAW_DATA, _DATA_TYPE, _NAME))
    if raw is None or kind is None or name is None or _DATA_LOCATION in known:
        return None
    is_one = sum(each.number == _RAW_DATA for each in tensor) == 1
    if not is_one or raw.stop - raw.body < _LEAST_BYTES or not is_plain(number_in(data, kind)):
        return None
    return str(data[name.body : name.stop], "utf-8"), raw


def _replaced(
    data: memoryview, message: Field, number: int, replace: Callable[[Field], _Chunks | None]
) -> _Chunks:
    """Return the content of a message in which messages in the field `number` are replaced."""
    chunks, at = _Chunks(), message.body
    for each in _messages(data, message, number):
        new = replace(each)
        if new is not None:
            chunks += [data[at : each.start], *delimited(number, new)]
            at = each.stop
    return [*chunks, data[at : message.stop]]


def _messages(data: memoryview, message: Field, number: int) -> Iterator[Field]:
    return (f for f in fields(data, message.body, message.stop) if f.number == number and f.sized)
