"""Bounds of dimensions, simplification by bounds (maxima, broadcasts), and substitution.

>>> n = DimVar("n")
>>> substitute(maximum(n - 2, 1), {n: 7})
5
"""

import functools
from collections.abc import Iterable, Mapping
from math import gcd, prod

from relay.support.dims.algebra import (
    ANY,
    REMEMBERED,
    AnyDim,
    Broadcast,
    Dim,
    DimVar,
    FloorDiv,
    Listed,
    Maximum,
    Polynomial,
    Shape,
    add,
    bounded,
    floor_divide,
    multiply,
    product,
    terms_of,
    total,
)


def maximum(a: Dim, b: Dim) -> Dim:
    """Return the larger dimension, symbolic when that is not known.

    A maximum with a number is written as an excess over that number, so that equal ones are one
    object.

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
    if is_natural(a - b):
        return a
    if is_natural(b - a):
        return b
    for one, other in ((a, b), (b, a)):
        for left, right in _alternatives(one):
            if is_natural(other - right):
                return maximum(left, other)
            if is_natural(other - left):
                return maximum(right, other)
    if isinstance(a, int):
        a, b = b, a
    return add(bounded(Maximum(a - b, 0)), b) if isinstance(b, int) else bounded(Maximum(a, b))


_DECIDED = 5
"""The number of maxima that are split to compare two dimensions: the work doubles with each."""


@functools.lru_cache(maxsize=REMEMBERED)
def lower_bound(dim: Dim) -> int | None:
    """Return a number that a dimension is never below, given that symbols are never below 0.

    None means that no such number exists or was found; a better one may exist.

    >>> n = DimVar("n")
    >>> lower_bound(2 * n + 3), lower_bound(n - maximum(n - 2, 0)), lower_bound(-n)
    (3, 0, None)
    """
    return _lower_bound(dim, _DECIDED)


def is_natural(dim: Dim) -> bool:
    """Whether a dimension is provably not negative."""
    least = lower_bound(dim)
    return least is not None and least >= 0


def _lower_bound(dim: Dim, depth: int) -> int | None:
    """Return a lower bound; recursion follows the nesting and splits up to `depth` maxima."""
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
        case Broadcast(sizes):
            return functools.reduce(_least, (_lower_bound(size, depth) for size in sizes))
        case Polynomial(terms):
            simple = _bound_of_terms(terms, depth)
            return _bound_of_choices(terms, depth - 1) if simple is None and depth else simple
        case _:
            return None


def _bound_of_terms(terms: Listed, depth: int) -> int | None:
    """Return the sum of the terms' lower bounds; subtracted symbols have no bound."""
    least_of_all = 0
    for coefficient, atoms in terms:
        least = [_lower_bound(atom, depth) for atom in atoms]
        known = [each for each in least if each is not None and each >= 0]
        if len(known) < len(atoms) or (atoms and coefficient < 0):
            return None
        least_of_all += coefficient * prod(known)
    return least_of_all


def _bound_of_choices(terms: Listed, depth: int) -> int | None:
    """Return the bound by cases on one maximum: the better if added, the worse if subtracted."""
    dim = Polynomial(terms)
    for coefficient, atoms in terms:
        match atoms:
            case (Maximum(a, b) as either,):
                rest = dim - coefficient * either
                left, right = (_lower_bound(rest + coefficient * x, depth) for x in (a, b))
                if coefficient > 0:
                    return _largest(left, right)
                return _least(left, right)
            case _:
                continue
    return None


def _largest(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _alternatives(dim: Dim) -> Iterable[tuple[Dim, Dim]]:
    """Yield pairs whose larger element is the dimension, one for each maximum in its sum."""
    for atoms, coefficient in terms_of(dim).items():
        match atoms:
            case (Maximum(a, b) as either,) if coefficient == 1:
                rest = dim - either
                yield rest + a, rest + b
            case _:
                continue


def may_be_one(dim: Dim) -> bool:
    """Whether a dimension may be 1, as far as this analysis can tell.

    It cannot where its lower bound is above 1, or where the multiples of its symbols miss 1.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> [may_be_one(dim) for dim in (n, n + m, 2 * n + 3, n + 2, 2 * n, 6 * n - 2 * m, 3)]
    [True, True, False, False, False, False, False]
    """
    if isinstance(dim, Broadcast):
        return all(map(may_be_one, dim.sizes))
    least = lower_bound(dim) if dim is not ANY else 0
    if isinstance(dim, int) or (least is not None and least > 1):
        return dim == 1
    rest = terms_of(dim).get((), 0)
    step = gcd(*(coefficient for atoms, coefficient in terms_of(dim).items() if atoms))
    return (1 - rest) % step == 0


def broadcast(*sizes: Dim) -> Dim:
    """Return the first of several dimensions that is not 1; 1 where all of them are.

    A dimension after one that is never 1, or a repeated one, has no effect.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> [substitute(broadcast(n, n + 4), {n: size}) for size in (0, 1, 2, 7)]
    [0, 5, 2, 7]
    >>> broadcast(n + 2, 4) is n + 2
    True
    >>> str(broadcast(broadcast(n, 1), broadcast(m, n)))
    'broadcast(n, m)'
    """
    kept: dict[Dim, None] = {}
    for size in (each for given in sizes for each in _met(given) if each != 1):
        if size is ANY:
            return ANY
        kept[size] = None
        if not may_be_one(size):
            break
    first, *rest = kept or (1,)
    return bounded(Broadcast((first, *rest))) if rest else first


def _met(dim: Dim) -> Shape:
    """Return the dimensions that a broadcast combines."""
    return dim.sizes if isinstance(dim, Broadcast) else (dim,)


def substitute(dim: Dim, sizes: Mapping[DimVar, Dim]) -> Dim:
    """Replace dimension variables by sizes or other dimensions, and simplify."""
    match dim:
        case int() | AnyDim():
            return dim
        case DimVar():
            return sizes.get(dim, dim)
        case FloorDiv(a, b):
            return floor_divide(substitute(a, sizes), substitute(b, sizes))
        case Maximum(a, b):
            return maximum(substitute(a, sizes), substitute(b, sizes))
        case Broadcast(met):
            return broadcast(*(substitute(each, sizes) for each in met))
        case Polynomial(terms):
            return total(
                multiply(c, product(substitute(atom, sizes) for atom in atoms))
                for c, atoms in terms
            )
        case _:
            raise AssertionError(f"not a dimension: {dim!r}")
