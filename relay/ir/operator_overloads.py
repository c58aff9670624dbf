"""Overloads of Python's operators for expressions and patterns, such as `x + 1` and `abs(x)`."""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from relay.support.late_binding import module_above

Made = TypeVar("Made")
Operand = TypeVar("Operand")


def overload(symbol: str) -> type[Any]:
    """Return the operator class in `relay.ops` for a Python operator such as `+`."""
    return module_above("relay.ops").OVERLOADS[symbol]


class OperatorOverloads(Generic[Made, Operand]):
    """The base of classes that overload Python's operators.

    Overloads take operands of the class `Operand` and return objects of the class `Made`.
    """

    __slots__ = ()

    @abstractmethod
    def _apply(self, symbol: str, *operands: "OperatorOverloads[Made, Operand] | Operand") -> Made:
        """Return a call of Relay's operator for a Python operator such as `+`."""

    def __add__(self, other: Operand) -> Made:
        return self._apply("+", self, other)

    def __radd__(self, other: Operand) -> Made:
        return self._apply("+", other, self)

    def __sub__(self, other: Operand) -> Made:
        return self._apply("-", self, other)

    def __rsub__(self, other: Operand) -> Made:
        return self._apply("-", other, self)

    def __mul__(self, other: Operand) -> Made:
        return self._apply("*", self, other)

    def __rmul__(self, other: Operand) -> Made:
        return self._apply("*", other, self)

    def __truediv__(self, other: Operand) -> Made:
        return self._apply("/", self, other)

    def __rtruediv__(self, other: Operand) -> Made:
        return self._apply("/", other, self)

    def __floordiv__(self, other: Operand) -> Made:
        return self._apply("//", self, other)

    def __rfloordiv__(self, other: Operand) -> Made:
        return self._apply("//", other, self)

    def __mod__(self, other: Operand) -> Made:
        return self._apply("%", self, other)

    def __rmod__(self, other: Operand) -> Made:
        return self._apply("%", other, self)

    def __pow__(self, other: Operand) -> Made:
        return self._apply("**", self, other)

    def __rpow__(self, other: Operand) -> Made:
        return self._apply("**", other, self)

    def __matmul__(self, other: Operand) -> Made:
        return self._apply("@", self, other)

    def __rmatmul__(self, other: Operand) -> Made:
        return self._apply("@", other, self)

    def __and__(self, other: Operand) -> Made:
        return self._apply("&", self, other)

    def __rand__(self, other: Operand) -> Made:
        return self._apply("&", other, self)

    def __or__(self, other: Operand) -> Made:
        return self._apply("|", self, other)

    def __ror__(self, other: Operand) -> Made:
        return self._apply("|", other, self)

    def __xor__(self, other: Operand) -> Made:
        return self._apply("^", self, other)

    def __rxor__(self, other: Operand) -> Made:
        return self._apply("^", other, self)

    def __lshift__(self, other: Operand) -> Made:
        return self._apply("<<", self, other)

    def __rlshift__(self, other: Operand) -> Made:
        return self._apply("<<", other, self)

    def __rshift__(self, other: Operand) -> Made:
        return self._apply(">>", self, other)

    def __rrshift__(self, other: Operand) -> Made:
        return self._apply(">>", other, self)

    def __lt__(self, other: Operand) -> Made:
        return self._apply("<", self, other)

    def __le__(self, other: Operand) -> Made:
        return self._apply("<=", self, other)

    def __gt__(self, other: Operand) -> Made:
        return self._apply(">", self, other)

    def __ge__(self, other: Operand) -> Made:
        return self._apply(">=", self, other)

    def __neg__(self) -> Made:
        return self._apply("-x", self)

    def __invert__(self) -> Made:
        return self._apply("~x", self)

    def __abs__(self) -> Made:
        return self._apply("abs", self)
