"""Remarks: records of the decisions of passes with their reasons, for reports to users.

Passes record them only inside of `recorded()`; elsewhere `recorder()` is None, and passes record
nothing. `str(remark)` is an English sentence.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum

from relay.ir.expr import Operator
from relay.support.node import Value, set_field, value
from relay.support.span import Span


class FusionObstacle(Enum):
    """A reason for which `FuseOperators` starts a new kernel at an operator."""

    SEVERAL_KERNELS = "several kernels read its result"
    OTHER_READER = "not only operators read its result, so it must be in memory"
    TUPLE = "a tuple holds its result, which must be in memory"
    BRANCH = "a branch returns its result, which must be in memory"
    VARIABLE = "a variable holds its result, which must be in memory"
    REFERENCE = "a reference holds its result, which must be in memory"
    DATA = "a value of a data type holds its result, which must be in memory"
    ARGUMENT = "a function takes its result, which must be in memory"
    RESULT = "a function returns its result, which must be in memory"
    ANNOTATION = "annotation.stop_fusion keeps operators before it and after it apart"
    LIMIT = "the kernel has the largest allowed number of operators"
    CLOSURE = "the reader is in a function that may run several times"
    OPAQUE = "it is never part of a larger kernel"
    UNKNOWN_SIZE = "its result is not one tensor of known sizes"
    SECOND_ANCHOR = "the kernel has a reduction or a product already"
    OTHER_SHAPE = "only elementwise operators may follow it in a kernel, and others do"
    READER_APART = "the reader is never part of a larger kernel"
    PROLOGUE = "the schedule of the reader cannot compute its operands on the fly"
    EPILOGUE = "it ends a matrix product, which would be computed again for each read"
    REPEATED = "the reader would compute each of its elements several times"


class InlineObstacle(Enum):
    """A reason for which `Inline` keeps a call."""

    RECURSIVE = "it is recursive"
    GENERIC = "it has type parameters"
    DERIVATIVE = "it has a custom derivative"
    EXTERNAL = "it is for an external compiler, or marked as not to be optimised"
    KERNEL = "it is a kernel"
    UNMARKED = "it is not marked to be inlined"
    LARGE = "it is large and called in several places"
    SIZES = "its body needs sizes that the argument types leave unknown"
    LOCAL = "only global functions are inlined"


class LayoutReason(Enum):
    """A reason for the layout in which an operator computes."""

    PREFERRED = "the target prefers it"
    FOLLOWED = "its operands already have it"
    PLAIN = "the target prefers no other"
    LOST = "it cannot follow the layout of its operands, which are converted"


@value
class Remark(Value):
    """The base class of remarks; `span` is the source location of a remark, if known."""

    span: Span | None


@value
class NotFused(Remark):
    """The remark that an operator starts a kernel although other operators read its result."""

    operator: Operator
    readers: tuple[str, ...]
    obstacle: FusionObstacle

    def __post_init__(self) -> None:
        set_field(self, "readers", tuple(self.readers))

    def __str__(self) -> str:
        readers = f" with {' and '.join(self.readers)}" if self.readers else ""
        return f"{self.operator.name} is not fused{readers}: {self.obstacle.value}"


@value
class NotInlined(Remark):
    """The remark that a call of a function was not inlined, which is global or `local`."""

    function: str
    obstacle: InlineObstacle
    local: bool = False

    def __str__(self) -> str:
        sigil = "%" if self.local else "@"
        return f"{sigil}{self.function} is not inlined: {self.obstacle.value}"


@value
class LayoutChosen(Remark):
    """The remark that names the layout in which an operator computes.

    `layout` is the layout of the operator's result or, if the result has none, of an operand. The
    empty string stands for the layout that the program specifies.
    """

    operator: Operator
    layout: str
    reason: LayoutReason

    def __str__(self) -> str:
        layout = self.layout or "the layout of the program"
        return f"{self.operator.name} computes in {layout}: {self.reason.value}"


@value
class ReadAtEachCall(Remark):
    """The remark that arrays outside of a Python function are inputs, because they may change."""

    arrays: tuple[str, ...]
    nbytes: int

    def __post_init__(self) -> None:
        set_field(self, "arrays", tuple(self.arrays))

    def __str__(self) -> str:
        more = len(self.arrays) - _NAMED
        names = ", ".join(self.arrays[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        return (
            f"{names} ({self.nbytes >> 10} kB) can be written to, so each call reads them: they "
            "are neither packed for this machine nor folded; if they do not change, freeze them: "
            f"{self.arrays[0]} = relay.frozen({self.arrays[0]})"
        )


@value
class NotCompared(Remark):
    """The remark that verification did not compare the values of a function, or some of them."""

    function: str
    reason: str

    def __str__(self) -> str:
        return f"the values of @{self.function} were not compared: {self.reason}"


_NAMED = 4
"""The maximum number of arrays that a remark lists by name."""

_RECORDS: ContextVar[list[Remark] | None] = ContextVar("relay remarks", default=None)


@contextmanager
def recorded() -> Generator[list[Remark]]:
    """Record the remarks of passes in this block into the returned list."""
    found: list[Remark] = []
    token = _RECORDS.set(found)
    try:
        yield found
    finally:
        _RECORDS.reset(token)


def recorder() -> list[Remark] | None:
    """Return the list to which passes append remarks, or None outside of `recorded()`."""
    return _RECORDS.get()


def sentences(remarks: Sequence[Remark]) -> tuple[str, ...]:
    """Return the distinct sentences of remarks in order, with the number of repetitions of each.

    >>> remark = NotInlined(None, "f", InlineObstacle.RECURSIVE)
    >>> sentences([remark, remark])
    ('@f is not inlined: it is recursive (2 times)',)
    """
    counts: dict[str, int] = {}
    for each in map(str, remarks):
        counts[each] = counts.get(each, 0) + 1
    return tuple(text if n == 1 else f"{text} ({n} times)" for text, n in counts.items())
