"""Dot products of words: of the four 8-bit integers in one 32-bit word with those in another.

Processors multiply and add small integers by whole words (`relay.kernels.llvm.dot_products`), so
operands are read as int32 words, of which an 8-bit integer is a part.
"""

from collections.abc import Sequence

from relay.kernels.scalar import Scalar
from relay.support.dtype import DType
from relay.support.node import Value, set_field, value

PARTS = 4
"""The integers in a word."""


@value
class DotProduct(Scalar, Value):
    """The int32 sum of the products of the parts of two int32 words; the sum wraps.

    `kinds` are the types of the parts of each word: int8 or uint8. The first part is in the bits of
    lowest value.
    """

    a: Scalar
    b: Scalar
    kinds: tuple[DType, DType]
    dtype: DType = None  # pyright: ignore[reportAssignmentType] - always computed

    def __post_init__(self) -> None:
        assert self.a.dtype is self.b.dtype, f"words of {self.a.dtype} and {self.b.dtype}"
        set_field(self, "dtype", self.a.dtype)

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the words."""
        return (self.a, self.b)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the dot product of other words."""
        a, b = parts
        return DotProduct(a, b, self.kinds)
