"""Conversion between scalars and number literals, without loss, for every element type.

>>> scalar_text(np.float32(0.1)), scalar_text(np.int64(3)), scalar_text(np.bool_(True))
('0.1f', '3i64', 'True')
"""

import re
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import DType, Kind, bool_, dtype, int32, int64
from relay.support.errors import RelayError

_KINDS = {"i": Kind.INT, "u": Kind.UINT, "f": Kind.FLOAT, "bf": Kind.BFLOAT}

NUMBER = r"(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)(?:(?:i|u|bf|f)\d*)?"
"""The pattern of number literals; `inf` and `nan` are numbers only with a suffix."""

_PARTS = re.compile(r"(inf|nan|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?:(i|u|bf|f)(\d*))?")


def scalar_text(value: Any) -> str:
    """Return a NumPy scalar as a literal that the parser reads as the same bits."""
    element = dtype(value.dtype)
    if element is bool_:
        return "True" if value else "False"
    return (float_text(value, element) if element.is_float else str(int(value))) + element.suffix


def has_text(data: Array) -> bool:
    """Whether a constant is a scalar that can be written as a literal.

    NaN with unusual bits, complex numbers and floats of 8 or fewer bits cannot: they are written to
    the metadata section.
    """
    element = dtype(data.dtype)
    if data.ndim or element.is_minifloat or element.is_complex:
        return False
    if element.is_float and np.isnan(data):
        return data.tobytes() == np.array(np.nan, data.dtype).tobytes()
    return True


def float_text(value: Any, element: DType) -> str:
    """Return the shortest decimal number that is read as `value`, without a trailing `.0`."""
    digits = _bfloat_digits(value) if element.kind is Kind.BFLOAT else str(value)
    return re.sub(r"\.0(?=e|$)", "", digits)


def _bfloat_digits(value: Any) -> str:
    """Return the shortest decimal number, of at most four digits, that rounds to a bfloat16."""
    number = np.float32(value)
    texts = (f"{number:.{count}g}" for count in range(1, 5))
    return next((text for text in texts if type(value)(float(text)) == value), str(number))


def is_number(text: str) -> bool:
    """Whether an identifier such as `inff` is a number literal."""
    parts = _PARTS.fullmatch(text)
    return parts is not None and (text[0].isdigit() or parts[2] in ("f", "bf"))


def read_number(text: str, *, negative: bool = False) -> Array | None:
    """Return the scalar that a literal denotes; None if it is out of range, or needs a suffix.

    `1e999f` is out of range, and `1.5` needs the suffix of its element type. Without a suffix, an
    integer is an int32, or an int64 if it is too large.
    """
    parts = _PARTS.fullmatch(text)
    assert parts is not None, f"not a number: {text}"
    digits, suffix, bits = parts.groups()
    sign = "-" if negative else ""
    if suffix is None:
        return _plain(sign + digits)
    try:
        element = dtype(f"{_KINDS[suffix].value}{bits or 32}")
    except RelayError:  # an invalid width
        return None
    if element.is_float:
        with np.errstate(over="ignore"):
            number = np.array(float(sign + digits)).astype(element.numpy)
        return None if np.isinf(number) and digits != "inf" else number
    return _integer(sign + digits, element)


def _plain(digits: str) -> Array | None:
    found = _integer(digits, int32)
    return _integer(digits, int64) if found is None else found


def _integer(digits: str, element: DType) -> Array | None:
    if not digits.lstrip("-").isdigit():
        return None
    number = int(digits)
    low, high = element.limits
    return np.array(number, element.numpy) if low <= number <= high else None
