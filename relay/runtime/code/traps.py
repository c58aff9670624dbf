"""Traps: why a program stopped, and the error that its caller gets."""

import re
from collections.abc import Sequence

from relay.runtime.program import Outside, Trap
from relay.support.dims.algebra import Dim
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

NO_MEMORY = 1
STACK_EXHAUSTED = 2
BAD_SIZE = 3
MISMATCH = 4
INTERRUPTED = 5

MOST_CALLS = 1_100_000
"""How many calls may wait in the virtual machine and the evaluator, which no stack bounds.

That is about as many as in native code.
"""

COMMON_TRAPS = (
    Trap(NO_MEMORY, ErrorCode.R009, "there is no more memory for the values of the program"),
    Trap(
        STACK_EXHAUSTED, ErrorCode.R050, "the program calls itself too deeply: too many calls wait"
    ),
    Trap(BAD_SIZE, ErrorCode.R053, "the size of a tensor came out negative, or as no number"),
    Trap(MISMATCH, ErrorCode.R054, "a tensor has other sizes than its type says"),
    Trap(INTERRUPTED, ErrorCode.R055, "the call was stopped from outside"),
)
"""Why every program may stop, whatever it computes."""


_COPIED = re.compile(r"'+\d+\b")
"""What names of sizes end in where a pass has copied what they are said in."""


def misfit(name: str, axis: int, found: object, wanted: object, dim: Dim) -> str:
    """Return what is said of a tensor that has another size than its type says, which is `dim`.

    >>> from relay.support.dims.algebra import DimVar
    >>> misfit("x", 0, 4, 3, DimVar("n"))
    '%x has 4 elements along axis 0, not 3: its type says n'
    """
    whose = f"%{name}" if name else "a tensor"
    said = f"{whose} has {found} elements along axis {axis}, not {wanted}"
    return said if isinstance(dim, int) else f"{said}: its type says {_COPIED.sub('', str(dim))}"


def trapped(traps: Sequence[Trap], number: int, report: Outside | None = None) -> RunError:
    """Return the error for a trap of a program; `R008` for a number without a meaning.

    `report` is what a kernel, or a test of sizes, left in the scratch memory; it counts for traps
    that ask for it.
    """
    for trap in traps:
        if trap.number == number:
            message = trap.message
            if trap.detail and report is not None:
                message = trap.detail.format(axis=report.axis, index=report.index, size=report.size)
            return RunError(trap.error, message, span=trap.span)
    return RunError(ErrorCode.R008, f"the model stopped with trap {number}, which has no meaning")


def counted_from(trap: int, status: int) -> int:
    """Return the trap for what a kernel returned, whose traps come after `trap`; 0 for none."""
    return status + trap if status else 0
