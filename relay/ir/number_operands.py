"""Conversion of Python numbers that are operands of operators to tensors."""

from reprlib import repr as short
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.ir.types import TensorType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

Array: TypeAlias = npt.NDArray[Any]


def number_like(number_or_expr: object, beside: TensorType | None) -> Array:
    """Return a number as a scalar array with the element type of the tensor type `beside`.

    Raises `T012` if it is not a number, or cannot be represented.
    """
    number = (
        cast("Any", number_or_expr).item()
        if isinstance(number_or_expr, np.generic)
        else number_or_expr
    )
    if not isinstance(number, int | float | complex):
        message = f"an operand must be an expression or a number, not {short(number)}"
        raise RelayTypeError(
            ErrorCode.T012, message, help="make a constant of an array: relay.const(array)"
        )
    if beside is None:
        message = (
            f"the element type of the number {number} is unknown, because no other operand is a "
            "tensor"
        )
        raise RelayTypeError(
            ErrorCode.T012, message, help="make a constant with a type: relay.const(number, dtype)"
        )
    if not beside.dtype.holds(number):
        message = (
            f"the number {short(number)} does not fit into the element type {beside.dtype} of "
            "the other operand"
        )
        raise RelayTypeError(
            ErrorCode.T012,
            message,
            help='choose the element type of the number: relay.const(number, "float32")',
        )
    try:
        with np.errstate(all="ignore"):
            return np.asarray(number).astype(beside.dtype.numpy)
    except OverflowError:  # an integer beyond the range of floats
        message = (
            f"the number {short(number)} does not fit into the element type {beside.dtype} of "
            "the other operand"
        )
        raise RelayTypeError(
            ErrorCode.T012,
            message,
            help="write the number as a float; it becomes inf beyond 1.8e308",
        ) from None
