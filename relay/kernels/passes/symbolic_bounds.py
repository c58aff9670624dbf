"""Bounds of sums over symbolic sizes: `i < n` is true if `i` runs below `n`, for every `n`.

A variable whose loop has a symbolic extent has its limit as a sum of sizes. In the bound of a sum,
such a variable is replaced by its limit, and a floor division by its dividend; after cancellation
the bound is a number.
"""

from itertools import product
from typing import Protocol

from relay.kernels.passes.linear_sums import Affine, Interval
from relay.kernels.scalar import Binary, Const, Op, Scalar

_STEPS = 12  # atoms to replace before giving up


class Sums(Protocol):
    """The interface of index arithmetic on which symbolic bounds depend."""

    def affine(self, e: Scalar) -> Affine:
        """Return an expression as a linear sum."""
        ...

    def plain_interval(self, a: Affine) -> Interval:
        """Return bounds of a sum from the ranges of its variables, as if independent."""
        ...


class Limits:
    """The symbolic limits of variables whose loops run up to a size.

    `sums` is the arithmetic that holds these limits; they do not refer to it in turn, so that both
    are freed without the cyclic collector.
    """

    def __init__(self) -> None:
        self._least: dict[Scalar, Affine] = {}
        self._most: dict[Scalar, Affine] = {}

    def declare(self, var: Scalar, least: Affine, most: Affine) -> None:
        """Record linear sums that bound a variable from below and above, both included."""
        self._least[var], self._most[var] = least, most

    def most(self, sums: Sums, a: Affine) -> int:
        """Return an integer that is an upper bound of a linear sum."""
        best = sums.plain_interval(a)[1]
        for _ in range(_STEPS):
            raised = self._paired(sums, a) or self.raised(sums, a)
            if raised is None:
                break
            a = raised
            best = min(best, sums.plain_interval(a)[1])
        return best

    def least(self, sums: Sums, a: Affine) -> int:
        """Return an integer that is a lower bound of a linear sum."""
        return -self.most(sums, a.times(-1))

    def raised(self, sums: Sums, a: Affine) -> Affine | None:
        """Return an upper bound of a sum, made by replacing one of its atoms by the atom's limit.

        Return None if no atom has a limit.
        """
        for atom in reversed(a.terms):
            factor = a.terms[atom]
            limit = self._limit(sums, atom, factor)
            if limit is not None:
                return a.plus(Affine({atom: 1}, 0), -factor).plus(limit)
        return None

    def _limit(self, sums: Sums, atom: Scalar, factor: int) -> Affine | None:
        """Return a linear sum that is an upper bound of `factor * atom`, if known."""
        known = (self._most if factor > 0 else self._least).get(atom)
        if known is not None:
            return known.times(factor)
        match atom:
            case Binary(op=Op.FLOORDIV, a=a, b=Const(value=int() as by)) if by and not factor % by:
                whole = sums.affine(a).times(factor // by)
                return whole if factor > 0 else whole.plus(Affine({}, -(factor // by) * (by - 1)))
            case _:
                return None

    def _paired(self, sums: Sums, a: Affine) -> Affine | None:
        """Return an upper bound of a sum in which two quotients are combined, or None.

        `m * (x // (c * m))` is at most `x // c`, and `x // c - (x + d) // c` at most `-d / c`,
        rounded up.
        """
        quotients = [atom for atom in a.terms if _divisor(atom)]
        for high, low in product(quotients, quotients):
            factor = a.terms[high]
            times, rest = divmod(_divisor(high), _divisor(low))
            if high is low or rest or factor <= 0 or factor % times or a.terms[low] >= 0:
                continue
            apart = _difference_of_dividends(sums, high, low)
            if apart is None or (times > 1 and apart > 0):
                continue
            more = -(-apart // _divisor(low)) if times == 1 else 0
            instead = Affine({low: factor // times}, factor * more)
            return a.plus(Affine({high: factor}, 0), -1).plus(instead)
        return None


def _difference_of_dividends(sums: Sums, high: Scalar, low: Scalar) -> int | None:
    """Return the dividend of the quotient `high` minus that of `low`, or None if it varies."""
    a, b = (sums.affine(one.parts[0]) for one in (high, low))
    difference = a.plus(b, -1)
    return difference.const if difference.is_constant else None


def _divisor(atom: Scalar) -> int:
    """Return the constant divisor of a quotient; 0 for other atoms."""
    match atom:
        case Binary(op=Op.FLOORDIV, b=Const(value=int() as by)):
            return by
        case _:
            return 0
