"""Affine arithmetic on indices: normal forms of linear sums of variables, and their ranges.

Every index is brought to one form, `c + c1 * v1 + c2 * v2 + …`, in which equal indices are the same
object and differences cancel. The `v` are variables, or expressions that are not sums: floor
divisions and remainders by constants, minima, loads. With sizes known only at run time, a `v` may
also be a product of sizes, or of a variable and sizes: the flat index of `x[i, j]` in a matrix of
`m` columns is `i * m + j`.

The machine computes such a sum modulo 2**64. Indices are small, but values computed from data may
wrap: a sum is compared or divided in this form only if it `is_exact`.
"""

import operator
from functools import reduce
from math import gcd

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import Load
from relay.kernels.passes.linear_sums import (
    ANYTHING,
    LARGEST_PLACE,
    LARGEST_SIZE,
    Affine,
    Interval,
    factors,
    parted,
    product_interval,
    without,
)
from relay.kernels.passes.symbolic_bounds import Limits
from relay.kernels.scalar import Binary, Cast, Const, Op, Scalar, Size, Var, total
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import Kind, bool_

__all__ = ["ANYTHING", "Affine", "Arithmetic", "Interval"]

_MANY = 8  # terms, which are subtracted together


class Arithmetic:
    """The normal forms and the ranges of index expressions, memoised.

    A variable is bound by one loop only, so its range never changes and no memo entry expires.

    >>> i, j, a = Var("i"), Var("j"), Arithmetic()
    >>> a.declare(j, 0, 15)
    >>> a.index((i * 16 + j) // 16) is i, a.index((i * 16 + j) % 16) is j
    (True, True)
    >>> a.index((i * 16 + j) // 48) is a.index(i // 3)
    True
    """

    def __init__(self) -> None:
        self._ranges: dict[Scalar, Interval] = {}
        self._affine: dict[Scalar, Affine] = {}
        self._scalars: dict[tuple[tuple[Scalar, int] | int, ...], Scalar] = {}
        self._order: dict[Scalar, int] = {}
        self._sizes: dict[Scalar, bool] = {}
        self._sized: dict[Scalar, bool] = {}
        self._data: dict[Scalar, bool] = {}
        self._limits = Limits()

    def declare(self, var: Var, low: int, high: int) -> None:
        """Record that a variable ranges from `low` to `high`, both included."""
        self._ranges[var] = (low, high)

    def limit(self, var: Var, least: Scalar, most: Scalar) -> None:
        """Record bounds in terms of sizes, both included, of a variable that is declared."""
        if self._has_size(least) or self._has_size(most):
            self._limits.declare(var, self.affine(least), self.affine(most))

    def bound(self, var: Var, least: Scalar, most: Scalar) -> None:
        """Declare a variable that ranges from `least` to `most`, which depend on sizes."""
        low, high = self.interval(self.affine(least))[0], self.interval(self.affine(most))[1]
        self.declare(var, low, max(low, high))
        self.limit(var, least, most)

    def index(self, e: Scalar) -> Scalar:
        """Return the normal form of an int64 expression."""
        return e if isinstance(e, Const | Var) else self.scalar(self.affine(e))

    def affine(self, e: Scalar) -> Affine:
        """Return an int64 expression as an affine sum."""
        done = self._affine.get(e)
        if done is None:
            done = self._affine[e] = self._convert(e)
        return done

    def scalar(self, a: Affine) -> Scalar:
        """Return an affine sum as an expression; equal sums give the same object."""
        if not a.terms:
            return Const(a.const)
        key = (*sorted(a.terms.items(), key=lambda term: self._number(term[0])), a.const)
        done = self._scalars.get(key)
        if done is None:
            done = self._scalars[key] = self._build(a)
        return done

    def _number(self, atom: Scalar) -> int:
        return self._order.setdefault(atom, len(self._order))

    def _build(self, a: Affine) -> Scalar:
        """Return a sum as an expression: positive terms, negative terms, then the constant."""
        atoms, const = sorted(a.terms, key=self._number), a.const
        added = [atom * a.terms[atom] for atom in atoms if a.terms[atom] > 0]
        taken = [atom * -a.terms[atom] for atom in atoms if a.terms[atom] < 0]
        if not added:
            added, const = [Const(const)], 0
        negative = taken if len(taken) < _MANY else [total(taken)]
        left = reduce(operator.sub, negative, total(added))
        return left + const if const >= 0 else left - (-const)

    def _convert(self, e: Scalar) -> Affine:
        if isinstance(e, Const):
            return Affine({}, int(e.value))
        if isinstance(e, Binary):
            return self._convert_binary(e)
        low, high = self._ranges.get(e, ANYTHING)
        if isinstance(e, Size) and low == high:
            return Affine({}, low)
        return Affine({e: 1}, 0)

    def _convert_binary(self, e: Binary) -> Affine:
        a, b = self.affine(e.a), self.affine(e.b)
        match e.op:
            case Op.ADD:
                return self._merge(a.plus(b))
            case Op.SUB:
                return self._merge(a.plus(b, -1))
            case Op.MUL if b.is_constant:
                return a.times(b.const)
            case Op.MUL if a.is_constant:
                return b.times(a.const)
            case Op.MUL if self.is_size(a) or self.is_size(b):
                return self._merge(self.product(a, b))
            case Op.FLOORDIV if b.is_constant and b.const > 0:
                return self._divide(a, b.const)
            case Op.FLOORMOD if b.is_constant and b.const > 0:
                return self._remainder(a, b.const)
            case Op.FLOORDIV | Op.FLOORMOD if self.is_size(b) and not b.is_constant:
                return self._divide_by_size(e.op, a, b)
            case Op.MIN | Op.MAX:
                return self._extreme(e.op, a, b)
            case _:
                return self._opaque(Binary(e.op, self.scalar(a), self.scalar(b)))

    def _opaque(self, e: Scalar) -> Affine:
        return Affine({e: 1}, 0)

    def _extreme(self, op: Op, a: Affine, b: Affine) -> Affine:
        low, high = self.difference(a, b)
        if high <= 0:
            return a if op is Op.MIN else b
        if low >= 0:
            return b if op is Op.MIN else a
        return self._opaque(Binary(op, self.scalar(a), self.scalar(b)))

    def _divide(self, a: Affine, by: int) -> Affine:
        """Return `a // by`: multiples of `by` are divided exactly, the rest becomes an atom.

        A difference `x - x mod by` is such a multiple.
        """
        whole, rest = parted(self._with_multiples(a, by), by)
        if not (self.is_exact(a) and self.is_exact(rest)):
            return self._opaque(Binary(Op.FLOORDIV, self.scalar(a), Const(by)))
        low, high = self.interval(rest)
        if low // by == high // by:
            return whole.plus(Affine({}, low // by))
        blocks, _, size = self._blocks(rest, by)
        return whole.plus(self._quotient(blocks, by // size))

    def _with_multiples(self, a: Affine, by: int) -> Affine:
        """Return a sum with `by * (x // by)` in place of `x - x mod by`."""
        for atom, factor in a.terms.items():
            match atom:
                case Binary(op=Op.FLOORMOD, a=part, b=Const(value=value)) if value == by:
                    x = self.affine(part)
                    if x.terms and all(a.terms.get(v) == -factor * k for v, k in x.terms.items()):
                        quotient = self.affine(Binary(Op.FLOORDIV, part, Const(by)))
                        rest = a.plus(Affine({atom: 1}, 0), -factor).plus(x, factor)
                        return self._with_multiples(rest.plus(quotient, -factor * by), by)
                case _:
                    pass
        return a

    def _quotient(self, a: Affine, by: int) -> Affine:
        """Return `a // by` for a sum without multiples of `by`; nested divisions are merged."""
        inner = self.scalar(a)
        if isinstance(inner, Binary) and inner.op is Op.FLOORDIV and isinstance(inner.b, Const):
            return self._divide(self.affine(inner.a), int(inner.b.value) * by)
        return self._opaque(Binary(Op.FLOORDIV, inner, Const(by)))

    def _remainder(self, a: Affine, by: int) -> Affine:
        """Return the remainder `a mod by`, simplified."""
        _, rest = parted(a, by)
        if not (self.is_exact(a) and self.is_exact(rest)):
            return self._opaque(Binary(Op.FLOORMOD, self.scalar(a), Const(by)))
        low, high = self.interval(rest)
        if low // by == high // by:
            return rest.plus(Affine({}, -(low // by) * by))
        blocks, inside, size = self._blocks(rest, by)
        atom = Binary(Op.FLOORMOD, self.scalar(blocks), Const(by // size))
        return inside.plus(Affine({atom: size}, 0))

    def _blocks(self, a: Affine, by: int) -> tuple[Affine, Affine, int]:
        """Return `q, r, n` with `a == n * q + r`, `n` a divisor of `by` and `r` in [0, n).

        A block whose end is aligned with the blocks of `by` elements, such as the 16 in `(16 * i +
        j) // 48`, can be treated as one element.
        """
        common = gcd(by, *a.terms.values())
        for size in sorted({gcd(by, factor) for factor in a.terms.values()} - {1}, reverse=True):
            blocks, inside = parted(a, size)
            low, high = self.interval(inside)
            if size > common and low >= 0 and high < size < by:
                return blocks, inside, size
        blocks, inside = parted(a, common)
        return blocks, inside, common

    def is_size(self, a: Affine) -> bool:
        """Whether a sum depends only on sizes, so that it is constant during a kernel call."""
        return all(self.is_fixed(atom) for atom in a.terms)

    def is_fixed(self, atom: Scalar) -> bool:
        """Whether a non-sum expression (an atom) depends only on sizes."""
        known = self._sizes.get(atom)
        if known is None:
            leaves = [part for part in walk(atom) if not part.parts]
            known = self._sizes[atom] = all(isinstance(leaf, Size | Const) for leaf in leaves)
        return known

    def _has_size(self, atom: Scalar) -> bool:
        known = self._sized.get(atom)
        if known is None:
            known = self._sized[atom] = any(isinstance(part, Size) for part in walk(atom))
        return known

    def cofactor(self, atom: Scalar, factor: Scalar) -> Affine:
        """Return the product `atom` without one `factor` of it; 1 if there are no other factors."""
        left = without(factors(atom), [factor])
        assert left is not None, "it is a factor of the product"
        return Affine({reduce(self._multiplied, left): 1}, 0) if left else Affine({}, 1)

    def product(self, a: Affine, b: Affine) -> Affine:
        """Return the product of two sums, expanded."""
        total = Affine({}, a.const * b.const)
        for atom, factor in a.terms.items():
            total = total.plus(Affine({atom: factor}, 0), b.const)
            for other, by in b.terms.items():
                total = total.plus(Affine({self._multiplied(atom, other): 1}, 0), factor * by)
        return total.plus(Affine(dict(b.terms), 0), a.const)

    def _multiplied(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the product of two atoms, with factors in a canonical order."""
        parts = sorted([*factors(a), *factors(b)], key=self._number)
        return reduce(lambda x, y: Binary(Op.MUL, x, y), parts)

    def _divide_by_size(self, op: Op, a: Affine, b: Affine) -> Affine:
        """Return the quotient or remainder by a size, whose multiples are divided exactly."""
        whole, rest = self._multiples(a, b)
        if not (self.is_exact(a) and self.is_exact(rest)):
            return self._opaque(Binary(op, self.scalar(a), self.scalar(b)))
        low, _ = self.interval(rest)
        if low >= 0 and self.interval(rest.plus(b, -1))[1] < 0:
            return whole if op is Op.FLOORDIV else rest
        atom = Affine({Binary(op, self.scalar(rest), self.scalar(b)): 1}, 0)
        return whole.plus(atom) if op is Op.FLOORDIV else atom

    def _multiples(self, a: Affine, b: Affine) -> tuple[Affine, Affine]:
        """Return `q, r` with `a == b * q + r`; `r` has no term that is a multiple of `b`."""
        if len(b.terms) != 1 or b.const:
            return Affine({}, 0), a
        ((divisor, by),) = b.terms.items()
        whole, rest = Affine({}, 0), Affine({}, a.const)
        for atom, factor in a.terms.items():
            left = without(factors(atom), factors(divisor))
            if left is None or factor % by:
                rest = rest.plus(Affine({atom: factor}, 0))
            elif left:
                quotient = reduce(self._multiplied, left)
                whole = whole.plus(Affine({quotient: factor // by}, 0))
            else:
                whole = whole.plus(Affine({}, factor // by))
        return whole, rest

    def _most_blocks(self, a: Scalar, size: Scalar) -> int:
        """Return an upper bound of `a // size` if `a` is below a multiple of `size`.

        If no such multiple is found, the result is the largest integer.
        """
        raised = self._limits.raised(self, self.affine(a))
        if raised is None:
            return ANYTHING[1]
        whole, rest = self._multiples(raised, self.affine(size))
        return whole.const - 1 if whole.is_constant and self.interval(rest)[1] < 0 else ANYTHING[1]

    def _merge(self, a: Affine) -> Affine:
        """Combine `x mod c` and `c * (x // c)` into `x` wherever a sum contains both."""
        for atom, factor in a.terms.items():
            if isinstance(atom, Binary) and atom.op is Op.MUL:
                merged = self._merge_product(a, atom, factor)
                if merged is not None:
                    return self._merge(merged)
            elif isinstance(atom, Binary) and atom.op is Op.FLOORMOD and self._varies(atom.b):
                merged = self._merge_remainder(a, atom, Affine({}, 1), factor)
                if merged is not None:
                    return self._merge(merged)
            elif isinstance(atom, Binary) and atom.op is Op.FLOORMOD:
                quotient = self.affine(Binary(Op.FLOORDIV, atom.a, atom.b))
                by = self.affine(atom.b).const
                if quotient.const == 0 and all(
                    a.terms.get(v) == factor * by * k for v, k in quotient.terms.items()
                ):
                    rest = a.plus(Affine({atom: 1}, 0), -factor).plus(quotient, -factor * by)
                    return self._merge(rest.plus(self.affine(atom.a), factor))
        return a

    def _varies(self, divisor: Scalar) -> bool:
        return not isinstance(divisor, Const)

    def _merge_product(self, a: Affine, atom: Scalar, factor: int) -> Affine | None:
        """Return a sum in which a remainder in a product is combined with its quotient."""
        parts = factors(atom)
        for place, part in enumerate(parts):
            if isinstance(part, Binary) and part.op is Op.FLOORMOD:
                others = reduce(self._multiplied, [*parts[:place], *parts[place + 1 :]])
                merged = self._merge_remainder(a, part, Affine({others: 1}, 0), factor)
                if merged is not None:
                    return merged
        return None

    def _merge_remainder(
        self, a: Affine, remainder: Binary, others: Affine, factor: int
    ) -> Affine | None:
        """Return `a` with `others * (x mod c) + others * c * (x // c)` as `others * x`, or None."""
        quotient = self.affine(Binary(Op.FLOORDIV, remainder.a, remainder.b))
        multiple = self.product(others, self.product(quotient, self.affine(remainder.b)))
        if any(a.terms.get(v) != factor * k for v, k in multiple.terms.items()):
            return None
        part = self.product(others, Affine({remainder: 1}, 0))
        rest = a.plus(part, -factor).plus(multiple, -factor)
        return rest.plus(self.product(others, self.affine(remainder.a)), factor)

    def is_exact(self, a: Affine) -> bool:
        """Whether a sum equals the machine's result, which may wrap if it depends on data."""
        low = high = a.const
        for atom, factor in a.terms.items():
            least, most = product_interval(self.range_of(atom), (factor, factor))
            if not (self._is_data(atom) or self._may_be_place(atom)):  # an unbounded index
                least, most = max(least, -LARGEST_PLACE), min(most, LARGEST_PLACE)
            low, high = low + least, high + most
        return _is_int64((low, high))

    def _is_data(self, atom: Scalar) -> bool:
        """Whether an atom is computed from data, so that it may be arbitrarily large.

        Indices of rows do not count.
        """
        known = self._data.get(atom)
        if known is None:
            known = self._data[atom] = self._may_be_large(atom)
        return known

    def _may_be_large(self, atom: Scalar) -> bool:
        if not any(isinstance(part, Load) for part in walk(atom)):
            is_product = isinstance(atom, Binary) and atom.op is Op.MUL
            return is_product and not self._has_size(atom)
        moving = [part for part in factors(atom) if not self.is_fixed(part)]
        is_row = self._has_size(atom) and len(moving) == 1 and moving[0] is not atom
        return not (is_row and self._may_be_place(moving[0]))

    def _may_be_place(self, atom: Scalar) -> bool:
        low, high = self.range_of(atom)
        return low >= -LARGEST_SIZE and high <= LARGEST_SIZE

    def difference(self, a: Affine, b: Affine) -> Interval:
        """Return the smallest and the largest possible value of `a - b`."""
        if not (self.is_exact(a) and self.is_exact(b)):
            return ANYTHING
        return self.interval(a.plus(b, -1))

    def interval(self, a: Affine) -> Interval:
        """Return the smallest and the largest possible value of a sum."""
        if not self.is_exact(a):
            return ANYTHING
        low, high = self.plain_interval(a)
        if any(map(self._has_size, a.terms)):
            low, high = max(low, self._limits.least(self, a)), min(high, self._limits.most(self, a))
        return low, high

    def plain_interval(self, a: Affine) -> Interval:
        """Return bounds of a sum from the ranges of its atoms, as if these were independent."""
        low = high = a.const
        for atom, factor in a.terms.items():
            least, most = self.range_of(atom)
            low += factor * (least if factor > 0 else most)
            high += factor * (most if factor > 0 else least)
        return low, high

    def range_of_sum(self, e: Scalar) -> Interval:
        """Return the smallest and the largest possible value of an int64 expression."""
        return self.interval(self.affine(e))

    def range_of(self, atom: Scalar) -> Interval:
        """Return the smallest and the largest possible value of an atom (not a sum)."""
        known = self._ranges.get(atom)
        if known is None:
            known = self._ranges[atom] = self._range(atom)
        return known

    def _range(self, atom: Scalar) -> Interval:
        match atom:
            case Size():
                return 0, LARGEST_SIZE
            case BoundsCheck(size=size):
                return 0, max(0, self.range_of_sum(size)[1] - 1)
            case Binary(op=Op.FLOORDIV, a=a, b=Const(value=int() as by)) if by > 0:
                low, high = self.interval(self.affine(a))
                return low // by, high // by
            case Binary(op=Op.MUL, a=a, b=b):
                found = product_interval(*(self.interval(self.affine(x)) for x in (a, b)))
                return found if _is_int64(found) or not self._is_data(atom) else ANYTHING
            case Binary(op=Op.FLOORMOD, b=Const(value=int() as by)) if by > 0:
                return 0, by - 1
            case Binary(op=Op.FLOORDIV, a=a, b=b) if self.range_of_sum(b)[0] >= 0:
                low, high = self.range_of_sum(a)
                return min(0, low), max(0, min(high, self._most_blocks(a, b)))
            case Binary(op=Op.FLOORMOD, b=b) if self.range_of_sum(b)[0] >= 0:
                return 0, max(0, self.range_of_sum(b)[1] - 1)
            case Binary(op=Op.MIN | Op.MAX as op, a=a, b=b):
                (l1, h1), (l2, h2) = (self.interval(self.affine(x)) for x in (a, b))
                choose = min if op is Op.MIN else max
                return choose(l1, l2), choose(h1, h2)
            case Cast(operand=operand) if operand.dtype is bool_:
                return 0, 1
            case Cast(operand=operand) if operand.dtype.kind is Kind.UINT:
                return 0, 2**operand.dtype.bits - 1
            case Cast(operand=operand) if operand.dtype.kind is Kind.INT:
                return -(2 ** (operand.dtype.bits - 1)), 2 ** (operand.dtype.bits - 1) - 1
            case _:
                return ANYTHING


def _is_int64(interval: Interval) -> bool:
    return ANYTHING[0] <= interval[0] and interval[1] <= ANYTHING[1]
