"""LLVM types and literals for element types, in registers and in memory.

A bool is one bit in a register and a byte in memory. Half-precision numbers are float32 in
registers: they are widened when loaded and rounded when stored or cast. Minifloats are represented
by their bits. Elements of less than a byte take a byte in memory.
"""

import functools
import math
import struct

import numpy as np

from relay.support.dtype import DType, Kind, float32


def vector(element: str, lanes: int) -> str:
    """Return the LLVM type of a vector; for one lane, the element type itself."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def is_half(dtype: DType) -> bool:
    """Whether values of a dtype are computed in float32: those of float16 and bfloat16."""
    return dtype.is_float and dtype.bits == 16


@functools.cache
def computed(dtype: DType) -> DType:
    """Return the dtype that represents values of `dtype` in registers."""
    return DType(float32.kind, 32, dtype.lanes) if is_half(dtype) else dtype


@functools.cache
def register_type(dtype: DType) -> str:
    """Return the LLVM type of a value in a register.

    >>> register_type(DType(Kind.FLOAT, 16, 8)), register_type(DType(Kind.BOOL, 1))
    ('<8 x float>', 'i1')
    """
    if dtype.is_float:
        return vector("double" if dtype.bits == 64 else "float", dtype.lanes)
    return vector(f"i{dtype.bits}", dtype.lanes)


@functools.cache
def memory_type(dtype: DType) -> str:
    """Return the LLVM type of a value in memory; bfloat16 is moved as 16 bits."""
    if dtype.kind is Kind.FLOAT:
        return vector({16: "half", 32: "float", 64: "double"}[dtype.bits], dtype.lanes)
    return vector(f"i{max(8, dtype.bits)}", dtype.lanes)


@functools.cache
def element(dtype: DType) -> DType:
    """Return the dtype of one lane."""
    return DType(dtype.kind, dtype.bits)


@functools.cache
def with_lanes(dtype: DType, lanes: int) -> DType:
    """Return the dtype of a vector of `lanes` elements like those of `dtype`."""
    return DType(dtype.kind, dtype.bits, lanes)


def literal(dtype: DType, number: bool | int | float) -> str:
    """Return the LLVM text of a constant in its register representation, in every lane.

    >>> literal(DType(Kind.INT, 8, 4), 255)
    'splat (i8 -1)'
    """
    text = (
        _float(dtype, float(number)) if dtype.is_float else str(wrap(dtype, _bits(dtype, number)))
    )
    return text if dtype.lanes == 1 else f"splat ({register_type(element(dtype))} {text})"


def _bits(dtype: DType, number: bool | int | float) -> int:
    """Return the bits of the small float nearest to a number; for other dtypes, an integer."""
    if not dtype.is_minifloat:
        return int(number)
    nearest = np.asarray(number, np.float32).astype(element(dtype).numpy)
    return int(nearest.view(np.uint8))


def wrap(dtype: DType, number: int) -> int:
    """Return `number` modulo the width of an integer dtype, as the signed number LLVM prints."""
    low = number & ((1 << dtype.bits) - 1)
    if dtype.kind is Kind.BOOL:
        return low
    return low - (1 << dtype.bits) if low >> (dtype.bits - 1) else low


def _float(dtype: DType, number: float) -> str:
    """Return the bits of a float in LLVM's syntax, which always uses those of a double."""
    if math.isfinite(number) and dtype.bits < 64:
        with np.errstate(over="ignore"):
            number = float(element(dtype).numpy.type(number))
    return f"0x{struct.unpack('>Q', struct.pack('>d', number))[0]:016X}"
