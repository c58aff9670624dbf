"""Bounds checks of data-dependent indices: a kernel traps if an index is outside its axis.

A kernel returns 0, or the number of the operator whose index was out of bounds. The details of the
fault are then in the record at the start of its workspace. Code that builds tensor expressions sets
the operator's number with `numbered`.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from relay.kernels.scalar import Number, Scalar, lift
from relay.support.dtype import DType, int64
from relay.support.node import Value, set_field, value

_number: ContextVar[int] = ContextVar("number", default=1)


@contextmanager
def numbered(number: int) -> Generator[None]:
    """Set the number that bounds checks built inside the `with` block return when they trap."""
    token = _number.set(number)
    try:
        yield
    finally:
        _number.reset(token)


def present_number() -> int:
    """Return the number that bounds checks built now return when they trap."""
    return _number.get()


@value
class BoundsCheck(Scalar, Value):
    """An index of any integer type, checked against an axis of `size` elements, as an int64.

    A negative index counts from the end if `from_end`. If the index is out of bounds, the kernel
    traps and returns `number`; `axis` is for the fault record. With lanes, only those of `mask` are
    tested.
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
        """Return the same check with another index, size and mask."""
        return BoundsCheck(parts[0], parts[1], self.axis, self.from_end, self.number, *parts[2:])


def inside(index: Scalar, size: Number, axis: int, *, from_end: bool = True) -> Scalar:
    """Return an index checked against an axis of that size; the kernel traps if it is outside."""
    assert index.dtype.is_integer, "an index is an integer"
    return BoundsCheck(index, lift(size), axis, from_end, present_number())
