"""The numbered resources of program code: kernels, constants and traps."""

from collections.abc import Hashable

import numpy as np

from relay.build.kernel_sizes import kernel_key
from relay.ir.expr import Array, Function
from relay.ir.types import is_dynamic
from relay.ir.walk import post_order
from relay.ops.tensor.indices import OUT_OF_RANGE
from relay.runtime.code.traps import COMMON_TRAPS, NO_MEMORY
from relay.runtime.program import Trap
from relay.support.error_codes import ErrorCode
from relay.support.span import Span
from relay.transform.effects import elements_may_trap

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
        self._placed: dict[tuple[int, Span | None, str], int] = {}
        self._kernel_numbers: dict[Hashable, int] = {}
        self._constant_numbers: dict[int, tuple[int, Array]] = {}  # by id, and what has that id
        self._alike: dict[Hashable, list[int]] = {}  # numbers of arrays that begin in the same way

    def kernel(self, function: Function) -> int:
        """Return the number of a primitive function."""
        key = kernel_key(function)
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

    def trap(self, error: ErrorCode, message: str, span: Span | None, detail: str = "") -> int:
        """Return the number of a reason to stop; it is above 0."""
        number = len(self.traps) + 1
        self.traps.append(Trap(number, error, message, span, detail))
        return number

    @property
    def own_traps(self) -> tuple[Trap, ...]:
        """Return the reasons to stop that not every program has."""
        return tuple(self.traps[len(COMMON_TRAPS) :])

    def trap_at(self, common: int, span: Span | None, detail: str = "") -> int:
        """Return the trap for one of the reasons that all programs have, at a place if known.

        `detail` says more of it where there is a report (`relay.runtime.program.Trap`).
        """
        if span is None and not detail:
            return common
        key = common, span, detail
        if key not in self._placed:
            (found,) = (trap for trap in COMMON_TRAPS if trap.number == common)
            self._placed[key] = self.trap(found.error, found.message, span, detail)
        return self._placed[key]

    def kernel_traps(self, function: Function) -> int:
        """Return the number of a kernel's first trap: its results are too large for the memory.

        The traps of its operators follow. The number is 0 for a kernel that does not trap and whose
        results have known sizes.
        """
        calls = [expr for expr in post_order(function.body) if elements_may_trap(expr)]
        if not calls and not is_dynamic(function.body.type):
            return 0
        (found,) = (trap for trap in COMMON_TRAPS if trap.number == NO_MEMORY)
        first = self.trap(found.error, found.message, function.body.span)
        for call in calls:  # as the kernel numbers them
            self.trap(ErrorCode.R056, "an index is out of range", call.span, OUT_OF_RANGE)
        return first


def _same_bytes(a: Array, b: Array) -> bool:
    """Whether two arrays of one shape and dtype are the same, -0.0 and NaN included."""
    left, right = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
    return bool(np.array_equal(left, right))
