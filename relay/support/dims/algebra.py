"""Dimensions of tensors: integers, symbolic names and arithmetic over them, and `Any`.

A symbolic dimension is a polynomial in normal form, so `n + n` and `2 * n` are the same object and
equality of shapes is identity of dimensions. Other operations (a floor division, a maximum, a
broadcast) are *atoms* in a polynomial. `ANY` is a dimension about which nothing is known; any
operation on it returns `ANY`.

>>> n = DimVar("n")
>>> (n + 1) * 2 - 2 is 2 * n
True
>>> (4 * n) // 2 is 2 * n
True
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from math import prod
from reprlib import repr as short
from typing import ClassVar, TypeAlias

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value, set_field, value


class Symbolic(Value):
    """The base of dimensions that are not integers; they add, multiply and floor-divide.

    If the other operand is neither an integer nor a dimension (a scalar expression of a kernel, for
    example), its class implements the operation.
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


_SERIALS = count(1)
"""The serial numbers that distinguish fresh dimensions."""

Dim: TypeAlias = int | Symbolic
Shape: TypeAlias = tuple[Dim, ...]


def _is_dim(operand: object) -> bool:
    return isinstance(operand, int | Symbolic)


@value
class AnyDim(Symbolic):
    """An unknown dimension, printed `?`; it is not assumed to be equal to any other dimension."""

    def __str__(self) -> str:
        return "?"


@value
class DimVar(Symbolic):
    """A symbolic dimension.

    User-defined variables are identified by name: equal names mean equal sizes within one program.
    A `fresh` variable equals only itself, regardless of its name.

    >>> n = DimVar("n")
    >>> n is DimVar("n"), n.fresh() is n.fresh()
    (True, False)
    """

    name: str
    serial: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            message = f"the name of a size must be a string, not {short(self.name)}"
            raise RelayTypeError(ErrorCode.T007, message, help='write relay.DimVar("n")')

    def __str__(self) -> str:
        return f"{self.name}'{self.serial}" if self.serial else self.name

    def __repr__(self) -> str:
        return f"DimVar(name={str(self)!r})"

    def fresh(self) -> "DimVar":
        """Return a new dimension variable with the same name, which equals only itself."""
        return DimVar(self.name, next(_SERIALS))

    @property
    def is_made(self) -> bool:
        """Whether a compiler pass created the variable, rather than the user's program."""
        return self.name.startswith(MADE)


class Composed(Symbolic):
    """The base of dimensions that are computed from others.

    `depth` is the nesting depth of the expression and `parts` its total number of factors: a
    traversal recurses `depth` levels and takes time proportional to `parts`.
    """

    __slots__ = ("depth", "parts")
    depth: int
    parts: int

    def _measure(self, depth: int, parts: int) -> None:
        set_field(self, "depth", depth)
        set_field(self, "parts", parts)


@value
class FloorDiv(Composed):
    """The floor division `numerator // denominator` where no exact quotient is known."""

    numerator: Dim
    denominator: Dim

    def __post_init__(self) -> None:
        self._measure(*_measures((self.numerator, self.denominator), 1))

    def __str__(self) -> str:
        return f"floordiv({self.numerator}, {self.denominator})"


@value
class Maximum(Composed):
    """The larger of two dimensions."""

    left: Dim
    right: Dim

    def __post_init__(self) -> None:
        self._measure(*_measures((self.left, self.right), 1))

    def __str__(self) -> str:
        return f"max({self.left}, {self.right})"


@value
class Broadcast(Composed):
    """The size to which `sizes` broadcast: the first that is not 1, or 1 if all are 1."""

    sizes: Shape

    def __post_init__(self) -> None:
        self._measure(*_measures(self.sizes, 1))

    def __str__(self) -> str:
        return f"broadcast({', '.join(map(str, self.sizes))})"


Listed: TypeAlias = tuple[tuple[int, tuple[Symbolic, ...]], ...]


@value
class Polynomial(Composed):
    """A sum of terms: each is an integer coefficient times a sorted product of atoms.

    A product without atoms is the constant term.
    """

    terms: Listed
    is_exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._measure(*_measures([atom for _, atoms in self.terms for atom in atoms], 0))

    def __str__(self) -> str:
        return " + ".join(_term(*term) for term in self.terms)


