"""Instructions on sizes of tensors, which are int64 values in registers."""

from enum import Enum

from relay.runtime.code.instructions import Instruction, Register, Registers
from relay.runtime.code.traps import NO_MEMORY
from relay.support.node import value


class SizeInstruction(Instruction):
    """The base of instructions that load, compute, check or assign sizes."""

    __slots__ = ()


class Arithmetic(Enum):
    """The arithmetic operations on sizes; floor division by zero gives zero."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    FLOOR_DIVIDE = "//"
    MAXIMUM = "max"
    UNLESS_ONE = "or, if 1,"

    def value_of(self, left: int, right: int) -> int:
        """Return the result of the operation for two integers."""
        match self:
            case Arithmetic.ADD:
                return left + right
            case Arithmetic.SUBTRACT:
                return left - right
            case Arithmetic.MULTIPLY:
                return left * right
            case Arithmetic.FLOOR_DIVIDE:
                return left // right if right else 0
            case Arithmetic.MAXIMUM:
                return max(left, right)
            case Arithmetic.UNLESS_ONE:
                return right if left == 1 else left


OVERFLOWING = (Arithmetic.ADD, Arithmetic.SUBTRACT, Arithmetic.MULTIPLY)
"""The operations that may overflow 64 bits."""


@value
class Number(SizeInstruction):
    """An instruction that assigns an integer constant to register `to`."""

    to: Register
    number: int
    defined = ("to",)
    integers = ("to",)


@value
class SizeOf(SizeInstruction):
    """An instruction that loads the size of a tensor along an axis to register `to`."""

    to: Register
    source: Register
    axis: int
    borrowed = ("source",)
    defined = ("to",)
    integers = ("to",)


@value
class Compute(SizeInstruction):
    """An instruction that computes with two sizes; overflow traps."""

    to: Register
    operation: Arithmetic
    left: Register
    right: Register
    trap: int = NO_MEMORY
    borrowed = ("left", "right")
    defined = ("to",)
    integers = ("left", "right", "to")


@value
class LoadElement(SizeInstruction):
    """An instruction that loads an element of an integer tensor as a size."""

    to: Register
    source: Register
    index: int
    borrowed = ("source",)
    defined = ("to",)
    integers = ("to",)


@value
class View(SizeInstruction):
    """An instruction that reshapes `source` to the view `to`, with dynamic sizes `extents`."""

    to: Register
    source: Register
    extents: Registers
    borrowed = ("extents",)
    taken = ("source",)
    defined = ("to",)
    integers = ("extents",)


@value
class Require(SizeInstruction):
    """An instruction that traps if `left` differs from `right`.

    With `at_least`, it traps only if `left` is smaller than `right`.
    """

    left: Register
    right: Register
    trap: int
    at_least: bool = False
    borrowed = ("left", "right")
    integers = ("left", "right")
