"""A solver for dimension variables: if `a * n + b` has a known size, that determines `n`.

A size may be a dimension (in type inference), a number (in evaluation) or a register (in compiled
code); the order in which variables are determined is always the same.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from relay.support.dims.algebra import ANY, Dim, DimVar, floor_divide, linear_in, variables
from relay.support.dims.bounds import is_natural, substitute
from relay.support.node import Value, value

S = TypeVar("S")
T = TypeVar("T")


@value
class Equation(Value):
    """The dimension `factor * unknown + rest`, whose only unknown variable is `unknown`."""

    unknown: DimVar
    factor: Dim
    rest: Dim

    @property
    def is_trivial(self) -> bool:
        """Whether the dimension is the variable itself: a factor of 1 and nothing added."""
        return self.factor == 1 and self.rest == 0


def equation(dim: Dim, known: Collection[DimVar] = ()) -> Equation | None:
    """Return the linear equation by which the size of `dim` determines its only unknown variable.

    The result is None if there are several unknowns, or if the dimension is not linear in the
    unknown, or decreases with it.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> equation(n * m + 2, {n}) == Equation(m, n, 2)
    True
    >>> equation(n + m), equation(5 - n)
    (None, None)
    """
    if isinstance(dim, DimVar):
        return None if dim in known else Equation(dim, 1, 0)
    unknown = [each for each in variables(dim) if each not in known]
    linear = linear_in(dim, unknown[0]) if len(unknown) == 1 else None
    return Equation(unknown[0], *linear) if linear and is_natural(linear[0]) else None


def solve(
    sizes: Iterable[tuple[Dim, S]],
    known: Mapping[DimVar, T],
    solution: Callable[[Equation, S, Mapping[DimVar, T]], T | None],
) -> dict[DimVar, T]:
    """Return the values of variables, given pairs of a dimension and its size, and known variables.

    A variable is determined by the first dimension that consists of it alone. Other variables are
    determined one by one by linear equations, first by those with a constant factor, because a
    variable factor may be 0. `solution` solves an equation for a size, given the variables known so
    far; if it returns None, another dimension may determine the variable.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> solve([(n + 2 * m, 7), (n, 3)], {}, solution_at_run_time)
    {DimVar(name='n'): 3, DimVar(name='m'): 2}
    """
    found = dict(known)

    def is_settled(dim: Dim, size: S, factors: type) -> bool:
        linear = equation(dim, found)
        if linear is None or not isinstance(linear.factor, factors):
            return False
        value = solution(linear, size, found)
        if value is not None:
            found[linear.unknown] = value
        return True

    waiting = sorted(sizes, key=lambda pair: not isinstance(pair[0], DimVar))
    before = -1
    while len(waiting) != before:  # new variables may determine more
        before = len(waiting)
        waiting = [pair for pair in waiting if not is_settled(*pair, int)]
        if len(waiting) == before:
            settled = next((pair for pair in waiting if is_settled(*pair, object)), None)
            waiting = [pair for pair in waiting if pair is not settled]
    return found


def solution_in_dims(linear: Equation, size: Dim, known: Mapping[DimVar, Dim]) -> Dim | None:
    """Return the dimension that solves an equation.

    The result is None if the division by the factor is not exact.
    """
    factor, rest = substitute(linear.factor, known), substitute(linear.rest, known)
    if ANY in (factor, rest, size):
        return ANY
    found = None if factor == 0 else floor_divide(size - rest, factor)
    is_solution = found is not None and factor * found + rest == size
    return found if is_solution and not (isinstance(found, int) and found < 0) else None


def solution_at_run_time(linear: Equation, size: int, known: Mapping[DimVar, int]) -> int:
    """Return the number that solves an equation for its unknown variable.

    If there is no exact solution, it is rounded down, to at least 0; compiled programs compare the
    dimension with the size afterwards, and report an error.
    """
    factor, rest = substitute(linear.factor, known), substitute(linear.rest, known)
    assert isinstance(factor, int), "all other variables are known"
    assert isinstance(rest, int), "all other variables are known"
    return max((size - rest) // factor, 0) if factor else 0


def determined_dims(dims: Iterable[Dim], known: Collection[DimVar]) -> frozenset[DimVar]:
    """Return the variables in `known`, and those that the sizes of `dims` determine.

    >>> k, n, m = DimVar("k"), DimVar("n"), DimVar("m")
    >>> sorted(each.name for each in determined_dims((k + n, n + m, m), ()))
    ['k', 'm', 'n']
    >>> determined_dims((k + n, 2), ())
    frozenset()
    """
    sizes = [(dim, True) for dim in dims]
    return frozenset(solve(sizes, dict.fromkeys(known, True), lambda _, size, __: size))
