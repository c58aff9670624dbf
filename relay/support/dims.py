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
from math import prod
from reprlib import repr as short
from typing import TypeAlias

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
        return f"({self.numerator}) // ({self.denominator})"


@value
class Maximum(Symbolic):
    """The larger of two dimensions."""

    left: Dim
    right: Dim

    def __str__(self) -> str:
        return f"max({self.left}, {self.right})"


@value
class Polynomial(Symbolic):
    """A sum of terms: a coefficient times a sorted product of atoms (none: a constant)."""

    terms: tuple[tuple[int, tuple[Symbolic, ...]], ...]

    def __str__(self) -> str:
        return " + ".join(_term(*term) for term in self.terms)


ANY = AnyDim()

_Terms: TypeAlias = dict[tuple[Symbolic, ...], int]


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


def _normal(terms: _Terms) -> Dim:
    kept = sorted(
        ((c, atoms) for atoms, c in terms.items() if c),
        key=lambda term: (-len(term[1]), [str(atom) for atom in term[1]]),
    )
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
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a is ANY or b is ANY:
        return ANY
    total = _terms(a)
    for atoms, coefficient in _terms(b).items():
        total[atoms] = total.get(atoms, 0) + coefficient
    return _normal(total)


def multiply(a: Dim, b: Dim) -> Dim:
    """Return `a * b` in normal form; zero times anything is zero."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    if a is ANY or b is ANY:
        return ANY
    total: _Terms = {}
    for left, c in _terms(a).items():
        for right, d in _terms(b).items():
            atoms = tuple(sorted(left + right, key=str))
            total[atoms] = total.get(atoms, 0) + c * d
    return _normal(total)


def floor_divide(a: Dim, b: Dim) -> Dim:
    """Return `a // b`; what divides exactly is taken out, the rest stays symbolic.

    >>> n = DimVar("n")
    >>> str((2 * n + 3) // 2), str((n // 2) // 2)
    ('n + 1', '(n) // (4)')

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
    """Return the larger dimension, symbolic when that is not known."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    if a is b:
        return a
    if a is ANY or b is ANY:
        return ANY
    return Maximum(a, b)


def product(dims: Iterable[Dim]) -> Dim:
    """Multiply dimensions; the empty product is 1."""
    total: Dim = 1
    for dim in dims:
        total = multiply(total, dim)
    return total


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
            total: Dim = 0
            for c, atoms in terms:
                factors = (substitute(atom, sizes) for atom in atoms)
                total = add(total, multiply(c, product(factors)))
            return total
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


def is_static(shape: Shape) -> bool:
    """Whether every dimension is an integer."""
    return all(isinstance(dim, int) for dim in shape)


def static(shape: Shape) -> tuple[int, ...]:
    """Return the shape as integers; the caller knows that it is static."""
    assert is_static(shape), f"not static: {shape}"
    return tuple(dim for dim in shape if isinstance(dim, int))


def elements(shape: Iterable[int]) -> int:
    """Return the number of elements of a static shape."""
    return prod(shape)
