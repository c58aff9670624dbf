"""What a register holds, and how the fields of a heap block lie in memory.

Kinds are decided at compile time: a register never changes its kind, so nothing is tagged at run
time but the constructors of data types.
"""

from math import prod
from typing import TypeAlias

from relay.support.dtype import DType, dtype
from relay.support.node import Value, set_field, value

HEADER_BYTES = 24
"""Of every heap block: count (32 bits), size class and tag (16 each), two pointers."""

DATA_OFFSET = 64
"""Where the elements of a tensor begin in its block: aligned for every vector."""


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

    Inputs, constants and temporaries of a frame belong to no block.
    """

    shape: tuple[int, ...]
    dtype: DType

    def __post_init__(self) -> None:
        set_field(self, "shape", tuple(map(int, self.shape)))
        set_field(self, "dtype", dtype(self.dtype))

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    @property
    def nbytes(self) -> int:
        """Return the bytes that the elements take."""
        return prod(self.shape) * self.dtype.itemsize


@value
class Object(Value):
    """A counted heap block: a value of a data type, a closure or a mutable cell.

    A constructor without fields is no block, but its tag in place of an address.
    """

    def __str__(self) -> str:
        return "object"


Kind: TypeAlias = Scalar | Tensor | Object

OBJECT = Object()


@value
class Layout(Value):
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
        """Return the byte offset of each field: 16 bytes for a tensor, 8 for all others."""
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
    return 16 if isinstance(kind, Tensor) else 8


def _owner(offset: int, kind: Kind) -> int:
    """Return where a field's pointer to a block lies: that of a tensor follows its address."""
    return offset + 8 if isinstance(kind, Tensor) else offset