ANY = AnyDim()

MADE = ("?", "#")
"""The prefixes of dimension names that compiler passes introduce; users cannot write them."""

DEEPEST, MOST_PARTS = 50, 1 << 13
"""The limits on nesting depth and number of factors above which a dimension becomes `ANY`."""

_DEEP, _MANY = 6, 256
"""Lower limits: a dimension that exceeds both of them becomes `ANY`, too.

Each slice of a slice doubles the length of the expression for its size, so such sizes are deep and
long, while sizes of broadcasts are long, but not deep.
"""


def _measures(inner: Iterable[Dim], more: int) -> tuple[int, int]:
    """Return the depth and the number of factors of a dimension composed of `inner`, plus `more`.

    `more` is added to both.
    """
    depth, parts = 0, more
    for dim in inner:
        known = isinstance(dim, Composed)
        depth = max(depth, dim.depth if known else 0)
        parts += dim.parts if known else 1
    return depth + more, parts


def bounded(dim: Composed) -> Dim:
    """Return a dimension, or `ANY` if its expression is too deep or has too many factors.

    `more` is added to both.
    """
    deep, many = dim.depth > DEEPEST, dim.parts > MOST_PARTS
    return ANY if deep or many or (dim.depth > _DEEP and dim.parts > _MANY) else dim


Terms: TypeAlias = dict[tuple[Symbolic, ...], int]

REMEMBERED = 1 << 12
"""The number of memoised results of an operation: a program repeats the same few dimensions."""


def _term(coefficient: int, atoms: tuple[Symbolic, ...]) -> str:
    factors = [] if coefficient == 1 and atoms else [str(coefficient)]
    return " * ".join(factors + [str(atom) for atom in atoms])


def terms_of(dim: Dim) -> Terms:
    """Return a dimension as a sum of terms: the coefficient of each sorted product of atoms."""
    match dim:
        case int():
            return {(): dim} if dim else {}
        case Polynomial(terms):
            return {atoms: coefficient for coefficient, atoms in terms}
        case _:
            return {(dim,): 1}


@lru_cache(maxsize=REMEMBERED)
def _sort_key(atoms: tuple[Symbolic, ...]) -> tuple[int, list[str]]:
    """Return the sort key of a product of atoms: products of more factors first, then by name."""
    return -len(atoms), [str(atom) for atom in atoms]


def _normal(terms: Terms) -> Dim:
    present = ((c, atoms) for atoms, c in terms.items() if c)
    kept = sorted(present, key=lambda term: _sort_key(term[1]))
    match kept:
        case []:
            return 0
        case [(c, ())]:
            return c
        case [(1, (atom,))]:
            return atom
        case _:
            return bounded(Polynomial(tuple(kept)))


def add(a: Dim, b: Dim) -> Dim:
    """Return `a + b` in normal form."""
    return a + b if isinstance(a, int) and isinstance(b, int) else total((a, b))


def total(dims: Iterable[Dim]) -> Dim:
    """Return the sum of dimensions in normal form; the empty sum is 0.

    >>> n = DimVar("n")
    >>> str(total((n, 2, n, 1)))
    '2 * n + 3'
    """
    return _total(tuple(dims))


@lru_cache(maxsize=REMEMBERED)
def _total(dims: Shape) -> Dim:
    terms: Terms = {}
    for dim in dims:
        if dim is ANY:
            return ANY
        for atoms, coefficient in terms_of(dim).items():
            terms[atoms] = terms.get(atoms, 0) + coefficient
    return _normal(terms)


