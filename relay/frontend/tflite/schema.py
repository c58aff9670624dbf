"""Access to the schema of TensorFlow Lite files: operator names, element types, options."""

import struct
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from relay.support.dtype import DType, dtype

tflite: Any = import_module("tflite")
"""The package with a class for each table of the schema."""


def _names(enumeration: Any) -> Mapping[int, str]:
    """Return the names of an enumeration's members by value."""
    return {getattr(enumeration, name): name for name in dir(enumeration) if name[:1].isupper()}


OPERATORS = _names(tflite.BuiltinOperator)
OPTIONS = _names(tflite.BuiltinOptions)
OPTIONS_2 = _names(tflite.BuiltinOptions2)
ELEMENTS = _names(tflite.TensorType)
CUSTOM: int = tflite.BuiltinOperator.CUSTOM

_DTYPES = {
    "FLOAT16": "float16", "FLOAT32": "float32", "FLOAT64": "float64", "BFLOAT16": "bfloat16",
    "COMPLEX64": "complex64", "COMPLEX128": "complex128", "BOOL": "bool", "INT4": "int8",
    "INT8": "int8", "INT16": "int16", "INT32": "int32", "INT64": "int64",
    "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64",
}  # fmt: skip
"""4-bit numbers are computed as 8-bit numbers."""

_EMPTY_TABLE = struct.pack("<HHi", 4, 4, 4)  # an empty vtable, and a table that refers to it


def element_dtype(element: int) -> DType | None:
    """Return the element type for a number in the schema; None if it is unsupported."""
    name = _DTYPES.get(ELEMENTS.get(element, ""))
    return None if name is None else dtype(name)


def fields(table: Any) -> list[str]:
    """Return the names of a table's fields, from the class that the schema compiler generated."""
    names = [name for name in dir(table) if name[:1].isupper()]
    others = ("AsNumpy", "Length", "IsNone", "HasIdentifier")
    vectors = {name.removesuffix("Length") for name in names if name.endswith("Length")}
    plain = [name for name in names if not name.endswith(others) and name != "Init"]
    return [name for name in plain if not name.startswith("GetRoot") and name not in vectors]


def default_of(table: Any, field: str) -> Any:
    """Return the default value of a table's field."""
    empty = type(table)()
    empty.Init(_EMPTY_TABLE, 4)
    return getattr(empty, field)()
