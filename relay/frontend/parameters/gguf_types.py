"""Decode element types of GGUF: plain numbers, and quantised blocks with shared scales.

A block of 32 numbers has a scale and sometimes a minimum (`Q4_0` … `Q8_0`); a block of 256 has a
scale for each of its parts, which is quantised as well (`Q2_K` … `Q6_K`). In `IQ4_NL`, `IQ4_XS` and
`MXFP4` the stored numbers are indices of a table. Each function converts rows of bytes, one block
per row, to float32.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from relay.frontend.parameters.stored_arrays import as_dtype
from relay.ir.expr import Array

Bytes = Array
"""Bytes, or small numbers."""

Floats = NDArray[np.float32]

_AT_ONCE = 1 << 15  # elements decoded in one step; some types need ten bytes of memory for each


@dataclass(frozen=True)
class ElementType:
    """An element type: the elements and bytes of a block, and the function that decodes it."""

    name: str
    block: int
    bytes: int
    decode: Callable[[Array], Array]


def _half(blocks: Bytes, at: int) -> Floats:
    """Return the float16 at byte offset `at` of each block, as a column of float32."""
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2").astype(np.float32)


def _nibbles(packed: Bytes) -> Bytes:
    """Return the low 4 bits of all bytes, followed by the high 4 bits."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def _fifth_bits(blocks: Bytes, at: int) -> Bytes:
    """Return 32 bits of each block, from byte `at` on, as bytes that are 0 or 16."""
    return np.unpackbits(blocks[:, at : at + 4], axis=1, bitorder="little") << 4


def _q4_0(b: Bytes) -> Floats:
    return _half(b, 0) * (_nibbles(b[:, 2:]).astype(np.float32) - 8)


def _q4_1(b: Bytes) -> Floats:
    return _half(b, 0) * _nibbles(b[:, 4:]).astype(np.float32) + _half(b, 2)


def _q5_0(b: Bytes) -> Floats:
    numbers = _nibbles(b[:, 6:]) | _fifth_bits(b, 2)
    return _half(b, 0) * (numbers.astype(np.float32) - 16)


def _q5_1(b: Bytes) -> Floats:
    numbers = _nibbles(b[:, 8:]) | _fifth_bits(b, 4)
    return _half(b, 0) * numbers.astype(np.float32) + _half(b, 2)


def _q8_0(b: Bytes) -> Floats:
    return _half(b, 0) * b[:, 2:].view(np.int8).astype(np.float32)


