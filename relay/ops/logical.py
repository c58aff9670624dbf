"""Elementwise logical operators on bool, bitwise operators on integers and bool, and shifts."""

from typing import ClassVar

import numpy as np

from relay.ir.expr import Array
from relay.kernels.scalar import Op, Scalar, binary
from relay.opdef.example import broadcast_examples, elementwise_examples
from relay.opdef.table import operator
from relay.ops.families import DISCRETE, INTEGERS, Broadcast, Elementwise
from relay.support.dtype import Kind

_BITS = (Kind.BOOL, *INTEGERS)
_ALL_INTEGERS = ("i32", "i64", "u8", "i8", "i16", "u16", "u32", "u64")


class Bits(Broadcast):
    """The base of bitwise operators.

    `op` is the machine operation, `function` the NumPy function.
    """

    __slots__ = ()
    op: ClassVar[Op]
    function: ClassVar[np.ufunc]
    undifferentiable = DISCRETE
    kinds = _BITS
    examples = broadcast_examples(*_ALL_INTEGERS, "bool", domain=(-100.0, 100.0))

    def scalar(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the result for two elements."""
        return binary(self.op, x, y)

    def reference(self, lhs: Array, rhs: Array) -> Array:
        """Return the result of the NumPy function."""
        return np.asarray(self.function(lhs, rhs))


@operator("bitwise_and", "&")
class BitwiseAnd(Bits):
    """The bitwise and. Takes integers or bools; the operands broadcast."""

    op = Op.AND
    function = np.bitwise_and
    commutative = idempotent = True


@operator("bitwise_or", "|")
class BitwiseOr(Bits):
    """The bitwise or. Takes integers or bools; the operands broadcast."""

    op = Op.OR
    function = np.bitwise_or
    commutative = idempotent = True
    identity = 0


@operator("bitwise_xor", "^")
class BitwiseXor(Bits):
    """The bitwise exclusive or. Takes integers or bools; the operands broadcast."""

    op = Op.XOR
    function = np.bitwise_xor
    commutative = True
    identity = 0


class Logical(Bits):
    """The base of logical operators, which accept only bool."""

    __slots__ = ()
    kinds = (Kind.BOOL,)
    examples = broadcast_examples("bool", "bool", "bool", "bool", "bool")


@operator("logical_and")
class LogicalAnd(Logical):
    """Whether both operands are true. Takes bools; the operands broadcast."""

    op = Op.AND
    function = np.logical_and
    commutative = idempotent = True
    identity = True


@operator("logical_or")
class LogicalOr(Logical):
    """Whether at least one operand is true. Takes bools; the operands broadcast."""

    op = Op.OR
    function = np.logical_or
    commutative = idempotent = True
    identity = False


@operator("logical_xor")
class LogicalXor(Logical):
    """Whether exactly one operand is true. Takes bools; the operands broadcast."""

    op = Op.XOR
    function = np.logical_xor
    commutative = True
    identity = False


class Shift(Bits):
    """The base of operators that shift the bits of integers.

    A shift distance that is negative or at least the bit width shifts out every bit.
    """

    __slots__ = ()
    kinds = INTEGERS
    examples = broadcast_examples(*_ALL_INTEGERS, domain=(0.0, 70.0))


@operator("left_shift", "<<")
class LeftShift(Shift):
    """Shift `lhs` left by `rhs` bits. Takes integers; the operands broadcast."""

    op = Op.SHL
    function = np.left_shift


@operator("right_shift", ">>")
class RightShift(Shift):
    """Shift `lhs` right by `rhs` bits. Takes integers; the operands broadcast.

    Signed numbers are shifted arithmetically: the result is the quotient by a power of two, rounded
    down. Unsigned numbers are shifted logically.
    """

    op = Op.SHR
    function = np.right_shift


@operator("logical_not")
class LogicalNot(Elementwise):
    """The logical not. Takes bools of any shape."""

    undifferentiable = DISCRETE
    kinds = (Kind.BOOL,)
    examples = elementwise_examples("bool", "bool", "bool", "bool", "bool")

    def scalar(self, x: Scalar) -> Scalar:
        return ~x

    def reference(self, data: Array) -> Array:
        return np.logical_not(data)


@operator("bitwise_not", "~x")
class BitwiseNot(Elementwise):
    """The bitwise complement. Takes integers or bools of any shape."""

    undifferentiable = DISCRETE
    kinds = _BITS
    examples = elementwise_examples(*_ALL_INTEGERS, "bool")

    def scalar(self, x: Scalar) -> Scalar:
        return ~x

    def reference(self, data: Array) -> Array:
        return np.invert(data)
