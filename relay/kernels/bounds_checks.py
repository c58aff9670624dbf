"""Bounds checks of indices that are data: a kernel traps where one is outside its axis.

A kernel returns 0, or the number of the operator whose index it met; what the index was stands in
the first words of its workspace then, its *report*. Which operator a formula belongs to is said by
whoever asks for the formula (`numbered`).
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from relay.kernels.scalar import Number, Scalar, lift
from relay.support.dtype import DType, int64
from relay.support.node import Value, set_field, value

REPORT_BYTES = 64
"""The part of a kernel's workspace for its report: number, axis, index and size, 8 bytes each."""

_number: ContextVar[int] = ContextVar("number", default=1)


@contextmanager
def numbered(number: int) -> Generator[None]:
    """Let kernels return this number where an index that is asked for inside is not in its axis."""
    token = _number.set(number)
    try:
        yield
    finally:
        _number.reset(token)


def present_number() -> int:
    """Return what kernels return for indices that are asked for now."""
    return _number.get()


@value
class BoundsCheck(Scalar, Value):
    """Where an index, an integer of any type, is in an axis of `size` elements, as an int64.

    A negative index counts from the end if `from_end`. Where the index is outside, the kernel stops
    and returns `number`; `axis` is for the report. With lanes, only those of `mask` are tested.
    """

    index: Scalar
    size: Scalar
    axis: int
    from_end: bool
    number: int
    mask: Scalar | None = None
    dtype: DType = int64

    def __post_init__(self) -> None:
        set_field(self, "dtype", DType(int64.kind, int64.bits, self.index.dtype.lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the index, the size, and the mask if there is one."""
        both = (self.index, self.size)
        return both if self.mask is None else (*both, self.mask)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same test of another index."""
        return BoundsCheck(parts[0], parts[1], self.axis, self.from_end, self.number, *parts[2:])


def inside(index: Scalar, size: Number, axis: int, *, from_end: bool = True) -> Scalar:
    """Return where an index is in an axis of that size; the kernel stops if it is not in there."""
    assert index.dtype.is_integer, "an index is an integer"
    return BoundsCheck(index, lift(size), axis, from_end, present_number())
