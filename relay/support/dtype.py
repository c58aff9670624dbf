"""Element types of tensors, such as `float32`: their width, limits, names and NumPy equivalents."""

import re
from dataclasses import field
from enum import Enum
from functools import cache
from reprlib import repr as short
from typing import Any, cast

import numpy as np

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.import_lazily import import_lazily
from relay.support.node import Value, set_field, value


class Kind(Enum):
    """The interpretation of an element's bits: signed integer, float, bool, and so on."""

    __hash__ = object.__hash__  # that of `Enum` is written in Python

    BOOL = "bool"
    INT = "int"
    UINT = "uint"
    FLOAT = "float"
    BFLOAT = "bfloat"
    COMPLEX = "complex"
    FLOAT8_E4M3FN = "float8_e4m3fn"
    FLOAT8_E4M3FNUZ = "float8_e4m3fnuz"
    FLOAT8_E5M2 = "float8_e5m2"
    FLOAT8_E5M2FNUZ = "float8_e5m2fnuz"
    FLOAT8_E8M0FNU = "float8_e8m0fnu"
    FLOAT4_E2M1FN = "float4_e2m1fn"


MINIFLOATS = {
    Kind.FLOAT8_E4M3FN: 8,
    Kind.FLOAT8_E4M3FNUZ: 8,
    Kind.FLOAT8_E5M2: 8,
    Kind.FLOAT8_E5M2FNUZ: 8,
    Kind.FLOAT8_E8M0FNU: 8,
    Kind.FLOAT4_E2M1FN: 4,
}
"""The kinds of narrow floats, which have conversions but no arithmetic, and their width in bits."""


