"""Python's signs on expressions: `x + 1`, `-x`, `x < y`, `abs(x)`."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")
Operand = TypeVar("Operand")

SIGNS: dict[str, Callable[..., Any]] = {}
"""The operator that each of Python's signs stands for, entered where it is declared (`opdef`)."""


class Signs(Generic[Made, Operand]):
    """The base of what has signs: what is `Made` of it and of the other `Operand`, if there is one.

    Where a sign is declared stands the operator: `relay.opdef.table`.
    """

    __slots__ = ()

    @abstractmethod
    def _write(self, sign: str, *operands: "Signs[Made, Operand] | Operand") -> Made:
        """Return the call of the operator that a sign stands for."""

    def __add__(self, other: Operand) -> Made:
        return self._write("+", self, other)

    def __radd__(self, other: Operand) -> Made:
        return self._write("+", other, self)

    def __sub__(self, other: Operand) -> Made:
        return self._write("-", self, other)

    def __rsub__(self, other: Operand) -> Made:
        return self._write("-", other, self)

    def __mul__(self, other: Operand) -> Made:
        return self._write("*", self, other)

    def __rmul__(self, other: Operand) -> Made:
        return self._write("*", other, self)

    def __truediv__(self, other: Operand) -> Made:
        return self._write("/", self, other)

    def __rtruediv__(self, other: Operand) -> Made:
        return self._write("/", other, self)

    def __floordiv__(self, other: Operand) -> Made:
        return self._write("//", self, other)

    def __rfloordiv__(self, other: Operand) -> Made:
        return self._write("//", other, self)

    def __mod__(self, other: Operand) -> Made:
        return self._write("%", self, other)

    def __rmod__(self, other: Operand) -> Made:
        return self._write("%", other, self)

    def __pow__(self, other: Operand) -> Made:
        return self._write("**", self, other)

    def __rpow__(self, other: Operand) -> Made:
        return self._write("**", other, self)

    def __matmul__(self, other: Operand) -> Made:
        return self._write("@", self, other)

    def __rmatmul__(self, other: Operand) -> Made:
        return self._write("@", other, self)

    def __and__(self, other: Operand) -> Made:
        return self._write("&", self, other)

    def __rand__(self, other: Operand) -> Made:
        return self._write("&", other, self)

    def __or__(self, other: Operand) -> Made:
        return self._write("|", self, other)

    def __ror__(self, other: Operand) -> Made:
        return self._write("|", other, self)

    def __xor__(self, other: Operand) -> Made:
        return self._write("^", self, other)

    def __rxor__(self, other: Operand) -> Made:
        return self._write("^", other, self)

    def __lshift__(self, other: Operand) -> Made:
        return self._write("<<", self, other)

    def __rlshift__(self, other: Operand) -> Made:
        return self._write("<<", other, self)

    def __rshift__(self, other: Operand) -> Made:
        return self._write(">>", self, other)

    def __rrshift__(self, other: Operand) -> Made:
        return self._write(">>", other, self)

    def __lt__(self, other: Operand) -> Made:
        return self._write("<", self, other)

    def __le__(self, other: Operand) -> Made:
        return self._write("<=", self, other)

    def __gt__(self, other: Operand) -> Made:
        return self._write(">", self, other)

    def __ge__(self, other: Operand) -> Made:
        return self._write(">=", self, other)

    def __neg__(self) -> Made:
        return self._write("-x", self)

    def __invert__(self) -> Made:
        return self._write("~x", self)

    def __abs__(self) -> Made:
        return self._write("abs", self)
