"""Simplifies scalars: normal forms of indices, and comparisons decided by ranges.

>>> from relay.kernels.scalar import Var
>>> i, s = Var("i"), Simplifier()
>>> s.arithmetic.declare(i, 0, 9)
>>> s(i * 2 - i + 1 >= 1)
Const(value=True, dtype=bool)
"""

from math import gcd

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import Buffer, Load, MemoryScope
from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.passes.linear_sums import factors
from relay.kernels.scalar import (
    Binary,
    Compare,
    Const,
    Op,
    Order,
    Scalar,
    Select,
    Var,
    binary,
    cast,
)
from relay.support.dtype import bool_, int64

_DIVISIONS = (Op.FLOORDIV, Op.FLOORMOD)


class Simplifier:
    """A simplifier of scalar expressions that knows the ranges of loop variables, memoised."""

    def __init__(self) -> None:
        self.arithmetic = Arithmetic()
        self._memo: dict[Scalar, Scalar] = {}

    def __call__(self, e: Scalar) -> Scalar:
        """Return an equivalent expression that is no larger.

        It recurses on the depth of one expression, which is bounded.
        """
        if isinstance(e, Const | Var):
            return e
        done = self._memo.get(e)
        if done is None:
            done = self._memo[e] = self._simplify(e)
        return done

    def _simplify(self, e: Scalar) -> Scalar:
        if isinstance(e, Select):
            return self._select(e)
        parts = tuple(self(part) for part in e.parts)
        if any(new is not old for new, old in zip(parts, e.parts, strict=True)):
            e = e.with_parts(parts)
        if isinstance(e, Load):
            return Load(e.buffer, self.place(e.buffer, e.indices), e.mask)
        if isinstance(e, BoundsCheck) and self._is_inside(e):
            return self(cast(e.index, int64))
        if e.dtype is int64:
            return self.arithmetic.index(e)
        if isinstance(e, Compare) and e.a.dtype is int64:
            return self._compare(e)
        return e

    def _is_inside(self, e: BoundsCheck) -> bool:
        """Whether the ranges of variables prove that an index is within bounds."""
        arithmetic = self.arithmetic
        if e.dtype is not int64:
            return False
        index = arithmetic.affine(cast(e.index, int64))
        beyond = index.plus(arithmetic.affine(e.size), -1)
        return arithmetic.interval(index)[0] >= 0 and arithmetic.interval(beyond)[1] < 0

    def _select(self, e: Select) -> Scalar:
        """Return a simplified select; its condition comes first, because a branch may be dead."""
        condition = self(e.condition)
        if isinstance(condition, Const):
            return self(e.then if condition.value else e.other)
        return e.with_parts((condition, self(e.then), self(e.other)))

    def _compare(self, e: Compare) -> Scalar:
        """Return a simplified comparison: a constant if the ranges of variables decide it."""
        arithmetic = self.arithmetic
        a, b = arithmetic.affine(e.a), arithmetic.affine(e.b)
        decided = decide(e.order, *arithmetic.difference(a, b))
        are_exact = arithmetic.is_exact(a) and arithmetic.is_exact(b)
        if decided is None and e.order in (Order.EQ, Order.NE) and are_exact:
            decided = (e.order is Order.NE) if _never_zero(a.plus(b, -1)) else None
        return e if decided is None else Const(decided, bool_)

    def place(self, buffer: Buffer, indices: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        """Return the normal form of the indices of an access.

        An index over several dimensions (`x[f // 8, f % 8]`) becomes one over the last dimension
        (`x[0, f]`), which is the same address in a dense buffer. This is done whenever it reduces
        the number of divisions, or if conditions determine a dynamic dimension of the buffer,
        because the strides are then constants.
        """
        if any(i.dtype is not int64 for i in indices):
            return indices
        found = tuple(self.arithmetic.index(i) for i in indices)
        divisions = sum(map(self._divisions, found))
        is_pinned = any(map(self._is_pinned, buffer.shape[1:]))
        if (
            buffer.scope is MemoryScope.REGISTER
            or buffer.indirect_rows
            or not (divisions or is_pinned)
        ):
            return found
        flat = self._flat(buffer, found)
        if self._divisions(flat) >= divisions and not is_pinned:
            return found
        return (*(Const(0) for _ in indices[1:]), flat)

    def _is_pinned(self, size: int | Scalar) -> bool:
        """Whether a dynamic dimension has only one value where this code runs."""
        return not isinstance(size, int | Const) and self.arithmetic.affine(size).is_constant

    def _flat(self, buffer: Buffer, indices: tuple[Scalar, ...]) -> Scalar:
        flat: Scalar = Const(0)
        for size, index in zip(buffer.shape, indices, strict=True):
            flat = self.arithmetic.index(binary(Op.ADD, flat * size, index))
        return flat

    def _divisions(self, index: Scalar) -> int:
        """Return the number of divisions in an index, except those of sizes by sizes."""
        parts = [part for atom in self.arithmetic.affine(index).terms for part in factors(atom)]
        moving = [part for part in parts if not self.arithmetic.is_fixed(part)]
        return sum(isinstance(part, Binary) and part.op in _DIVISIONS for part in moving)


def decide(order: Order, low: int, high: int) -> bool | None:
    """Return True if `x order 0` for all x in [low, high], False if for none, else None."""
    match order:
        case Order.LT:
            return True if high < 0 else False if low >= 0 else None
        case Order.LE:
            return True if high <= 0 else False if low > 0 else None
        case Order.GT:
            return True if low > 0 else False if high <= 0 else None
        case Order.GE:
            return True if low >= 0 else False if high < 0 else None
        case Order.EQ:
            return True if low == high == 0 else False if low > 0 or high < 0 else None
        case Order.NE:
            equal = decide(Order.EQ, low, high)
            return None if equal is None else not equal


def _never_zero(a: Affine) -> bool:
    """Whether a sum is never 0: the gcd of its coefficients does not divide its constant."""
    common = gcd(*a.terms.values())
    return common > 1 and a.const % common != 0
