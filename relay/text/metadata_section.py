"""The metadata section of a program's text: large constants, as JSON with base64.

Relay writes a list of constants. It also reads TVM's format, a graph of nodes and arrays
(`relay.text.tvm_metadata`), which contains attribute values as well.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import dtype
from relay.support.errors import RelayError
from relay.text.tvm_metadata import classic_entries

KEY = "relay.Constant"
MARK = "#[metadata]"
DAMAGED = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
    binascii.Error,
    RelayError,
)
"""The exceptions that decoding a damaged section may raise."""

DAMAGED_HELP = "print the module again with relay.astext, and do not edit its metadata section"

Metadata: TypeAlias = Mapping[str, Sequence[object]]
"""The entries that `meta[kind][number]` refers to: arrays of constants, or attribute values."""


NO_METADATA: Metadata = MappingProxyType({})


def joined(first: Metadata, second: Metadata) -> Metadata:
    """Merge two metadata sections; for each kind, entries of the first come first."""
    kinds = dict.fromkeys((*first, *second))
    return {kind: [*first.get(kind, ()), *second.get(kind, ())] for kind in kinds}


def encode(arrays: list[Array]) -> str:
    """Return the text of a metadata section with these constants, numbered in this order."""
    entries = ",\n  ".join(json.dumps(_entry(array)) for array in arrays)
    return f'{MARK}\n{{"{KEY}": [\n  {entries}\n]}}'


def _entry(array: Array) -> dict[str, Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"shape": list(array.shape), "dtype": str(dtype(array.dtype)), "data": data}


def decode(text: str) -> Metadata:
    """Return the entries in the JSON of a metadata section; `ValueError` if it is damaged."""
    try:
        section = json.loads(text)
        if "nodes" in section:
            return classic_entries(section)
        return {KEY: [_array(entry) for entry in section.get(KEY, [])]}
    except DAMAGED as e:
        raise ValueError(f"{type(e).__name__}: {e}") from e


def _array(entry: dict[str, Any]) -> Array:
    shape = cast("list[int]", entry["shape"])
    if not all(type(dim) is int and dim >= 0 for dim in shape):
        raise ValueError(f"the entry {shape} is not a shape")
    element = dtype(str(entry["dtype"]))
    data = base64.b64decode(entry["data"], validate=True)
    count = 1
    for dim in shape:
        count *= dim
    if len(data) != count * element.numpy.itemsize:
        raise ValueError(
            f"{len(data)} bytes are stored for a tensor of shape {shape} and type {element}"
        )
    return np.frombuffer(data, element.numpy).reshape(shape)
