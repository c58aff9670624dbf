"""Notes on the operands of a call, which are added to errors of its operator."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from relay.ir.dtype_advice import number_advice
from relay.ir.types import TensorType, Type
from relay.support.errors import ElementTypeError, RelayError


def with_operands(
    error: RelayError,
    op: str,
    operands: Sequence[tuple[str, Type | None, str | None, npt.NDArray[Any] | None]],
) -> RelayError:
    """Add a note on each operand of `op` to its error, and return the error.

    Each operand is a name, a type, a phrase on where it is written, and its value if it is a
    constant.
    """
    for name, ty, origin, _ in operands:
        error.notes += (f"{name}: {ty!r}{'' if origin is None else f', {origin}'}",)
    if isinstance(error, ElementTypeError):
        numbers = [number for *_, number in operands if number is not None]
        others = [ty for _, ty, _, number in operands if number is None]
        error.help = _other_number(numbers, others) or error.help
    if error.help is None:
        error.help = f"`relay ops {op}` shows its arguments and attributes"
    return error


def _other_number(numbers: Sequence[npt.NDArray[Any]], others: Sequence[Type | None]) -> str | None:
    """Return advice on writing the only number among operands in the type of the `others`."""
    wanted = {ty.dtype for ty in others if isinstance(ty, TensorType)}
    return number_advice(numbers[0], *wanted) if len(numbers) == len(wanted) == 1 else None
