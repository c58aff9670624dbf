"""What program code refers to by number: kernels, constants, and reasons to stop."""

from collections.abc import Hashable

from relay.ir.equality import structural_key
from relay.ir.expr import Array, Function
from relay.runtime.code.traps import COMMON_TRAPS, MISMATCH
from relay.runtime.program import Trap
from relay.support.span import Span


class Resources:
    """Numbers kernels, constants and traps as the functions of a program come to need them.

    Equal kernels have one number, and so has an array that is used in several places.
    """

    def __init__(self) -> None:
        self.kernels: list[Function] = []
        self.constants: list[Array] = []
        self.traps: list[Trap] = list(COMMON_TRAPS)
        self._kernel_numbers: dict[Hashable, int] = {}
        self._constant_numbers: dict[int, int] = {}

    @property
    def mismatch(self) -> int:
        """Return the trap for a size that is other than its type says."""
        return MISMATCH

    def kernel(self, function: Function) -> int:
        """Return the number of a primitive function."""
        key = structural_key(function)
        if key not in self._kernel_numbers:
            self._kernel_numbers[key] = len(self.kernels)
            self.kernels.append(function)
        return self._kernel_numbers[key]

    def constant(self, data: Array) -> int:
        """Return the number of an array."""
        if id(data) not in self._constant_numbers:
            self._constant_numbers[id(data)] = len(self.constants)
            self.constants.append(data)
        return self._constant_numbers[id(data)]

    def trap(self, error: str, message: str, span: Span | None) -> int:
        """Return the number of a reason to stop; it is above 0."""
        number = len(self.traps) + 1
        self.traps.append(Trap(number, error, message, "" if span is None else str(span)))
        return number
