"""The traps that stop programs, and the errors that callers get for them."""

import re
from collections.abc import Sequence

from relay.runtime.program import FaultRecord, Trap
from relay.support.dims.algebra import Dim
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.kernel_error_record import STOPPED

NO_MEMORY = 1
STACK_EXHAUSTED = 2
BAD_SIZE = 3
MISMATCH = 4
INTERRUPTED = 5

MOST_CALLS = 1_100_000
"""The limit on call depth in the virtual machine and the evaluator, whose frames are on the heap.

Native code reaches about the same depth.
"""

COMMON_TRAPS = (
    Trap(
        NO_MEMORY,
        ErrorCode.R009,
        "there is not enough memory for the values that the program computes",
    ),
    Trap(
        STACK_EXHAUSTED,
        ErrorCode.R050,
        "the program calls itself too deeply: too many nested calls",
    ),
    Trap(
        BAD_SIZE,
        ErrorCode.R053,
        "the program computed a tensor size that is negative, or not a number",
    ),
    Trap(MISMATCH, ErrorCode.R054, "a tensor has other sizes than its type declares"),
    Trap(INTERRUPTED, ErrorCode.R055, "the call was interrupted"),
)
"""The traps that every program has."""


_COPIED = re.compile(r"'+\d+\b")
"""The suffix of dimension names that a pass made unique."""


def misfit(name: str, axis: int, found: object, wanted: object, dim: Dim) -> str:
    """Return the message for a tensor whose size differs from the dimension in its type.

    >>> from relay.support.dims.algebra import DimVar
    >>> misfit("x", 0, 4, 3, DimVar("n"))
    '%x has size 4 at axis 0, not 3 (declared as n)'
    """
    whose = f"%{name}" if name else "a tensor"
    said = f"{whose} has size {found} at axis {axis}, not {wanted}"
    return said if isinstance(dim, int) else f"{said} (declared as {_COPIED.sub('', str(dim))})"


def trapped(traps: Sequence[Trap], number: int, report: FaultRecord | None = None) -> RunError:
    """Return the error for a trap of a program; `R008` if the trap is unknown.

    `report` is the fault record that a kernel or a size check left in the workspace; it is used for
    traps with a `detail`.
    """
    for trap in traps:
        if trap.number == number:
            message = trap.message
            if trap.detail and report is not None:
                message = trap.detail.format(axis=report.axis, index=report.index, size=report.size)
            return RunError(trap.error, message, span=trap.span)
    return RunError(ErrorCode.R008, f"the model stopped with the unknown error number {number}")


def counted_from(trap: int, status: int) -> int:
    """Return the trap number for the status of a kernel, whose traps are numbered after `trap`.

    Returns 0 for success.
    """
    if status == STOPPED:
        return INTERRUPTED
    return status + trap if status else 0
