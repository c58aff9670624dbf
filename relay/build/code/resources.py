"""What program code refers to by number: kernels, constants, and reasons to stop."""

from collections.abc import Hashable

import numpy as np

from relay.build.stops import outside_traps
from relay.ir.equality import structural_key
from relay.ir.expr import Array, Function
from relay.runtime.code.traps import COMMON_TRAPS, MISMATCH
from relay.runtime.program import Trap
from relay.support.span import Span

_GLANCE = 64
"""Elements by which most arrays differ already."""


class Resources:
    """Numbers kernels, constants and traps as the functions of a program come to need them.

    Equal kernels have one number, and so have equal arrays: the forms of a function for several
    widths have the same weights.
    """

    def __init__(self) -> None:
        self.kernels: list[Function] = []
        self.constants: list[Array] = []
        self.traps: list[Trap] = list(COMMON_TRAPS)
        self._kernel_numbers: dict[Hashable, int] = {}
        self._constant_numbers: dict[int, tuple[int, Array]] = {}  # by id, and what has that id
        self._alike: dict[Hashable, list[int]] = {}  # numbers of arrays that begin in the same way

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
            self._constant_numbers[id(data)] = (self._constant_like(data), data)
        return self._constant_numbers[id(data)][0]

    def _constant_like(self, data: Array) -> int:
        """Return the number of an array of the same bytes; a new one if there is none."""
        begin = data.reshape(-1)[:_GLANCE].tobytes()
        alike = self._alike.setdefault((data.shape, data.dtype.str, begin), [])
        for number in alike:
            if _same_bytes(self.constants[number], data):
                return number
        alike.append(len(self.constants))
        self.constants.append(data)
        return alike[-1]

    def trap(self, error: str, message: str, span: Span | None) -> int:
        """Return the number of a reason to stop; it is above 0."""
        number = len(self.traps) + 1
        self.traps.append(Trap(number, error, message, span))
        return number

    def outside(self, function: Function) -> int:
        """Return the first trap of a call of a primitive function; 0 if it does not stop."""
        found = outside_traps(function, len(self.traps) + 1)
        self.traps += found
        return found[0].number if found else 0


def _same_bytes(a: Array, b: Array) -> bool:
    """Whether two arrays of one shape and dtype are the same, -0.0 and NaN included."""
    left, right = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
    return bool(np.array_equal(left, right))
