"""Dictionaries of parameters (arrays by name) in the binary format of TVM's Relay.

The format is little-endian: a magic number, a reserved word, the names, and the arrays. Each array
has its own magic number, a device, its rank, element type, sizes, and bytes.
"""

import math
import struct
from collections.abc import Mapping
from os import PathLike
from typing import cast

import numpy as np
import numpy.typing as npt

from relay.ir.expr import Array
from relay.runtime.artefact import Section, atomically_replaced, begins_with, mapped
from relay.runtime.dlpack import array_of
from relay.runtime.json_fields import LARGEST, MOST_AXES
from relay.support.dtype import MINIFLOATS, DType, Kind, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RelayError, RelayTypeError, UsageError
from relay.support.ndarray import NDArray

_MAGIC, _ARRAY_MAGIC = 0xF7E58D4F05049CB7, 0xDD5E40F096B4A13F
_BEGINNING = struct.pack("<Q", _MAGIC)
_CPU = 1
_KINDS = {
    0: Kind.INT,
    1: Kind.UINT,
    2: Kind.FLOAT,
    4: Kind.BFLOAT,
    5: Kind.COMPLEX,
    10: Kind.FLOAT8_E4M3FN,
    11: Kind.FLOAT8_E4M3FNUZ,
    12: Kind.FLOAT8_E5M2,
    13: Kind.FLOAT8_E5M2FNUZ,
    14: Kind.FLOAT8_E8M0FNU,
    17: Kind.FLOAT4_E2M1FN,
}
"""The name prefix of each element type code of DLPack; code 3, for addresses, is not supported."""

_CODES = {kind: code for code, kind in _KINDS.items()}


def save_param_dict(params: Mapping[str, npt.ArrayLike]) -> bytes:
    """Return a dictionary of arrays as bytes; raises `U003` for anything but such a dictionary.

    >>> found = load_param_dict(save_param_dict({"weight": np.ones((2, 3))}))
    >>> found["weight"].shape
    (2, 3)
    """
    _check_names(params)
    arrays = {name: array_of(each) for name, each in params.items()}
    parts = [struct.pack("<QQQ", _MAGIC, 0, len(arrays))]
    for name in arrays:
        text = name.encode()
        parts += [struct.pack("<Q", len(text)), text]
    parts.append(struct.pack("<Q", len(arrays)))
    for name, each in arrays.items():
        parts += _array_parts(name, each)
    return b"".join(parts)


def load_param_dict(content: bytes | bytearray) -> dict[str, NDArray]:
    """Return the dictionary of arrays that `save_param_dict` wrote; the arrays are not copied.

    They also have TVM's methods, such as `numpy()`. Raises `A012` for bytes in another format, or
    that are truncated or damaged.
    """
    found = _Reader(np.frombuffer(content, np.uint8)).arrays()
    return {name: array.view(NDArray) for name, array in found.items()}


def save_params(params: Mapping[str, npt.ArrayLike], path: str | PathLike[str]) -> None:
    """Write a dictionary of arrays to a file atomically; raises `A009` if it cannot be written."""
    content = save_param_dict(params)
    with atomically_replaced(path) as file:
        file.write(content)


def load_params(path: str | PathLike[str]) -> dict[str, Array]:
    """Return the dictionary of arrays in a file, mapped into memory; raises `A001` or `A012`."""
    return _Reader(mapped(path)).arrays()


def is_parameters(path: str | PathLike[str]) -> bool:
    """Whether a file begins like a parameter file; False if it cannot be read."""
    return begins_with(path, _BEGINNING)


def _check_names(params: object) -> None:
    names = [*cast("Mapping[object, object]", params)] if isinstance(params, Mapping) else [params]
    for wrong in (each for each in names if not isinstance(each, str)):
        message = f"the name of a parameter must be a string, not {type(wrong).__name__}"
        raise UsageError(
            ErrorCode.U003,
            message,
            help='pass a dictionary with strings as keys: {"weight": array}',
        )


def _array_parts(name: str, array: Array) -> list[bytes]:
    try:
        element = dtype(array.dtype)
    except RelayTypeError:
        message = f"the parameter '{name}' has elements of the type {array.dtype}"
        raise UsageError(ErrorCode.U003, message, help="pass arrays of numbers or bools") from None
    code = _CODES[Kind.UINT if element.kind is Kind.BOOL else element.kind]
    head = struct.pack("<QQiii", _ARRAY_MAGIC, 0, _CPU, 0, array.ndim)
    layout = struct.pack("<BBH", code, element.bits, element.lanes)
    sizes = struct.pack(f"<{array.ndim + 1}q", *array.shape, array.nbytes)
    return [head, layout, sizes, np.ascontiguousarray(array).tobytes()]


class _Reader:
    """A reader of parameter files, which checks everything because their content is untrusted."""

    def __init__(self, content: Section) -> None:
        self.content = content
        self.at = 0

    def arrays(self) -> dict[str, Array]:
        """Return all arrays of the file by name."""
        magic, _, count = self._numbers("<QQQ")
        if magic != _MAGIC:
            raise _unreadable("it does not begin with the signature of a parameter file")
        names = [self._name() for _ in range(self._count(count, 8))]
        (count,) = self._numbers("<Q")
        if count != len(names):
            raise _unreadable(f"the file has {len(names)} names for {count} arrays")
        return {name: self._array() for name in names}

    def _array(self) -> Array:
        magic, _, _, _, rank, code, bits, lanes = self._numbers("<QQiiiBBH")
        if magic != _ARRAY_MAGIC or not 0 <= rank <= MOST_AXES:
            raise _unreadable("an array does not begin with its signature")
        *shape, size = self._numbers(f"<{rank + 1}q")
        if min(shape, default=0) < 0 or math.prod(shape) >= LARGEST:
            raise _unreadable(f"an array has the impossible shape {tuple(shape)}")
        element = _element(code, bits, lanes).numpy
        if size != math.prod(shape) * element.itemsize:
            raise _unreadable(f"the file has {size} bytes for an array of shape {tuple(shape)}")
        return self._take(size).view(element).reshape(shape)

    def _name(self) -> str:
        (length,) = self._numbers("<Q")
        try:
            return self._take(length).tobytes().decode()
        except UnicodeDecodeError as error:
            raise _unreadable("the name of an array is not UTF-8 text") from error

    def _count(self, count: int, least: int) -> int:
        """Return `count` if that many items of at least `least` bytes remain; else raise `A012`."""
        if count * least > self.content.nbytes - self.at:
            raise _unreadable(f"the file is too short for {count} arrays")
        return count

    def _numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self._take(struct.calcsize(form)).tobytes())

    def _take(self, size: int) -> Section:
        if size > self.content.nbytes - self.at:
            raise _unreadable("it ends in the middle of an array")
        self.at += size
        return self.content[self.at - size : self.at]


def _element(code: int, bits: int, lanes: int) -> DType:
    kind = _KINDS.get(code)
    if kind is None or lanes != 1:
        raise _unreadable(
            f"an array has the unknown element type with code {code} and {lanes} lanes"
        )
    if (kind, bits) == (Kind.UINT, 1):
        return dtype("bool")
    try:
        found = dtype(kind.value if kind in MINIFLOATS else f"{kind.value}{bits}")
    except RelayError as error:
        raise _unreadable(error.message) from None
    if found.bits != bits or bits == 1:
        raise _unreadable(f"an array has elements of {bits} bits")
    return found


def _unreadable(why: str) -> ArtefactError:
    return ArtefactError(
        ErrorCode.A012,
        f"the file does not contain parameters, or it is damaged: {why}",
        help="copy the file again, or save the parameters again",
    )
