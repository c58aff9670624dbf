"""Dimensions of tensors: integers, symbolic names and arithmetic over them, and `Any`.

A symbolic dimension is a polynomial in normal form, so that `n + n` and `2 * n` are the same
object and equality of shapes is identity of dimensions. What is not a polynomial (a floor division,
a maximum) is an *atom* inside one. `ANY` is a dimension about which nothing is known; it absorbs
whatever it is combined with.

>>> n = DimVar("n")
>>> (n + 1) * 2 - 2 is 2 * n
True
>>> (4 * n) // 2 is 2 * n
True
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import gcd, prod
from reprlib import repr as short
from typing import ClassVar, TypeAlias

from relay.support.errors import TypeError_
from relay.support.node import Value, value


class Symbolic(Value):
    """The base of dimensions that are not integers; they add, multiply and floor-divide.

    What is no dimension (a scalar expression of a kernel) does the arithmetic itself.
    """

    __slots__ = ()

    def __add__(self, other: "Dim") -> "Dim":
        return add(self, other) if _is_dim(other) else NotImplemented

    __radd__ = __add__

    def __mul__(self, other: "Dim") -> "Dim":
        return multiply(self, other) if _is_dim(other) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> "Dim":
        return multiply(-1, self)

    def __sub__(self, other: "Dim") -> "Dim":
        if not _is_dim(other):
            return NotImplemented
        return add(self, multiply(-1, other))

    def __rsub__(self, other: int) -> "Dim":
        return add(other, -self)

    def __floordiv__(self, other: "Dim") -> "Dim":
        return floor_divide(self, other) if _is_dim(other) else NotImplemented

    def __rfloordiv__(self, other: int) -> "Dim":
        return floor_divide(other, self)

    def __mod__(self, other: "Dim") -> "Dim":
        if not _is_dim(other):
            return NotImplemented
        return self - other * floor_divide(self, other)

    def __rmod__(self, other: int) -> "Dim":
        return other - self * floor_divide(other, self)


Dim: TypeAlias = int | Symbolic
Shape: TypeAlias = tuple[Dim, ...]


def _is_dim(operand: object) -> bool:
    """Whether a dimension can be computed with it; it may be anything that stands in a sum."""
    return isinstance(operand, int | Symbolic)


@value
class AnyDim(Symbolic):
    """A dimension that is known only at run time and shares its size with nobody."""

    def __str__(self) -> str:
        return "?"


@value
class DimVar(Symbolic):
    """A symbolic dimension; equal names mean equal sizes within one program."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            message = f"the name of a size is a string, not {short(self.name)}"
            raise TypeError_("T007", message, help='write relay.DimVar("n")')

    def __str__(self) -> str:
        return self.name


@value
class FloorDiv(Symbolic):
    """`numerator // denominator` where the division is not known to be exact."""

    numerator: Dim
    denominator: Dim

    def __str__(self) -> str:
        return f"floordiv({self.numerator}, {self.denominator})"


@value
class Maximum(Symbolic):
    """The larger of two dimensions."""

    left: Dim
    right: Dim

    def __str__(self) -> str:
        return f"max({self.left}, {self.right})"


_Listed: TypeAlias = tuple[tuple[int, tuple[Symbolic, ...]], ...]


@value
class Polynomial(Symbolic):
    """A sum of terms: a coefficient times a sorted product of atoms (none: a constant)."""

    terms: _Listed
    is_exact: ClassVar[bool] = True

    def __str__(self) -> str:
        return " + ".join(_term(*term) for term in self.terms)


ANY = AnyDim()

_Terms: TypeAlias = dict[tuple[Symbolic, ...], int]

_REMEMBERED = 1 << 12
"""So many answers about sizes are kept: the same few sizes are asked about all over a program."""


def _term(coefficient: int, atoms: tuple[Symbolic, ...]) -> str:
    factors = [] if coefficient == 1 and atoms else [str(coefficient)]
    return " * ".join(factors + [str(atom) for atom in atoms])


