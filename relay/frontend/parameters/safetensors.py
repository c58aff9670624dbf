"""Read `.safetensors` files, which contain a JSON header and the elements of all arrays.

The file begins with the length of the header, eight bytes; each entry of the header has an element
type, a shape, and the begin and end of its elements relative to the end of the header.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from relay.frontend.json_values import is_fields, is_list
from relay.frontend.parameters.stored_arrays import (
    StoredArray,
    StoredParameters,
    as_dtype,
    damaged,
    unknown_type,
)
from relay.frontend.read_files import mapped

LARGEST_HEADER = 100 << 20
"""The format's limit on the header; a longer one is not read."""

_ML: Any = ml_dtypes

_DTYPES: Mapping[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    "U8": np.dtype("u1"), "U16": np.dtype("<u2"), "U32": np.dtype("<u4"), "U64": np.dtype("<u8"),
    "I8": np.dtype("i1"), "I16": np.dtype("<i2"), "I32": np.dtype("<i4"), "I64": np.dtype("<i8"),
    "F16": np.dtype("<f2"), "F32": np.dtype("<f4"), "F64": np.dtype("<f8"),
    "BF16": np.dtype(_ML.bfloat16),
    "F8_E4M3": np.dtype(_ML.float8_e4m3fn), "F8_E5M2": np.dtype(_ML.float8_e5m2),
}  # fmt: skip


def read_safetensors(path: Path) -> StoredParameters:
    """Return the arrays of a file; raises `F080` if it is damaged, `F081` for unknown types."""
    memory = mapped(path)
    length = int(memory[:8].view("<u8")[0]) if memory.size >= 8 else 0
    if not 2 <= length <= min(LARGEST_HEADER, memory.size - 8):
        raise damaged(
            path,
            f"the first 8 bytes say that the header has {length} bytes, but the file has only "
            f"{memory.size} bytes",
        )
    header = _header(memory[8 : 8 + length].tobytes(), path)
    metadata = header.pop("__metadata__", {})
    begin, size = 8 + length, memory.size - 8 - length
    arrays = {name: _array(name, each, begin, size, path) for name, each in header.items()}
    return StoredParameters(path, arrays, metadata if is_fields(metadata) else {})


def _header(text: bytes, path: Path) -> dict[str, object]:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"the header is not JSON: {error}") from None
    if not is_fields(found):
        raise damaged(path, "the header is not a dictionary")
    return dict(found)


def _sizes(values: Sequence[object]) -> tuple[int, ...]:
    """Return sizes from JSON; values that are not integers become -1, which callers reject."""
    return tuple(each if isinstance(each, int) else -1 for each in values)


def _array(name: str, entry: object, begin: int, size: int, path: Path) -> StoredArray:
    keys = ("dtype", "shape", "data_offsets")
    kind, shape, place = [entry.get(key) for key in keys] if is_fields(entry) else [None] * 3
    if not isinstance(kind, str) or not is_list(shape) or not is_list(place):
        raise damaged(path, f"the entry of the array '{name}' has no type, shape or offsets")
    first, last = _sizes(place) if len(place) == 2 else (-1, -1)
    if kind not in _DTYPES:
        raise unknown_type(path, name, kind, _DTYPES)
    dtype = _DTYPES[kind]
    sizes = _sizes(shape)
    if min(sizes, default=0) < 0 or not 0 <= first <= last <= size:
        raise damaged(path, f"the array '{name}', of shape {shape}, extends beyond the file")
    if prod(sizes) * dtype.itemsize != last - first:
        needed = prod(sizes) * dtype.itemsize
        what = f"the array '{name}', of shape {shape} and type {kind}, needs {needed} bytes"
        raise damaged(path, f"{what}, but has {last - first}")
    return StoredArray(begin + first, last - first, sizes, kind, partial(as_dtype, dtype))