def multiply(a: Dim, b: Dim) -> Dim:
    """Return `a * b` in normal form; 0 times anything is 0; a result of too many terms is `ANY`."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    return ANY if a is ANY or b is ANY else _multiplied(a, b)


@lru_cache(maxsize=REMEMBERED)
def _multiplied(a: Dim, b: Dim) -> Dim:
    terms: Terms = {}
    if len(terms_of(a)) * len(terms_of(b)) > MOST_PARTS:
        return ANY
    for left, c in terms_of(a).items():
        for right, d in terms_of(b).items():
            atoms = tuple(sorted(left + right, key=str))
            terms[atoms] = terms.get(atoms, 0) + c * d
    return _normal(terms)


def floor_divide(a: Dim, b: Dim) -> Dim:
    """Return `a // b`, where parts that divide exactly are simplified and the others stay symbolic.

    >>> n = DimVar("n")
    >>> str((2 * n + 3) // 2), str((n // 2) // 2)
    ('n + 1', 'floordiv(n, 4)')

    Raises `T015` for a division by zero.
    """
    if b == 0:
        help_ = "divide sizes by numbers other than 0"
        raise RelayTypeError(ErrorCode.T015, "a size is divided by zero", help=help_)
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if b == 1:
        return a
    if a is ANY or b is ANY:
        return ANY
    if a is b:
        return 1
    quotient = _exact_quotient(terms_of(a), terms_of(b))
    if quotient is not None:
        return quotient
    if isinstance(b, int) and b > 0:
        return _floor_divide_by_number(a, b)
    return bounded(FloorDiv(a, b))


def _floor_divide_by_number(a: Dim, b: int) -> Dim:
    """Return `a // b` for a number, simplified by rules such as `(b * x + r) // b = x + r // b`."""
    whole: Terms = {}
    rest: Terms = {}
    for atoms, c in terms_of(a).items():
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
            return add(_normal(whole), bounded(FloorDiv(remaining, b)))


def _exact_quotient(numerator: Terms, denominator: Terms) -> Dim | None:
    """Return the quotient if the denominator is a single term that divides exactly; else None."""
    if len(denominator) != 1:
        return None
    ((divisor, d),) = denominator.items()
    result: Terms = {}
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


def product(dims: Iterable[Dim]) -> Dim:
    """Return the product of dimensions; the empty product is 1."""
    result: Dim = 1
    for dim in dims:
        result = multiply(result, dim)
    return result


def variables(dim: Dim) -> frozenset[DimVar]:
    """Return the dimension variables that occur in a dimension."""
    match dim:
        case DimVar():
            return frozenset((dim,))
        case FloorDiv(a, b) | Maximum(a, b):
            return variables(a) | variables(b)
        case Broadcast(sizes):
            return frozenset[DimVar]().union(*map(variables, sizes))
        case Polynomial(terms):
            return frozenset[DimVar]().union(
                *(variables(atom) for _, atoms in terms for atom in atoms)
            )
        case _:
            return frozenset()


def fresh_copies(names: Iterable[DimVar]) -> dict[DimVar, Dim]:
    """Map each dimension variable to a fresh one of the same name.

    >>> n = DimVar("n")
    >>> fresh_copies([n])[n] is n
    False
    """
    return {name: name.fresh() for name in in_order(names)}


def unknown(names: Iterable[DimVar]) -> dict[DimVar, Dim]:
    """Map each dimension variable to the unknown dimension `?`."""
    return {name: ANY for name in names}  # noqa: C420 - of another value type


def in_order(names: Iterable[DimVar]) -> list[DimVar]:
    """Return variables sorted by name, and variables of one name in the order of creation."""
    return sorted(names, key=lambda each: (each.name, each.serial))


def linear_in(dim: Dim, name: DimVar) -> tuple[Dim, Dim] | None:
    """Return `(a, b)` for a dimension `a * name + b` that is linear in `name`; else None.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> linear_in(n * m + 2, m) == (n, 2)
    True
    """
    factor: Terms = {}
    rest: Terms = {}
    for atoms, coefficient in terms_of(dim).items():
        others = tuple(atom for atom in atoms if atom is not name)
        if len(atoms) - len(others) > 1 or any(name in variables(atom) for atom in others):
            return None
        (rest if len(others) == len(atoms) else factor)[others] = coefficient
    return (_normal(factor), _normal(rest)) if factor else None


def is_static(shape: Shape) -> bool:
    """Whether every dimension is an integer."""
    return all(isinstance(dim, int) for dim in shape)


def static(shape: Shape) -> tuple[int, ...]:
    """Return the dimensions of a static shape as integers."""
    assert is_static(shape), f"not static: {shape}"
    return tuple(dim for dim in shape if isinstance(dim, int))


def elements(shape: Iterable[int]) -> int:
    """Return the number of elements of a static shape."""
    return prod(shape)
