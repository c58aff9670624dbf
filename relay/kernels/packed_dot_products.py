"""Dot products of 32-bit words that hold several small numbers each.

Processors multiply and add small numbers by whole words
(`relay.kernels.llvm.packed_dot_products`), so operands are read as int32 words. Four 8-bit integers
are parts of a word, or two bfloat16 numbers.
"""

from collections.abc import Sequence

from relay.kernels.scalar import Scalar
from relay.support.dtype import DType, float32, int32
from relay.support.node import Value, set_field, value

WORD_BITS = 32
PARTS = 4
"""The number of 8-bit integers in a word."""


def parts_of(kind: DType) -> int:
    """Return the number of elements of a type that a 32-bit word holds."""
    return WORD_BITS // kind.bits


@value
class DotProduct(Scalar, Value):
    """The sum of the products of the corresponding parts of two int32 words.

    `kinds` has the type of the parts of each word. If both are int8 or uint8, the sum is an int32
    that wraps. If both are bfloat16, the sum is a float32, for which subnormal numbers may count
    as 0. The first part is in the least significant bits.
    """

    a: Scalar
    b: Scalar
    kinds: tuple[DType, DType]
    dtype: DType = None  # pyright: ignore[reportAssignmentType] - always computed

    def __post_init__(self) -> None:
        assert self.a.dtype is self.b.dtype, f"words of {self.a.dtype} and {self.b.dtype}"
        total = float32 if self.kinds[0].is_float else int32
        set_field(self, "dtype", DType(total.kind, total.bits, self.a.dtype.lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the two words."""
        return (self.a, self.b)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the dot product of two other words."""
        a, b = parts
        return DotProduct(a, b, self.kinds)
