"""Convert element types, shapes and constants of TensorFlow's files."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

STRING, RESOURCE, VARIANT = 7, 20, 21
FLOATS = (1, 2, 19)  # float32, float64 and float16
_REFERENCE = 100  # the offset of the type numbers of references to variables

_DTYPES: Mapping[int, str] = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 8: "complex64",
    9: "int64", 10: "bool", 14: "bfloat16", 17: "uint16", 18: "complex128", 19: "float16",
    22: "uint32", 23: "uint64",
}  # fmt: skip

_NAMES: Mapping[int, str] = {
    STRING: "string", 11: "qint8", 12: "quint8", 13: "qint32", 15: "qint16",
    16: "quint16", RESOURCE: "resource", VARIANT: "variant",
    24: "float8_e5m2", 25: "float8_e4m3fn", 29: "int4", 30: "uint4",
}  # fmt: skip

_FIELDS: Mapping[str, str] = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val",
    "uint32": "uint32_val", "uint64": "uint64_val", "float16": "half_val", "bfloat16": "half_val",
    "complex64": "scomplex_val", "complex128": "dcomplex_val",
}  # fmt: skip
"""The fields of a constant's elements; other integers are in `int_val`."""

_MOST_AXES = 254


def element_name(number: int) -> str:
    """Return the name of an element type by its number in the schema."""
    plain = number % _REFERENCE
    return _DTYPES.get(plain) or _NAMES.get(plain, f"element type {number}")


def element_dtype(number: int) -> DType:
    """Return an element type by its number; raises `F017` if it is not supported."""
    name = _DTYPES.get(number % _REFERENCE)
    if name is None:
        message = f"the model has tensors of {element_name(number)}, which Relay does not support"
        raise RelayImportError(ErrorCode.F017, message)
    return dtype(name)


def shape_of(message: Any) -> tuple[int, ...] | None:
    """Return a shape with -1 for unknown sizes; None if the rank is unknown."""
    return None if message.unknown_rank else tuple(each.size for each in message.dim)


def array_of(message: Any, name: str) -> Array:
    """Return the array of constant `name`.

    Raises `F015` if its elements do not match its shape.
    """
    of = element_dtype(message.dtype)
    return _array(message, of, getattr(message, _FIELDS.get(str(of), "int_val")), name)


def _known_shape(message: Any, name: str) -> tuple[int, ...]:
    shape = shape_of(message.shape)
    if shape is None:
        raise _misfit(name, "its number of axes is missing")
    if min(shape, default=0) < 0:
        raise _misfit(name, f"its sizes must be 0 or larger, but its shape is {shape}")
    if len(shape) > _MOST_AXES:
        raise _misfit(name, f"it has {len(shape)} axes; at most {_MOST_AXES} are supported")
    return shape


def _array(message: Any, of: DType, values: Any, name: str) -> Array:
    """Return the array whose elements are bytes, or the numbers `values` of a field."""
    shape = _known_shape(message, name)
    if message.content:
        return array_of_bytes(message.content, of, shape, name)
    if of.is_complex and len(values) % 2:
        raise _misfit(name, "the last complex number lacks its imaginary part")
    if of.is_complex:
        array = np.array(values, of.part.numpy).view(of.numpy)
    elif of.bits == 16 and of.is_float:
        array = np.array(values, np.uint16).view(of.numpy)
    else:
        array = np.array(values).astype(of.numpy)
    return _filled(array, shape, name)


def array_of_bytes(data: Any, of: DType, shape: tuple[int, ...], name: str) -> Array:
    """Return tensor `name`, which shares the memory of bytes; raises `F015` for a wrong size."""
    wanted = prod(shape) * of.itemsize
    if len(data) != wanted:
        raise _misfit(
            name, f"{of} of shape {shape} needs {wanted} bytes, but {len(data)} are stored"
        )
    return np.frombuffer(data, of.numpy).reshape(shape)


def _filled(array: Array, shape: tuple[int, ...], name: str) -> Array:
    """Return an array of `shape`; the last stored element is repeated to fill it."""
    count = prod(shape)
    if array.size == count:
        return array.reshape(shape)
    if array.size > count:
        raise _misfit(name, f"the shape {shape} has {count} elements, but {array.size} are stored")
    if array.size <= 1:  # a view, so that memory does not exceed the file's size
        return np.broadcast_to(array.reshape(()) if array.size else array.dtype.type(0), shape)
    return np.concatenate([array, np.repeat(array[-1:], count - array.size)]).reshape(shape)


def _misfit(name: str, problem: str) -> RelayImportError:
    message = f"the data of the tensor '{name}' are invalid: {problem}"
    return RelayImportError(ErrorCode.F015, message)
