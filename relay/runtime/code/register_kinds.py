"""The kinds of registers, and the memory layout of heap blocks.

Kinds are static: a register never changes its kind, so values need no type tags at run time, except
for constructors of data types.
"""

from math import prod
from typing import TypeAlias

from relay.support.dtype import DType, dtype, int64
from relay.support.node import Value, set_field, value

HEADER_BYTES = 24
"""The header of every heap block: count (32 bits), size class and tag (16 each), two pointers."""

MARK_OFFSET = 16
"""The offset of the second pointer, which the heap uses only in free blocks: a traversal mark."""

TAGS = 4096
"""Smaller values are not addresses of blocks but tags of constructors without fields."""

DATA_OFFSET = 64
"""The offset of a tensor's elements in its block, aligned for every vector type."""

LEVEL_OFFSET = HEADER_BYTES
"""The offset of the 64-bit level of the deferred call that computes a tensor, in its block.

It is 0 if the tensor is computed; only programs with deferred calls use it.
"""


@value
class Scalar(Value):
    """The kind of a scalar: one element, in a machine register."""

    dtype: DType

    def __post_init__(self) -> None:
        set_field(self, "dtype", dtype(self.dtype))

    def __str__(self) -> str:
        return str(self.dtype)


@value
class Tensor(Value):
    """The kind of a tensor: the address of its elements, and of the heap block that owns them.

    Inputs, constants and temporaries of a frame have no owner. A size that is None is dynamic: the
    tensor *carries* it together with its pointers.
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
        """Return the axes whose sizes the tensor carries (dynamic sizes), in order."""
        return tuple(axis for axis, size in enumerate(self.shape) if size is None)

    @property
    def least_elements(self) -> int:
        """Return the number of elements, counting dynamic sizes as 1."""
        return prod(size for size in self.shape if size is not None)

    @property
    def least_bytes(self) -> int:
        """Return the size in bytes, counting dynamic sizes as 1."""
        return self.least_elements * self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the size of the elements in bytes; all sizes must be static."""
        assert not self.carried, f"the size of {self} is known only at run time"
        return self.least_bytes


@value
class Object(Value):
    """The kind of a reference to a heap block: a data value, closure or mutable reference.

    A constructor without fields is represented by its tag instead of an address.
    """

    def __str__(self) -> str:
        return "object"


Kind: TypeAlias = Scalar | Tensor | Object

OBJECT = Object()

SIZE = Scalar(int64)
"""The kind of a tensor size in a register of its own."""


@value
class BlockLayout(Value):
    """The kinds of the fields of a heap block, and their offsets.

    >>> from relay.support.dtype import float32
    >>> BlockLayout((Tensor((3,), float32), OBJECT)).offsets
    (24, 40)
    """

    kinds: tuple[Kind, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.kinds))})"

    @property
    def offsets(self) -> tuple[int, ...]:
        """Return the byte offset of each field."""
        found: list[int] = []
        end = HEADER_BYTES
        for kind in self.kinds:
            found.append(end)
            end += _slot(kind)
        return tuple(found)

    @property
    def nbytes(self) -> int:
        """Return the size of a block in bytes."""
        return HEADER_BYTES + sum(map(_slot, self.kinds))

    @property
    def counted(self) -> tuple[int, ...]:
        """Return the offsets of the pointers to other blocks, which hold references."""
        pairs = zip(self.offsets, self.kinds, strict=True)
        return tuple(_owner(at, kind) for at, kind in pairs if not isinstance(kind, Scalar))


def _slot(kind: Kind) -> int:
    return 16 + 8 * len(kind.carried) if isinstance(kind, Tensor) else 8


def _owner(offset: int, kind: Kind) -> int:
    """Return the offset of a field's owner pointer; in a tensor it follows the address."""
    return offset + 8 if isinstance(kind, Tensor) else offset
