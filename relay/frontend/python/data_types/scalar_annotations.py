"""Element types as annotations of scalars: `x: float32`.

For type checkers they are `Any`: a Python number, a NumPy scalar, or the value of an expression.
"""

# ruff: noqa: PYI042 - types of elements are written small

from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = [
    "bfloat16",
    "complex64",
    "complex128",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
]

if TYPE_CHECKING:
    bfloat16: TypeAlias = Any
    complex64: TypeAlias = Any
    complex128: TypeAlias = Any
    float16: TypeAlias = Any
    float32: TypeAlias = Any
    float64: TypeAlias = Any
    int8: TypeAlias = Any
    int16: TypeAlias = Any
    int32: TypeAlias = Any
    int64: TypeAlias = Any
    uint8: TypeAlias = Any
else:
    from relay.support.dtype import (
        bfloat16,
        complex64,
        complex128,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
    )