def _quarters(packed: Bytes) -> Bytes:
    """Unpack 2-bit numbers: of each 32 bytes, first bits 0-1 of all bytes, then bits 2-3, etc."""
    halves = packed.reshape(len(packed), -1, 1, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
    return (halves >> shifts & 3).reshape(len(packed), -1)


def _scaled(scales: Array, numbers: Array) -> Floats:
    """Multiply numbers by the scales of their parts; `scales` has shape `(blocks, parts)`."""
    parts = numbers.astype(np.float32).reshape(*scales.shape, -1)
    return (scales.astype(np.float32)[..., None] * parts).reshape(len(numbers), -1)


def _without_minima(values: Floats, minima: Floats) -> Floats:
    parts = values.reshape(*minima.shape, -1)
    return (parts - minima[..., None]).reshape(len(values), -1)


def _q2_k(b: Bytes) -> Floats:
    scales = _half(b, 80) * (b[:, :16] & 15)
    minima = _half(b, 82) * (b[:, :16] >> 4)
    return _without_minima(_scaled(scales, _quarters(b[:, 16:80])), minima)


def _q3_k(b: Bytes) -> Floats:
    """Decode `Q3_K`, which stores the third bit of a number separately; if it is 0, subtract 4."""
    low, high = _nibbles(b[:, 96:104]), _sixteen_quarters(b[:, 104:108])
    scales = (low | high << 4).astype(np.int8) - 32
    bits = b[:, None, :32] >> np.arange(8, dtype=np.uint8)[None, :, None] & 1
    numbers = (
        _quarters(b[:, 32:96]).astype(np.int8) - (bits.reshape(len(b), -1) ^ 1).astype(np.int8) * 4
    )
    return _scaled(_half(b, 108) * scales, numbers)


def _sixteen_quarters(packed: Bytes) -> Bytes:
    """Unpack 2-bit numbers of four bytes: first bits 0-1 of all bytes, then bits 2-3, etc."""
    shifts = np.array([0, 2, 4, 6], np.uint8).reshape(1, 4, 1)
    return (packed[:, None, :] >> shifts & 3).reshape(len(packed), -1)


def _six_bits(packed: Bytes) -> tuple[Bytes, Bytes]:
    """Unpack eight 6-bit scales and eight 6-bit minima from twelve bytes."""
    first, second, third = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = [first & 63, third & 15 | first >> 6 << 4]
    minima = [second & 63, third >> 4 | second >> 6 << 4]
    return np.concatenate(scales, axis=1), np.concatenate(minima, axis=1)


def _by_halves(packed: Bytes, run: int = 32) -> Bytes:
    """Unpack 4-bit numbers: in each run of bytes, first all low halves, then all high halves."""
    return _nibbles(packed.reshape(len(packed), -1, run)).reshape(len(packed), -1)


def _q4_k(b: Bytes) -> Floats:
    scales, minima = _six_bits(b[:, 4:16])
    values = _scaled(_half(b, 0) * scales, _by_halves(b[:, 16:]))
    return _without_minima(values, _half(b, 2) * minima)


def _q5_k(b: Bytes) -> Floats:
    scales, minima = _six_bits(b[:, 4:16])
    bits = b[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[None, :, None] & 1
    numbers = _by_halves(b[:, 48:]) | bits.reshape(len(b), -1) << 4
    return _without_minima(_scaled(_half(b, 0) * scales, numbers), _half(b, 2) * minima)


def _q6_k(b: Bytes) -> Floats:
    """Decode `Q6_K`: of each half block, 64 bytes have the low 4 bits, 32 bytes the upper 2."""
    low = _nibbles(b[:, :128].reshape(len(b), 2, 64)).reshape(len(b), -1)
    numbers = (low | _quarters(b[:, 128:192]) << 4).astype(np.int8) - 32
    return _scaled(_half(b, 208) * b[:, 192:208].view(np.int8), numbers)


_UNEVEN = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32
)
"""The numbers of `IQ4_NL` and `IQ4_XS`, which are denser near zero."""

_FLOAT4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
"""Twice the floats of 4 bits (a sign, two bits of exponent and one of mantissa)."""


def _iq4_nl(b: Bytes) -> Floats:
    return _half(b, 0) * _UNEVEN[_nibbles(b[:, 2:])]


def _iq4_xs(b: Bytes) -> Floats:
    """Decode `IQ4_XS`; two bytes have the upper 2 bits of its eight 6-bit scales, four the rest."""
    shifts = np.arange(0, 16, 2, dtype=np.uint16)
    high = np.ascontiguousarray(b[:, 2:4]).view("<u2") >> shifts & 3
    low = np.stack([b[:, 4:8] & 15, b[:, 4:8] >> 4], axis=-1).reshape(-1, 8)
    scales = (low | high << 4).astype(np.int8) - 32
    return _scaled(_half(b, 0) * scales, _UNEVEN[_by_halves(b[:, 8:], 16)])


def _mxfp4(b: Bytes) -> Floats:
    """Decode `MXFP4`, whose scale is a power of two with the exponent in the first byte."""
    scales = np.ldexp(np.float32(1), b[:, :1].astype(np.int32) - 128)
    return scales * _FLOAT4[_nibbles(b[:, 1:])]


def _unpacked(block: int, size: int, unpack: Callable[[Bytes], Floats], data: Array) -> Array:
    """Return the elements of blocks, which are decoded in parts that fit into a cache."""
    blocks = data.reshape(-1, size)
    found, part = np.empty((len(blocks), block), np.float32), max(1, _AT_ONCE // block)
    with np.errstate(invalid="ignore", over="ignore"):  # a damaged file may have any scale
        for start in range(0, len(blocks), part):
            found[start : start + part] = unpack(blocks[start : start + part])
    found.flags.writeable = False
    return found


def _plain(name: str, dtype: np.typing.DTypeLike) -> ElementType:
    found = np.dtype(dtype)
    return ElementType(name, 1, found.itemsize, partial(as_dtype, found))


def _packed(name: str, block: int, size: int, unpack: Callable[[Bytes], Floats]) -> ElementType:
    return ElementType(name, block, size, partial(_unpacked, block, size, unpack))


BY_NUMBER: Mapping[int, ElementType] = {
    0: _plain("F32", "<f4"),
    1: _plain("F16", "<f2"),
    2: _packed("Q4_0", 32, 18, _q4_0),
    3: _packed("Q4_1", 32, 20, _q4_1),
    6: _packed("Q5_0", 32, 22, _q5_0),
    7: _packed("Q5_1", 32, 24, _q5_1),
    8: _packed("Q8_0", 32, 34, _q8_0),
    10: _packed("Q2_K", 256, 84, _q2_k),
    11: _packed("Q3_K", 256, 110, _q3_k),
    12: _packed("Q4_K", 256, 144, _q4_k),
    13: _packed("Q5_K", 256, 176, _q5_k),
    14: _packed("Q6_K", 256, 210, _q6_k),
    20: _packed("IQ4_NL", 32, 18, _iq4_nl),
    23: _packed("IQ4_XS", 256, 136, _iq4_xs),
    24: _plain("I8", "i1"),
    25: _plain("I16", "<i2"),
    26: _plain("I32", "<i4"),
    27: _plain("I64", "<i8"),
    28: _plain("F64", "<f8"),
    30: _plain("BF16", ml_dtypes.bfloat16),
    39: _packed("MXFP4", 32, 17, _mxfp4),
}
"""The supported element types, by their numbers in files."""

NAMES: Mapping[int, str] = {
    9: "Q8_1", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 21: "IQ3_S",
    22: "IQ2_S", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 40: "NVFP4", 41: "Q1_0",
}  # fmt: skip
"""The unsupported ones."""
