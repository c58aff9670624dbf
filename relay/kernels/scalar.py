"""Scalar expressions: the computation of one element of a tensor.

Both stages of the operator compiler use this language. The body of a tensor expression is a scalar
expression that *reads tensors* (`relay.kernels.te`); after lowering, the same expression *loads
from buffers* (`relay.kernels.loops`). Expressions are values, so a common subexpression is one
object; a variable is a node, because two loops may have the same name.

An expression of a vector dtype (`float32x16`) is legal only in loops, after vectorisation.

Scalars are written with Python's operators: `i // 4 + x[i] * 2`. A Python number combined with a
scalar takes the scalar's dtype; `//` and `%` are floor division and its remainder, as in Python.
`==` is Python's equality of expression objects; for a comparison write `equal(a, b)`.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.kernels.scalar_operations import Fn, Op, Order
from relay.support.dims import algebra as dims
from relay.support.dtype import DType, bool_, int64
from relay.support.node import Value, node, set_field, value


class Scalar:
    """The base class of scalar expressions; `dtype` is the type of the value."""

    __slots__ = ()
    dtype: DType

    @property
    def parts(self) -> tuple["Scalar", ...]:
        """Return the direct operands of this expression."""
        return ()

    def with_parts(self, parts: Sequence["Scalar"]) -> "Scalar":
        """Return the same expression with other operands, folded if possible."""
        assert not parts
        return self

    def __add__(self, other: "Number") -> "Scalar":
        return binary(Op.ADD, self, other)

    def __radd__(self, other: "Number") -> "Scalar":
        return binary(Op.ADD, other, self)

    def __sub__(self, other: "Number") -> "Scalar":
        return binary(Op.SUB, self, other)

    def __rsub__(self, other: "Number") -> "Scalar":
        return binary(Op.SUB, other, self)

    def __mul__(self, other: "Number") -> "Scalar":
        return binary(Op.MUL, self, other)

    def __rmul__(self, other: "Number") -> "Scalar":
        return binary(Op.MUL, other, self)

    def __truediv__(self, other: "Number") -> "Scalar":
        return binary(Op.DIV, self, other)

    def __rtruediv__(self, other: "Number") -> "Scalar":
        return binary(Op.DIV, other, self)

    def __floordiv__(self, other: "Number") -> "Scalar":
        return binary(Op.FLOORDIV, self, other)

    def __rfloordiv__(self, other: "Number") -> "Scalar":
        return binary(Op.FLOORDIV, other, self)

    def __mod__(self, other: "Number") -> "Scalar":
        return binary(Op.FLOORMOD, self, other)

    def __rmod__(self, other: "Number") -> "Scalar":
        return binary(Op.FLOORMOD, other, self)

    def __and__(self, other: "Number") -> "Scalar":
        return binary(Op.AND, self, other)

    def __or__(self, other: "Number") -> "Scalar":
        return binary(Op.OR, self, other)

    def __xor__(self, other: "Number") -> "Scalar":
        return binary(Op.XOR, self, other)

    def __lshift__(self, other: "Number") -> "Scalar":
        return binary(Op.SHL, self, other)

    def __rshift__(self, other: "Number") -> "Scalar":
        return binary(Op.SHR, self, other)

    def __lt__(self, other: "Number") -> "Scalar":
        return compare(Order.LT, self, other)

    def __le__(self, other: "Number") -> "Scalar":
        return compare(Order.LE, self, other)

    def __gt__(self, other: "Number") -> "Scalar":
        return compare(Order.GT, self, other)

    def __ge__(self, other: "Number") -> "Scalar":
        return compare(Order.GE, self, other)

    def __neg__(self) -> "Scalar":
        if isinstance(self, Const):
            return Const(-self.value, self.dtype)
        return Apply(Fn.NEG, (self,), self.dtype)

    def __invert__(self) -> "Scalar":
        if isinstance(self, Const) and self.dtype is bool_:
            return Const(not self.value, bool_)
        return Apply(Fn.NOT, (self,), self.dtype)

    def __bool__(self) -> bool:
        raise TypeError(
            "a scalar expression has no Python value: use te.select instead of if, and, or, min"
        )


@node
class Var(Scalar):
    """A loop index, or a variable that a let binds; indices are int64."""

    name: str
    dtype: DType = int64


@node
class Size(Var):
    """The value of a symbolic dimension, which the caller of a kernel passes; never negative."""


@functools.cache
def size_named(name: str) -> Size:
    """Return the variable for a symbolic dimension; equal names give the same variable."""
    return Size(name)


@value
class Const(Scalar, Value):
    """A constant; `value` is a Python bool, int or float that `dtype` can represent."""

    value: bool | int | float
    dtype: DType = int64


@value
class Binary(Scalar, Value):
    """The binary operation `a op b`, such as a sum."""

    op: Op
    a: Scalar
    b: Scalar
    dtype: DType = int64

    def __post_init__(self) -> None:
        assert self.a.dtype is self.b.dtype, f"{self.op}: {self.a.dtype} and {self.b.dtype}"
        set_field(self, "dtype", self.a.dtype)

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return both operands of the operation."""
        return (self.a, self.b)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same operation on two other operands."""
        return binary(self.op, *parts)


@value
class Compare(Scalar, Value):
    """The comparison `a order b`: a bool with as many lanes as the operands."""

    order: Order
    a: Scalar
    b: Scalar
    dtype: DType = bool_

    def __post_init__(self) -> None:
        assert self.a.dtype is self.b.dtype, f"{self.order}: {self.a.dtype} and {self.b.dtype}"
        lanes = self.a.dtype.lanes
        set_field(self, "dtype", bool_ if lanes == 1 else DType(bool_.kind, bool_.bits, lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return both operands of the comparison."""
        return (self.a, self.b)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same comparison of two other operands."""
        return compare(self.order, *parts)


@value
class Apply(Scalar, Value):
    """The function call `fn(args…)`, with a result of type `dtype`."""

    fn: Fn
    args: tuple[Scalar, ...]
    dtype: DType

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the arguments of the function."""
        return self.args

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same function applied to other arguments."""
        return Apply(self.fn, tuple(parts), self.dtype)


@value
class Select(Scalar, Value):
    """The choice of `then` if `condition` holds, else of `other`.

    Only loads of the chosen operand may trap.
    """

    condition: Scalar
    then: Scalar
    other: Scalar
    dtype: DType = int64

    def __post_init__(self) -> None:
        assert self.then.dtype is self.other.dtype
        set_field(self, "dtype", self.then.dtype)

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the condition and both alternatives."""
        return (self.condition, self.then, self.other)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return a select with another condition and other alternatives."""
        return select(*parts)


@value
class Cast(Scalar, Value):
    """A conversion to another dtype; float to integer truncates and saturates, NaN becomes 0."""

    operand: Scalar
    dtype: DType

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the operand of the conversion."""
        return (self.operand,)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same conversion of another operand."""
        return cast(parts[0], self.dtype)


@value
class Ramp(Scalar, Value):
    """The vector `base, base + stride, …` of `lanes` integers (in loops only)."""

    base: Scalar
    stride: Scalar
    lanes: int
    dtype: DType = int64

    def __post_init__(self) -> None:
        base = self.base.dtype
        set_field(self, "dtype", DType(base.kind, base.bits, self.lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the base and the stride of the ramp."""
        return (self.base, self.stride)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return a ramp with another base and stride."""
        return Ramp(parts[0], parts[1], self.lanes)


@value
class Broadcast(Scalar, Value):
    """A vector with one scalar in every lane (in loops only)."""

    operand: Scalar
    lanes: int
    dtype: DType = int64

    def __post_init__(self) -> None:
        operand = self.operand.dtype
        set_field(self, "dtype", DType(operand.kind, operand.bits, self.lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the scalar that is broadcast."""
        return (self.operand,)

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return a broadcast of another scalar."""
        return Broadcast(parts[0], self.lanes)


Number: TypeAlias = Scalar | bool | int | float | dims.Symbolic


def lift(number: Number, dtype: DType = int64) -> Scalar:
    """Return a Python number as a constant of `dtype`; scalar expressions stay unchanged.

    A symbolic dimension becomes an expression of the sizes that are passed to the kernel.

    >>> from relay.support.dtype import float32
    >>> lift(2, float32)
    Const(value=2.0, dtype=float32)
    """
    if isinstance(number, Scalar):
        return number
    if dtype is int64 and type(number) is int:
        return _integer(number)
    if isinstance(number, dims.Symbolic):
        return cast(_of_dimension(number), dtype)
    if dtype.is_float or dtype.is_minifloat:
        return Const(float(number), dtype)
    if dtype is bool_:
        return Const(bool(number), dtype)
    assert int(number) == number, f"{number} is not a value of type {dtype}"
    return Const(int(number), dtype)


@functools.lru_cache(maxsize=1024)
def _integer(number: int) -> Scalar:
    """Return a constant; most constants in indices are a few small ones."""
    return Const(number)


_LONG = 8  # parts of half of a sum


@functools.lru_cache(maxsize=4096)
def _of_dimension(dim: dims.Dim) -> Scalar:
    """Return a dimension as an expression of sizes; its depth, which is small, bounds recursion.

    It is cached: a kernel with symbolic sizes has few dimensions, and uses them often.
    """
    match dim:
        case int():
            return Const(dim)
        case dims.DimVar():
            return size_named(str(dim))
        case dims.FloorDiv(a, b):
            return _of_dimension(a) // _of_dimension(b)
        case dims.Maximum(a, b):
            return maximum(_of_dimension(a), _of_dimension(b))
        case dims.Broadcast(sizes):
            return functools.reduce(_unless_one, map(_of_dimension, reversed(sizes)))
        case dims.Polynomial(terms):
            return total([_product(atoms) * factor for factor, atoms in terms])
        case _:
            raise AssertionError(f"the size {dim} has no name")


def _product(atoms: Sequence[dims.Dim]) -> Scalar:
    return functools.reduce(operator.mul, map(_of_dimension, atoms), Const(1))


def total(parts: Sequence[Scalar]) -> Scalar:
    """Return the sum of expressions; a long sum is a balanced tree, to bound its depth."""
    half = len(parts) // 2
    if half < _LONG:
        return functools.reduce(operator.add, parts, Const(0))
    return total(parts[:half]) + total(parts[half:])


def _unless_one(other: Scalar, size: Scalar) -> Scalar:
    return select(equal(size, 1), other, size)


def lift_both(a: Number, b: Number) -> tuple[Scalar, Scalar]:
    """Return both operands as scalar expressions.

    A Python number takes the dtype of the other operand.
    """
    if isinstance(a, Scalar):
        return a, lift(b, a.dtype)
    b = lift(b)
    return lift(a, b.dtype), b


_FOLD: dict[Op, Callable[[int, int], int]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.FLOORDIV: lambda a, b: a // b,
    Op.FLOORMOD: operator.mod,
    Op.MIN: min,
    Op.MAX: max,
}
_DECIDE: dict[Order, Callable[[int, int], bool]] = {
    Order.EQ: operator.eq,
    Order.NE: operator.ne,
    Order.LT: operator.lt,
    Order.LE: operator.le,
    Order.GT: operator.gt,
    Order.GE: operator.ge,
}
_RIGHT_UNIT = {Op.ADD: 0, Op.SUB: 0, Op.MUL: 1, Op.FLOORDIV: 1, Op.SHL: 0, Op.SHR: 0}
_LEFT_UNIT = {Op.ADD: 0, Op.MUL: 1}
_DIVISIONS = (Op.FLOORDIV, Op.FLOORMOD)


def binary(op: Op, a: Number, b: Number) -> Scalar:
    """Return `a op b`, with constant folding for 64-bit integers and booleans.

    >>> i = Var("i")
    >>> binary(Op.MUL, i, 1) is i, binary(Op.ADD, 2, 3)
    (True, Const(value=5, dtype=int64))
    """
    a, b = lift_both(a, b)
    folded = _fold_bool(op, a, b) if a.dtype is bool_ else None
    if a.dtype is int64:
        folded = _fold_index(op, a, b)
    return Binary(op, a, b) if folded is None else folded


def _fold_index(op: Op, a: Scalar, b: Scalar) -> Scalar | None:
    if isinstance(b, Const):
        if op in _DIVISIONS and b.value == 0:
            return None
        if isinstance(a, Const) and op in _FOLD:
            return Const(_wrap(_FOLD[op](int(a.value), int(b.value))))
        if _RIGHT_UNIT.get(op) == b.value:
            return a
        if op is Op.MUL and b.value == 0:
            return b
    if isinstance(a, Const):
        if _LEFT_UNIT.get(op) == a.value:
            return b
        if op is Op.MUL and a.value == 0:
            return a
    return None


def _wrap(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def _fold_bool(op: Op, a: Scalar, b: Scalar) -> Scalar | None:
    for known, other in ((a, b), (b, a)):
        if isinstance(known, Const) and op is Op.AND:
            return other if known.value else known
        if isinstance(known, Const) and op is Op.OR:
            return known if known.value else other
    return None


def compare(order: Order, a: Number, b: Number) -> Scalar:
    """Return `a order b`; two integer constants are folded."""
    a, b = lift_both(a, b)
    if isinstance(a, Const) and isinstance(b, Const) and not a.dtype.is_float:
        return Const(_DECIDE[order](int(a.value), int(b.value)), bool_)
    return Compare(order, a, b)


def equal(a: Number, b: Number) -> Scalar:
    """Return the comparison whether `a` equals `b`."""
    return compare(Order.EQ, a, b)


def not_equal(a: Number, b: Number) -> Scalar:
    """Return the comparison whether `a` differs from `b`."""
    return compare(Order.NE, a, b)


def minimum(a: Number, b: Number) -> Scalar:
    """Return the expression for the smaller operand, NaN if either is NaN."""
    return binary(Op.MIN, a, b)


def maximum(a: Number, b: Number) -> Scalar:
    """Return the expression for the larger operand, NaN if either is NaN."""
    return binary(Op.MAX, a, b)


def select(condition: Number, then: Number, other: Number) -> Scalar:
    """Return the expression that is `then` if the condition holds, else `other`.

    Loads of the operand that is not chosen do not happen, so they may be out of bounds.
    """
    then, other = lift_both(then, other)
    condition = lift(condition, bool_)
    if isinstance(condition, Const):
        return then if condition.value else other
    return then if then is other else Select(condition, then, other)


def cast(operand: Scalar, dtype: DType) -> Scalar:
    """Return the operand converted to `dtype`."""
    return operand if operand.dtype is dtype else Cast(operand, dtype)
