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
    """Return the larger of two dimensions, as a symbolic `Maximum` if the order is unknown.

    A maximum with a number `c` is normalised to `max(dim - c, 0) + c`, so that equal maxima are one
    object.

    >>> n = DimVar("n")
    >>> maximum(n + 1, 1) is n + 1
    True
    >>> maximum(n, 1) - 1 is maximum(n - 1, 0)
    True
    >>> maximum(maximum(n - 1, 0) - 1, 0) is maximum(n - 2, 0)
    True
    >>> maximum(maximum(n, 1) // 2, 1) is maximum(n // 2, 1)
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
"""The number of maxima that are split into cases to find a bound; each doubles the work."""


@functools.lru_cache(maxsize=REMEMBERED)
def lower_bound(dim: Dim) -> int | None:
    """Return a lower bound of a dimension, given that dimension variables are not negative.

    The bound may not be tight; None means that no bound was found.

    >>> n = DimVar("n")
    >>> lower_bound(2 * n + 3), lower_bound(n - maximum(n - 2, 0)), lower_bound(-n)
    (3, 0, None)
    """
    return _lower_bound(dim, _DECIDED)


def is_natural(dim: Dim) -> bool:
    """Whether a dimension is provably nonnegative."""
    least = lower_bound(dim)
    return least is not None and least >= 0


@functools.lru_cache(maxsize=REMEMBERED)  # cases of maxima share most of their parts
def _lower_bound(dim: Dim, depth: int) -> int | None:
    """Return a lower bound; at most `depth` maxima are split into their two cases."""
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
    """Return the sum of the terms' lower bounds; None if a symbolic term is subtracted."""
    least_of_all = 0
    for coefficient, atoms in terms:
        least = [_lower_bound(atom, depth) for atom in atoms]
        known = [each for each in least if each is not None and each >= 0]
        if len(known) < len(atoms) or (atoms and coefficient < 0):
            return None
        least_of_all += coefficient * prod(known)
    return least_of_all


def _bound_of_choices(terms: Listed, depth: int) -> int | None:
    """Return a lower bound of a sum from the two cases of one maximum in it.

    For a maximum that is added, either case gives a bound, so the larger one is used; for one that
    is subtracted, both cases must hold, so the smaller one is used.
    """
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
    """Yield pairs of dimensions whose maximum is `dim`, one pair for each maximum in the sum.

    A quotient of a maximum is the maximum of the quotients.
    """
    for atoms, coefficient in terms_of(dim).items():
        match atoms:
            case (Maximum(a, b) as either,) if coefficient == 1:
                rest = dim - either
                yield rest + a, rest + b
            case (FloorDiv(inner, int() as by) as quotient,) if coefficient == 1 and by > 0:
                rest = dim - quotient
                for a, b in _alternatives(inner):
                    yield rest + floor_divide(a, by), rest + floor_divide(b, by)
            case _:
                continue


def may_be_one(dim: Dim) -> bool:
    """Whether a dimension may be 1, as far as this analysis can tell.

    It cannot be 1 if its lower bound is above 1, or if the common divisor of its coefficients
    excludes 1.

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
    """Return the size to which sizes broadcast: the first that is not 1, or 1 if all are 1.

    Repeated dimensions, and those after a dimension that is never 1, have no effect.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> [substitute(broadcast(n, n + 4), {n: size}) for size in (0, 1, 2, 7)]
    [0, 5, 2, 7]
    >>> broadcast(n + 2, 4) is n + 2
    True
    >>> str(broadcast(broadcast(n, 1), broadcast(m, n)))
    'broadcast(n, m)'
    """
    kept: dict[Dim, None] = {}
    for size in (each for given in sizes for each in _broadcast_operands(given) if each != 1):
        if size is ANY:
            return ANY
        kept[size] = None
        if not may_be_one(size):
            break
    first, *rest = kept or (1,)
    return bounded(Broadcast((first, *rest))) if rest else first


def _broadcast_operands(dim: Dim) -> Shape:
    """Return the operands of a `Broadcast`; of any other dimension, the dimension alone."""
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
            raise AssertionError(f"this object is not a size: {dim!r}")
