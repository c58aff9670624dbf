"""Numbers for the kernels, constants and traps that program code uses."""

from collections.abc import Hashable, Sequence

import numpy as np

from relay.build.compile_kernels import label
from relay.build.kernel_sizes import kernel_key
from relay.ir.dims import DimVar
from relay.ir.expr import Array, Function
from relay.ir.types import is_dynamic
from relay.ir.walk import post_order
from relay.ops.tensor.index_bounds import OUT_OF_RANGE
from relay.runtime.code.traps import COMMON_TRAPS, NO_MEMORY
from relay.runtime.external_parts import REFERENCE
from relay.runtime.program import Trap
from relay.support.error_codes import ErrorCode
from relay.support.span import Span
from relay.transform.compilers.region_attributes import external_name
from relay.transform.effects import elements_may_trap

_GLANCE = 64
"""The number of leading elements that are compared first; most arrays differ there."""


class Resources:
    """A numbering of the kernels, constants and traps that the functions of a program use.

    Equal kernels share one number, and so do equal arrays: the versions of a function for several
    batch sizes have the same weights.
    """

    def __init__(self) -> None:
        self.kernels: list[Function] = []
        self.constants: list[Array] = []
        self.traps: list[Trap] = list(COMMON_TRAPS)
        self._placed: dict[tuple[int, Span | None, str], int] = {}
        self._kernel_numbers: dict[Hashable, int] = {}
        self._constant_numbers: dict[int, tuple[int, Array]] = {}  # by id; keeps arrays alive
        self._alike: dict[Hashable, list[int]] = {}  # numbers of arrays with equal first elements

    def kernel(self, function: Function, sizes: Sequence[DimVar] | None = None) -> int:
        """Return the number of the kernel of a primitive function with these `dimensions`."""
        key = kernel_key(function, sizes)
        if key not in self._kernel_numbers:
            self._kernel_numbers[key] = len(self.kernels)
            self.kernels.append(function)
        return self._kernel_numbers[key]

    def constant(self, data: Array) -> int:
        """Return the number of a constant array."""
        if id(data) not in self._constant_numbers:
            self._constant_numbers[id(data)] = (self._constant_like(data), data)
        return self._constant_numbers[id(data)][0]

    def _constant_like(self, data: Array) -> int:
        """Return the number of an array with the same bytes; a new one if there is none."""
        begin = data.flat[:_GLANCE].tobytes()  # `reshape` would copy transposed weights
        alike = self._alike.setdefault((data.shape, data.dtype.str, begin), [])
        for number in alike:
            if _same_bytes(self.constants[number], data):
                return number
        alike.append(len(self.constants))
        self.constants.append(data)
        return alike[-1]

    def trap(self, error: ErrorCode, message: str, span: Span | None, detail: str = "") -> int:
        """Add a trap with this error and message; return its number, which is above 0."""
        number = len(self.traps) + 1
        self.traps.append(Trap(number, error, message, span, detail))
        return number

    @property
    def own_traps(self) -> tuple[Trap, ...]:
        """Return the traps of this program, without those common to all programs."""
        return tuple(self.traps[len(COMMON_TRAPS) :])

    def trap_at(self, common: int, span: Span | None, detail: str = "") -> int:
        """Return the number of a common trap, with a source location if known.

        `detail` is shown if there is a fault record (`relay.runtime.program.Trap`).
        """
        if span is None and not detail:
            return common
        key = common, span, detail
        if key not in self._placed:
            (found,) = (trap for trap in COMMON_TRAPS if trap.number == common)
            self._placed[key] = self.trap(found.error, found.message, span, detail)
        return self._placed[key]

    def kernel_traps(self, function: Function) -> int:
        """Add the traps of a kernel, and return the number of the first one.

        The first one is for results that are too large; the traps of the kernel's operators follow.
        Returns 0, and adds none, for a kernel that does not trap and whose results have static
        sizes.
        """
        compiler = external_name(function)
        ours = post_order(function.body) if compiler is None else ()
        calls = [expr for expr in ours if elements_may_trap(expr)]
        if not calls and compiler is None and not is_dynamic(function.body.type):
            return 0
        (found,) = (trap for trap in COMMON_TRAPS if trap.number == NO_MEMORY)
        first = self.trap(found.error, found.message, function.body.span)
        for call in calls:  # in the order in which the kernel numbers them
            self.trap(ErrorCode.R056, "an index is out of range", call.span, OUT_OF_RANGE)
        if compiler is not None:  # one trap, the status `relay.runtime.external_parts.FAILED`
            self.trap(ErrorCode.R061, _failure(function, compiler), function.body.span)
        return first


def _failure(function: Function, compiler: str) -> str:
    """Return the message for an external function that raised an exception."""
    if compiler == REFERENCE:
        return f"the NumPy reference of the operator in {label(function)} failed"
    return f"the kernel {label(function)}, which '{compiler}' compiled, reported a failure"


def _same_bytes(a: Array, b: Array) -> bool:
    """Whether two arrays of one shape and dtype have the same bytes; NaN then equals NaN."""
    left, right = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
    return bool(np.array_equal(left, right))
