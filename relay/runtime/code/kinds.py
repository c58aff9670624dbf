"""Kinds of registers, and the memory layout of heap blocks.

Kinds are decided at compile time: a register never changes its kind, so nothing is tagged at run
time but the constructors of data types.
"""

from math import prod
from typing import TypeAlias

from relay.support.dtype import DType, dtype, int64
from relay.support.node import Value, set_field, value

HEADER_BYTES = 24
"""Of every heap block: count (32 bits), size class and tag (16 each), two pointers."""

MARK_OFFSET = 16
"""Of the second pointer, which the heap uses in free blocks only: a mark of who walks others."""

TAGS = 4096
"""What is below is no address of a block, but the tag of a constructor without fields."""

DATA_OFFSET = 64
"""Where the elements of a tensor begin in its block: aligned for every vector."""

LEVEL_OFFSET = HEADER_BYTES
"""Where the block of a tensor says, in 64 bits, after how many others the call that makes it comes.

0 if nothing waits; only programs with calls that wait write and read it.
"""


@value
class Scalar(Value):
    """A tensor of rank 0: one element, in a machine register."""

    dtype: DType

    def __post_init__(self) -> None:
        set_field(self, "dtype", dtype(self.dtype))

    def __str__(self) -> str:
        return str(self.dtype)


@value
class Tensor(Value):
    """A dense tensor: where its elements are, and the heap block that keeps them alive, if any.

    Inputs, constants and temporaries of a frame belong to no block. A size that is None is known
    only at run time: the tensor *carries* it beside its pointers.
    """

    shape: tuple[int | None, ...]
    dtype: DType

    def __post_init__(self) -> None:
        set_field(self, "shape", tuple(None if d is None else int(d) for d in self.shape))
        set_field(self, "dtype", dtype(self.dtype))

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' if d is None else str(d) for d in self.shape)}]"

    @property
    def carried(self) -> tuple[int, ...]:
        """Return the axes whose sizes the tensor carries, in order."""
        return tuple(axis for axis, size in enumerate(self.shape) if size is None)

    @property
    def least_elements(self) -> int:
        """Return the number of elements if every size that is carried were 1."""
        return prod(size for size in self.shape if size is not None)

    @property
    def least_bytes(self) -> int:
        """Return the bytes of so many elements."""
        return self.least_elements * self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the bytes that the elements take; all sizes are known."""
        assert not self.carried, f"the size of {self} is known only at run time"
        return self.least_bytes


@value
class Object(Value):
    """A counted heap block: a value of a data type, a closure or a mutable cell.

    A constructor without fields is no block, but its tag in place of an address.
    """

    def __str__(self) -> str:
        return "object"


Kind: TypeAlias = Scalar | Tensor | Object

OBJECT = Object()

SIZE = Scalar(int64)
"""The size of a tensor along an axis, when it is a number of its own."""


@value
class BlockLayout(Value):
    """The fields of a heap block, by kind, and where they lie.

    >>> from relay.support.dtype import float32
    >>> Layout((Tensor((3,), float32), OBJECT)).offsets
    (24, 40)
    """

    kinds: tuple[Kind, ...]

    def __post_init__(self) -> None:
        set_field(self, "kinds", tuple(self.kinds))

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.kinds))})"

    @property
    def offsets(self) -> tuple[int, ...]:
        """Return the byte offset of each field: two pointers and sizes, or one word."""
        found: list[int] = []
        end = HEADER_BYTES
        for kind in self.kinds:
            found.append(end)
            end += _slot(kind)
        return tuple(found)

    @property
    def nbytes(self) -> int:
        """Return the bytes of a block with these fields."""
        return HEADER_BYTES + sum(map(_slot, self.kinds))

    @property
    def counted(self) -> tuple[int, ...]:
        """Return the offsets of the pointers to other blocks."""
        pairs = zip(self.offsets, self.kinds, strict=True)
        return tuple(_owner(at, kind) for at, kind in pairs if not isinstance(kind, Scalar))


def _slot(kind: Kind) -> int:
    return 16 + 8 * len(kind.carried) if isinstance(kind, Tensor) else 8


def _owner(offset: int, kind: Kind) -> int:
    """Return where a field's pointer to a block lies: that of a tensor follows its address."""
    return offset + 8 if isinstance(kind, Tensor) else offset
