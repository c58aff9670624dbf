"""Integer arithmetic that understands loops: sums of multiples of variables, and their ranges.

Every index is brought to one form, `c + c1 * v1 + c2 * v2 + …`, in which equal indices are the same
object and differences cancel. The `v` are variables, or expressions that are not sums: floor
divisions and remainders by constants, minima, loads.
"""

from math import gcd
from typing import TypeAlias

from relay.kernels.scalar import Binary, Cast, Const, Op, Scalar, Var, binary
from relay.support.dtype import Kind, bool_

Interval: TypeAlias = tuple[int, int]
ANYTHING: Interval = (-(2**63), 2**63 - 1)


class Affine:
    """The sum `const + Σ terms[v] * v`, in which no coefficient is 0; it is never changed."""

    __slots__ = ("const", "terms")

    def __init__(self, terms: dict[Scalar, int], const: int) -> None:
        self.terms = terms
        self.const = const

    def plus(self, other: "Affine", scale: int = 1) -> "Affine":
        """Return `self + scale * other`."""
        terms = dict(self.terms)
        for atom, factor in other.terms.items():
            total = terms.get(atom, 0) + scale * factor
            if total:
                terms[atom] = total
            else:
                terms.pop(atom, None)
        return Affine(terms, self.const + scale * other.const)

    def times(self, factor: int) -> "Affine":
        """Return `self * factor`."""
        if factor == 0:
            return Affine({}, 0)
        terms = {atom: factor * old for atom, old in self.terms.items()}
        return Affine(terms, factor * self.const)

    @property
    def is_constant(self) -> bool:
        """Whether there is no variable in it."""
        return not self.terms


