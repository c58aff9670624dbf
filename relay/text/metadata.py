"""The metadata section: constants too large for the text, as JSON with base64.

Our format is a list of constants. The classic printer's graph of nodes and arrays is read, too
(`relay.text.classic_metadata`); it also contains attribute values.
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
from relay.text.classic_metadata import classic_entries

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
"""The exceptions for a damaged section."""

DAMAGED_HELP = "print the module once more: the section has to stay as it was written"

Metadata: TypeAlias = Mapping[str, Sequence[object]]
"""The entries for `meta[kind][number]`: arrays for constants, else attribute values."""


NO_METADATA: Metadata = MappingProxyType({})


def joined(first: Metadata, second: Metadata) -> Metadata:
    """Return two sections as one; for each kind, the entries of the second follow."""
    kinds = dict.fromkeys((*first, *second))
    return {kind: [*first.get(kind, ()), *second.get(kind, ())] for kind in kinds}


def encode(arrays: list[Array]) -> str:
    """Return the section for these constants, in the order of their numbers."""
    entries = ",\n  ".join(json.dumps(_entry(array)) for array in arrays)
    return f'{MARK}\n{{"{KEY}": [\n  {entries}\n]}}'


def _entry(array: Array) -> dict[str, Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"shape": list(array.shape), "dtype": str(dtype(array.dtype)), "data": data}


def decode(text: str) -> Metadata:
    """Return the content of a section's JSON; raises `ValueError` where it is damaged."""
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
        raise ValueError(f"not a shape: {shape}")
    element = dtype(str(entry["dtype"]))
    data = base64.b64decode(entry["data"], validate=True)
    count = 1
    for dim in shape:
        count *= dim
    if len(data) != count * element.numpy.itemsize:
        raise ValueError(f"{len(data)} bytes for a tensor of shape {shape} and type {element}")
    return np.frombuffer(data, element.numpy).reshape(shape)
