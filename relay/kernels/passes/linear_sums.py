"""Linear sums of variables as immutable values, and arithmetic on integer intervals."""

from typing import TypeAlias

from relay.kernels.scalar import Binary, Op, Scalar
from relay.support.dtype import int64

Interval: TypeAlias = tuple[int, int]
ANYTHING: Interval = (-(2**63), 2**63 - 1)
LARGEST_SIZE = 2**40  # of a dimension: larger tensors do not fit in memory
LARGEST_PLACE = 2**50  # of an element's flat index, and of the terms that it is computed from
LARGEST_ROOM = 2**24  # a larger bound comes from that of a dimension and is useless


class Affine:
    """An immutable sum `const + Σ terms[v] * v`, in which no coefficient is 0."""

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
        """Whether the sum has no variables."""
        return not self.terms


def parted(a: Affine, by: int) -> tuple[Affine, Affine]:
    """Return `q, r` with `a == by * q + r`: `r` has the terms that `by` does not divide.

    The constant of `r` is at least 0 and less than `by`.
    """
    whole = {v: k // by for v, k in a.terms.items() if k % by == 0}
    rest = {v: k for v, k in a.terms.items() if k % by}
    return Affine(whole, a.const // by), Affine(rest, a.const % by)


def factors(atom: Scalar) -> list[Scalar]:
    """Return the factors of a product; an atom that is not a product is its only factor.

    It recurses on the number of factors, which is small.
    """
    if isinstance(atom, Binary) and atom.op is Op.MUL and atom.dtype is int64:
        return [*factors(atom.a), *factors(atom.b)]
    return [atom]


def without(whole: list[Scalar], parts: list[Scalar]) -> list[Scalar] | None:
    """Return the factors `whole` without `parts`; None if one of these is missing."""
    left = list(whole)
    for part in parts:
        if part not in left:
            return None
        left.remove(part)
    return left


def product_interval(a: Interval, b: Interval) -> Interval:
    """Return the bounds of a product of numbers from two intervals."""
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)