@value
class DType(Value):
    """An element type: kind, width in bits, and vector lanes (1 for a plain scalar).

    It compares equal to its name and to the equivalent NumPy dtype, and NumPy accepts it as a
    dtype. Each element of less than a byte is stored in a byte of its own, as in arrays of
    `ml_dtypes`.

    >>> float32 == "float32", float32 in ("float16", "float64")
    (True, False)
    >>> np.zeros(2).astype(float32).dtype
    dtype('float32')
    """

    kind: Kind
    bits: int
    lanes: int = 1
    name: str = field(init=False)

    def __post_init__(self) -> None:
        has_one_width = self.kind is Kind.BOOL or self.kind in MINIFLOATS
        name = self.kind.value if has_one_width else f"{self.kind.value}{self.bits}"
        set_field(self, "name", name if self.lanes == 1 else f"{name}x{self.lanes}")

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, np.dtype):
            return self.lanes == 1 and self.numpy == other
        return self is other or (isinstance(other, str) and self.name == other)

    def __contains__(self, part: str) -> bool:
        """Whether the name of the element type contains `part`, as in `"int" in dtype`."""
        return part in self.name

    def startswith(self, start: str) -> bool:
        """Whether the name of the element type starts with `start`: `dtype.startswith("float")`."""
        return self.name.startswith(start)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Return the NumPy dtype; NumPy looks for this attribute."""
        return self.numpy

    @property
    def suffix(self) -> str:
        """Return the suffix of number literals of this type.

        It is `f` in `1f` (float32), `i64` in `1i64`, and empty for int32.
        """
        letters = _SUFFIXES[self.kind]
        return {"i32": "", "f32": "f"}.get(f"{letters}{self.bits}", f"{letters}{self.bits}")

    @property
    def is_float(self) -> bool:
        """Whether elements are floats of at least 16 bits, for which arithmetic is defined."""
        return self.kind in (Kind.FLOAT, Kind.BFLOAT)

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers: pairs of a real and an imaginary part."""
        return self.kind is Kind.COMPLEX

    @property
    def has_derivatives(self) -> bool:
        """Whether numbers vary continuously: floats and complex numbers."""
        return self.is_float or self.is_complex

    @property
    def part(self) -> "DType":
        """Return the element type of the parts of complex numbers; other types are their own.

        >>> dtype("complex64").part, dtype("int8").part
        (float32, int8)
        """
        return DType(Kind.FLOAT, self.bits // 2, self.lanes) if self.is_complex else self

    @property
    def as_complex(self) -> "DType":
        """Return the element type of complex numbers with parts of this type.

        >>> dtype("float32").as_complex
        complex64
        """
        return DType(Kind.COMPLEX, self.bits * 2, self.lanes)

    @property
    def is_minifloat(self) -> bool:
        """Whether elements are floats of 8 or 4 bits, which are widened for arithmetic."""
        return self.kind in MINIFLOATS

    @property
    def is_integer(self) -> bool:
        """Whether the elements are signed or unsigned integers (bool is neither)."""
        return self.kind in (Kind.INT, Kind.UINT)

    @property
    def itemsize(self) -> int:
        """Return the number of bytes of one element in memory; a bool takes one."""
        return max(1, self.bits // 8) * self.lanes

    @property
    def limits(self) -> tuple[int, int]:
        """Return the smallest and the largest number of an integer type.

        >>> dtype("int4").limits, dtype("uint8").limits
        ((-8, 7), (0, 255))
        """
        low = -(1 << self.bits - 1) if self.kind is Kind.INT else 0
        return low, low + (1 << self.bits) - 1

    @property
    def largest(self) -> float:
        """Return the largest finite number of a floating-point type.

        >>> dtype("float16").largest
        65504.0
        """
        finfo: Any = import_lazily("ml_dtypes").finfo
        return float(finfo(self.numpy).max)

    @property
    def epsilon(self) -> float:
        """Return the distance from 1 to the next number of a floating-point type.

        >>> dtype("float16").epsilon
        0.0009765625
        """
        finfo: Any = import_lazily("ml_dtypes").finfo
        return float(finfo(self.numpy).eps)

    def holds(self, number: complex) -> bool:
        """Whether an element can hold `number`: integers exactly, floats after rounding.

        >>> dtype("int64").holds(np.float16(1)), dtype("int8").holds(200), dtype("bool").holds(2)
        (True, False, False)
        """
        if isinstance(number, complex):
            return self.is_complex
        if self.is_float or self.is_minifloat or self.is_complex:
            return True
        low, high = self.limits
        given: object = number
        exact: float = cast("Any", given).item() if isinstance(given, np.generic) else number
        return low <= exact <= high and int(exact) == exact

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """Return the equivalent NumPy dtype; raises `T018` for vectors of elements."""
        if self.lanes > 1:
            message = f"the element type {self}, a vector, cannot be used for computations"
            raise RelayTypeError(
                ErrorCode.T018,
                message,
                help="use an additional axis instead of elements that are vectors",
            )
        if self.kind is Kind.BFLOAT or self.bits in (2, 4) or self.is_minifloat:
            # Only these types need the package: programs without them run without it.
            return np.dtype(getattr(import_lazily("ml_dtypes"), self.name))
        return np.dtype(self.name)


_SUFFIXES = {
    Kind.BOOL: "u",
    Kind.INT: "i",
    Kind.UINT: "u",
    Kind.FLOAT: "f",
    Kind.BFLOAT: "bf",
    Kind.COMPLEX: "c",
}

_ONE_WIDTH = "|".join(kind.value for kind in MINIFLOATS)
_NAME = re.compile(rf"({_ONE_WIDTH}|bool|int|uint|float|bfloat|complex)(\d*)(?:x(\d+))?")
_WIDTHS = {
    **{kind: (bits,) for kind, bits in MINIFLOATS.items()},
    Kind.BOOL: (1,),
    Kind.INT: (2, 4, 8, 16, 32, 64),
    Kind.UINT: (1, 2, 4, 8, 16, 32, 64),
    Kind.FLOAT: (16, 32, 64),
    Kind.BFLOAT: (16,),
    Kind.COMPLEX: (64, 128),
}


def dtype(of: "str | DType | np.dtype[np.generic] | type") -> DType:
    """Return the element type that a name, a NumPy dtype or a Python type denotes.

    >>> dtype("float32"), dtype(np.int64), dtype("bfloat16")
    (float32, int64, bfloat16)

    Raises `T001` for anything else.
    """
    if isinstance(of, DType):
        return of
    return _named(of if isinstance(of, str) else _numpy_name(of))


def _numpy_name(of: object) -> str:
    """Return the name of the NumPy dtype that an object denotes.

    Objects that are neither dtypes nor Python types are not passed to NumPy, which would create
    dtypes for them.
    """
    given: Any = of
    if not isinstance(of, np.dtype | type):
        raise _unknown(short(given))
    try:
        return np.dtype(given).name
    except TypeError:
        raise _unknown(short(given)) from None


@cache
def _named(name: str) -> DType:
    match = _NAME.fullmatch(name)
    if match is None:
        raise _unknown(name)
    kind = Kind(match[1])
    widths = _WIDTHS[kind]
    default = widths[0] if len(widths) == 1 and kind is not Kind.BFLOAT else 32
    bits = int(match[2]) if match[2] else default
    if bits not in widths or (match[2] and kind in MINIFLOATS):
        raise _unknown(name)
    return DType(kind, bits, int(match[3] or 1))


def _unknown(name: str) -> RelayTypeError:
    return RelayTypeError(
        ErrorCode.T001,
        f"there is no element type '{name}'",
        help="use bool, int2…int64, uint2…uint64, float16, bfloat16, float32, float64, complex64,"
        " complex128, or a type of 8 or 4 bits such as float8_e4m3fn",
    )


bool_ = dtype("bool")
int8, int16, int32, int64 = (dtype(f"int{b}") for b in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (dtype(f"uint{b}") for b in (8, 16, 32, 64))
float16, float32, float64 = (dtype(f"float{b}") for b in (16, 32, 64))
bfloat16 = dtype("bfloat16")
complex64, complex128 = (dtype(f"complex{b}") for b in (64, 128))