def _terms(dim: Dim) -> _Terms:
    match dim:
        case int():
            return {(): dim} if dim else {}
        case Polynomial(terms):
            return {atoms: coefficient for coefficient, atoms in terms}
        case _:
            return {(dim,): 1}


@lru_cache(maxsize=_REMEMBERED)
def _place(atoms: tuple[Symbolic, ...]) -> tuple[int, list[str]]:
    """Return what a term is sorted by: long products first, then by name."""
    return -len(atoms), [str(atom) for atom in atoms]


def _normal(terms: _Terms) -> Dim:
    present = ((c, atoms) for atoms, c in terms.items() if c)
    kept = sorted(present, key=lambda term: _place(term[1]))
    match kept:
        case []:
            return 0
        case [(c, ())]:
            return c
        case [(1, (atom,))]:
            return atom
        case _:
            return Polynomial(tuple(kept))


def add(a: Dim, b: Dim) -> Dim:
    """Return `a + b` in normal form."""
    return a + b if isinstance(a, int) and isinstance(b, int) else total((a, b))


def total(dims: Iterable[Dim]) -> Dim:
    """Return the sum of dimensions in normal form; the empty sum is 0.

    >>> n = DimVar("n")
    >>> str(total((n, 2, n, 1)))
    '2 * n + 3'
    """
    terms: _Terms = {}
    for dim in dims:
        if dim is ANY:
            return ANY
        for atoms, coefficient in _terms(dim).items():
            terms[atoms] = terms.get(atoms, 0) + coefficient
    return _normal(terms)