class Arithmetic:
    """Normal forms and ranges of index expressions, memoised.

    A variable is bound by one loop only, so its range never changes and no memo ever expires.

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

    def declare(self, var: Var, low: int, high: int) -> None:
        """Say that a variable runs from `low` to `high`, both included."""
        self._ranges[var] = (low, high)

    def index(self, e: Scalar) -> Scalar:
        """Return the normal form of an int64 expression."""
        return e if isinstance(e, Const | Var) else self.scalar(self.affine(e))

    def affine(self, e: Scalar) -> Affine:
        """Return an int64 expression as a sum."""
        done = self._affine.get(e)
        if done is None:
            done = self._affine[e] = self._convert(e)
        return done

    def scalar(self, a: Affine) -> Scalar:
        """Return a sum as an expression; equal sums give the same object."""
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
        """Write positive terms first, then what is subtracted, then the constant."""
        total: Scalar | None = None
        const = a.const
        if all(factor < 0 for factor in a.terms.values()):
            total, const = Const(const), 0
        for atom in sorted(a.terms, key=lambda v: (a.terms[v] < 0, self._number(v))):
            part = atom * abs(a.terms[atom])
            if total is None:
                total = part
            else:
                total = binary(Op.ADD if a.terms[atom] > 0 else Op.SUB, total, part)
        assert total is not None
        return total + const if const >= 0 else total - (-const)

    def _convert(self, e: Scalar) -> Affine:
        if isinstance(e, Const):
            return Affine({}, int(e.value))
        if isinstance(e, Binary):
            return self._convert_binary(e)
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
            case Op.FLOORDIV if b.is_constant and b.const > 0:
                return self._divide(a, b.const)
            case Op.FLOORMOD if b.is_constant and b.const > 0:
                return self._remainder(a, b.const)
            case Op.MIN | Op.MAX:
                return self._extreme(e.op, a, b)
            case _:
                return self._opaque(Binary(e.op, self.scalar(a), self.scalar(b)))

    def _opaque(self, e: Scalar) -> Affine:
        return Affine({e: 1}, 0)

    def _extreme(self, op: Op, a: Affine, b: Affine) -> Affine:
        low, high = self.interval(a.plus(b, -1))
        if high <= 0:
            return a if op is Op.MIN else b
        if low >= 0:
            return b if op is Op.MIN else a
        return self._opaque(Binary(op, self.scalar(a), self.scalar(b)))

    def _divide(self, a: Affine, by: int) -> Affine:
        """Return `a // by`: what `by` divides is taken out, of the rest an atom is made."""
        whole, rest = _parted(a, by)
        low, high = self.interval(rest)
        if low // by == high // by:
            return whole.plus(Affine({}, low // by))
        blocks, _, size = self._blocks(rest, by)
        return whole.plus(self._quotient(blocks, by // size))

    def _quotient(self, a: Affine, by: int) -> Affine:
        """Return `a // by` for a sum from which nothing can be taken out."""
        inner = self.scalar(a)
        if isinstance(inner, Binary) and inner.op is Op.FLOORDIV and isinstance(inner.b, Const):
            return self._divide(self.affine(inner.a), int(inner.b.value) * by)
        return self._opaque(Binary(Op.FLOORDIV, inner, Const(by)))

    def _remainder(self, a: Affine, by: int) -> Affine:
        """Return `a mod by`."""
        _, rest = _parted(a, by)
        low, high = self.interval(rest)
        if low // by == high // by:
            return rest.plus(Affine({}, -(low // by) * by))
        blocks, inside, size = self._blocks(rest, by)
        atom = Binary(Op.FLOORMOD, self.scalar(blocks), Const(by // size))
        return inside.plus(Affine({atom: size}, 0))

    def _blocks(self, a: Affine, by: int) -> tuple[Affine, Affine, int]:
        """Return `q, r, n` with `a == n * q + r`, `n` a divisor of `by` and `r` in [0, n).

        A block that ends where one of `by` elements ends, such as the 16 in `(16 * i + j) // 48`,
        is as good as one element.
        """
        common = gcd(by, *a.terms.values())
        for size in sorted({gcd(by, factor) for factor in a.terms.values()} - {1}, reverse=True):
            blocks, inside = _parted(a, size)
            low, high = self.interval(inside)
            if size > common and low >= 0 and high < size < by:
                return blocks, inside, size
        blocks, inside = _parted(a, common)
        return blocks, inside, common

    def _merge(self, a: Affine) -> Affine:
        """Put `x mod c` and `c * (x // c)` together again wherever both stand in a sum."""
        for atom, factor in a.terms.items():
            if isinstance(atom, Binary) and atom.op is Op.FLOORMOD:
                quotient = self.affine(Binary(Op.FLOORDIV, atom.a, atom.b))
                by = self.affine(atom.b).const
                if quotient.const == 0 and all(
                    a.terms.get(v) == factor * by * k for v, k in quotient.terms.items()
                ):
                    rest = a.plus(Affine({atom: 1}, 0), -factor).plus(quotient, -factor * by)
                    return self._merge(rest.plus(self.affine(atom.a), factor))
        return a

    def interval(self, a: Affine) -> Interval:
        """Return the smallest and the largest value that a sum may have."""
        low = high = a.const
        for atom, factor in a.terms.items():
            least, most = self.range_of(atom)
            low += factor * (least if factor > 0 else most)
            high += factor * (most if factor > 0 else least)
        return low, high

    def range_of(self, atom: Scalar) -> Interval:
        """Return the smallest and the largest value of an expression that is no sum."""
        known = self._ranges.get(atom)
        if known is None:
            known = self._ranges[atom] = self._range(atom)
        return known

    def _range(self, atom: Scalar) -> Interval:
        match atom:
            case Binary(op=Op.FLOORDIV, a=a, b=Const(value=int() as by)) if by > 0:
                low, high = self.interval(self.affine(a))
                return low // by, high // by
            case Binary(op=Op.FLOORMOD, b=Const(value=int() as by)) if by > 0:
                return 0, by - 1
            case Binary(op=Op.MIN | Op.MAX as op, a=a, b=b):
                (l1, h1), (l2, h2) = (self.interval(self.affine(x)) for x in (a, b))
                choose = min if op is Op.MIN else max
                return choose(l1, l2), choose(h1, h2)
            case Cast(operand=operand) if operand.dtype is bool_:
                return 0, 1
            case Cast(operand=operand) if operand.dtype.kind is Kind.UINT:
                return 0, 2**operand.dtype.bits - 1
            case _:
                return ANYTHING


def _parted(a: Affine, by: int) -> tuple[Affine, Affine]:
    """Return `q, r` with `a == by * q + r`, as much as possible in `q`; 0 <= r.const < by."""
    whole = {v: k // by for v, k in a.terms.items() if k % by == 0}
    rest = {v: k for v, k in a.terms.items() if k % by}
    return Affine(whole, a.const // by), Affine(rest, a.const % by)
