"""The metadata section: constants too large for the text, as JSON with base64."""

import base64
import binascii
import json
from typing import Any, cast

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import dtype
from relay.support.errors import RelayError

KEY = "relay.Constant"
MARK = "#[metadata]"


def encode(arrays: list[Array]) -> str:
    """Return the section for these constants, in the order of their numbers."""
    entries = ",\n  ".join(json.dumps(_entry(array)) for array in arrays)
    return f'{MARK}\n{{"{KEY}": [\n  {entries}\n]}}'


def _entry(array: Array) -> dict[str, Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"shape": list(array.shape), "dtype": str(dtype(array.dtype)), "data": data}


def decode(text: str) -> list[Array]:
    """Return the constants of a section's JSON; raises ValueError where it is damaged."""
    try:
        section = json.loads(text)
        entries = section.get(KEY, [])
        return [_array(entry) for entry in entries]
    except (KeyError, TypeError, AttributeError, RecursionError, binascii.Error, RelayError) as e:
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