def multiply(a: Dim, b: Dim) -> Dim:
    """Return `a * b` in normal form; zero times anything is zero."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    if a is ANY or b is ANY:
        return ANY
    terms: _Terms = {}
    for left, c in _terms(a).items():
        for right, d in _terms(b).items():
            atoms = tuple(sorted(left + right, key=str))
            terms[atoms] = terms.get(atoms, 0) + c * d
    return _normal(terms)


def floor_divide(a: Dim, b: Dim) -> Dim:
    """Return `a // b`; what divides exactly is taken out, the rest stays symbolic.

    >>> n = DimVar("n")
    >>> str((2 * n + 3) // 2), str((n // 2) // 2)
    ('n + 1', 'floordiv(n, 4)')

    Raises `T015` for a division by zero.
    """
    if b == 0:
        raise TypeError_("T015", "a size is divided by zero")
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if b == 1:
        return a
    if a is ANY or b is ANY:
        return ANY
    if a is b:
        return 1
    quotient = _exact_quotient(_terms(a), _terms(b))
    if quotient is not None:
        return quotient
    return _floor_divide_by_number(a, b) if isinstance(b, int) and b > 0 else FloorDiv(a, b)


def _floor_divide_by_number(a: Dim, b: int) -> Dim:
    """Use `(b * x + r) // b = x + r // b` and `(x // c) // b = x // (c * b)`."""
    whole: _Terms = {}
    rest: _Terms = {}
    for atoms, c in _terms(a).items():
        is_split = not atoms or c % b == 0
        whole[atoms] = c // b if is_split else 0
        rest[atoms] = c % b if is_split else c
    remaining = _normal(rest)
    match remaining:
        case int():
            return _normal(whole)
        case FloorDiv(inner, int() as c) if c > 0:
            return add(_normal(whole), floor_divide(inner, c * b))
        case _:
            return add(_normal(whole), FloorDiv(remaining, b))


def _exact_quotient(numerator: _Terms, denominator: _Terms) -> Dim | None:
    """Divide by a single term, or give up with None."""
    if len(denominator) != 1:
        return None
    ((divisor, d),) = denominator.items()
    result: _Terms = {}
    for atoms, c in numerator.items():
        rest = list(atoms)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if c % d:
            return None
        result[tuple(rest)] = c // d
    return _normal(result)


def maximum(a: Dim, b: Dim) -> Dim:
    """Return the larger dimension, symbolic when that is not known.

    Beside a number it is written as an excess over that number, so that equal ones are one object.

    >>> n = DimVar("n")
    >>> maximum(n + 1, 1) is n + 1
    True
    >>> maximum(n, 1) - 1 is maximum(n - 1, 0)
    True
    >>> maximum(maximum(n - 1, 0) - 1, 0) is maximum(n - 2, 0)
    True
    """
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    if a is ANY or b is ANY:
        return ANY
    if _is_natural(a - b):
        return a
    if _is_natural(b - a):
        return b
    for one, other in ((a, b), (b, a)):
        for left, right in _alternatives(one):
            if _is_natural(other - right):
                return maximum(left, other)
            if _is_natural(other - left):
                return maximum(right, other)
    if isinstance(a, int):
        a, b = b, a
    return add(Maximum(a - b, 0), b) if isinstance(b, int) else Maximum(a, b)


_DECIDED = 5
"""So many maxima are taken apart to compare two dimensions: the work doubles with each."""


@lru_cache(maxsize=_REMEMBERED)
def lower_bound(dim: Dim) -> int | None:
    """Return a number that a dimension is never below, since symbols are never below 0.

    None where there is no such number, or none is found; a better one may exist.

    >>> n = DimVar("n")
    >>> lower_bound(2 * n + 3), lower_bound(n - maximum(n - 2, 0)), lower_bound(-n)
    (3, 0, None)
    """
    return _lower_bound(dim, _DECIDED)


def _lower_bound(dim: Dim, depth: int) -> int | None:
    """Bound a dimension; recursion is on how deep it nests, and on the maxima in it."""
    match dim:
        case int():
            return dim
        case DimVar():
            return 0
        case FloorDiv(a, int() as b) if b > 0:
            least = _lower_bound(a, depth)
            return None if least is None else least // b
        case Maximum(a, b):
            return _largest(_lower_bound(a, depth), _lower_bound(b, depth))
        case Polynomial(terms):
            simple = _bound_of_terms(terms, depth)
            return _bound_of_choices(terms, depth - 1) if simple is None and depth else simple
        case _:
            return None


def _bound_of_terms(terms: _Listed, depth: int) -> int | None:
    """Add up what the terms are at least; something that is subtracted has no end."""
    least_of_all = 0
    for coefficient, atoms in terms:
        least = [_lower_bound(atom, depth) for atom in atoms]
        known = [each for each in least if each is not None and each >= 0]
        if len(known) < len(atoms) or (atoms and coefficient < 0):
            return None
        least_of_all += coefficient * prod(known)
    return least_of_all


def _bound_of_choices(terms: _Listed, depth: int) -> int | None:
    """Try both sides of one maximum in a sum: added, the better one counts, else the worse."""
    dim = Polynomial(terms)
    for coefficient, atoms in terms:
        match atoms:
            case (Maximum(a, b) as either,):
                rest = dim - coefficient * either
                left, right = (_lower_bound(rest + coefficient * x, depth) for x in (a, b))
                if coefficient > 0:
                    return _largest(left, right)
                return None if left is None or right is None else min(left, right)
            case _:
                continue
    return None


def _largest(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def _is_natural(dim: Dim) -> bool:
    """Whether a dimension is surely not negative."""
    least = lower_bound(dim)
    return least is not None and least >= 0


def _alternatives(dim: Dim) -> Iterable[tuple[Dim, Dim]]:
    """Yield the pairs of which a dimension is the larger: those of each maximum in its sum."""
    for atoms, coefficient in _terms(dim).items():
        match atoms:
            case (Maximum(a, b) as either,) if coefficient == 1:
                rest = dim - either
                yield rest + a, rest + b
            case _:
                continue


def may_be_one(dim: Dim) -> bool:
    """Whether a dimension is 1 for some sizes, as far as is seen.

    It never is where it is too large, or where its symbols come in multiples that miss 1.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> [may_be_one(dim) for dim in (n, n + m, 2 * n + 3, n + 2, 2 * n, 6 * n - 2 * m, 3)]
    [True, True, False, False, False, False, False]
    """
    least = lower_bound(dim) if dim is not ANY else 0
    if isinstance(dim, int) or (least is not None and least > 1):
        return dim == 1
    rest = _terms(dim).get((), 0)
    step = gcd(*(coefficient for atoms, coefficient in _terms(dim).items() if atoms))
    return (1 - rest) % step == 0


def unless_one(dim: Dim, other: Dim) -> Dim:
    """Return a dimension, or the other one where it is 1; it is not negative.

    >>> n = DimVar("n")
    >>> [substitute(unless_one(n, n + 4), {n: size}) for size in (0, 1, 2, 7)]
    [0, 5, 2, 7]
    >>> unless_one(n + 2, 4) is n + 2
    True
    """
    is_one = maximum(2 - dim, 0) - 2 * maximum(1 - dim, 0)
    return dim + is_one * (other - 1) if may_be_one(dim) else dim


def product(dims: Iterable[Dim]) -> Dim:
    """Multiply dimensions; the empty product is 1."""
    result: Dim = 1
    for dim in dims:
        result = multiply(result, dim)
    return result


def substitute(dim: Dim, sizes: Mapping[DimVar, Dim]) -> Dim:
    """Replace symbolic names by sizes (or by other dimensions) and compute what then can be."""
    match dim:
        case int() | AnyDim():
            return dim
        case DimVar():
            return sizes.get(dim, dim)
        case FloorDiv(a, b):
            return floor_divide(substitute(a, sizes), substitute(b, sizes))
        case Maximum(a, b):
            return maximum(substitute(a, sizes), substitute(b, sizes))
        case Polynomial(terms):
            return total(
                multiply(c, product(substitute(atom, sizes) for atom in atoms))
                for c, atoms in terms
            )
        case _:
            raise AssertionError(f"not a dimension: {dim!r}")


def variables(dim: Dim) -> frozenset[DimVar]:
    """Return the symbolic names that a dimension is computed from."""
    match dim:
        case DimVar():
            return frozenset((dim,))
        case FloorDiv(a, b) | Maximum(a, b):
            return variables(a) | variables(b)
        case Polynomial(terms):
            return frozenset[DimVar]().union(
                *(variables(atom) for _, atoms in terms for atom in atoms)
            )
        case _:
            return frozenset()


def linear(dim: Dim) -> tuple[int, DimVar, int] | None:
    """Return `(a, n, b)` for a dimension `a * n + b` that tells what `n` is; None for others.

    >>> n = DimVar("n")
    >>> linear(2 * n + 1) == (2, n, 1)
    True
    """
    match dim:
        case DimVar():
            return 1, dim, 0
        case Polynomial(((int(factor), (DimVar() as name,)),)) if factor > 0:
            return factor, name, 0
        case Polynomial(((int(factor), (DimVar() as name,)), (int(rest), ()))) if factor > 0:
            return factor, name, rest
        case _:
            return None


def linear_in(dim: Dim, name: DimVar) -> tuple[Dim, Dim] | None:
    """Return `(a, b)` for a dimension `a * name + b` whose other names are known; None for others.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> linear_in(n * m + 2, m) == (n, 2)
    True
    """
    factor: _Terms = {}
    rest: _Terms = {}
    for atoms, coefficient in _terms(dim).items():
        others = tuple(atom for atom in atoms if atom is not name)
        if len(atoms) - len(others) > 1 or any(name in variables(atom) for atom in others):
            return None
        (rest if len(others) == len(atoms) else factor)[others] = coefficient
    return (_normal(factor), _normal(rest)) if factor else None
