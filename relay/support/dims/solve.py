"""The solver of dimensions: `a * n + b`, whose size is known, determines `n`.

What a size is differs: a dimension where types are compared, a number where a program is evaluated,
a register where one is compiled. Which dimension determines which variable does not.
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
    """A dimension `factor * unknown + rest` in which all other variables are known."""

    unknown: DimVar
    factor: Dim
    rest: Dim

    @property
    def is_trivial(self) -> bool:
        """Whether the dimension is the variable itself."""
        return self.factor == 1 and self.rest == 0


def equation(dim: Dim, known: Collection[DimVar] = ()) -> Equation | None:
    """Return a dimension as an equation for its one unknown variable; None if it is none.

    A dimension that gets smaller as the variable grows determines nothing.

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
    """Return what variables stand for, by dimensions and their sizes, beside what is known.

    The first dimension that is a variable alone determines it. Other variables follow, one after
    another, from equations: first from those whose factor is a number, for a variable may be 0.
    `solution` solves an equation for a size, with what is known by then; after None, which says
    that there is no solution, another dimension may determine the variable.

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
    while len(waiting) != before:  # what is known now may determine more
        before = len(waiting)
        waiting = [pair for pair in waiting if not is_settled(*pair, int)]
        if len(waiting) == before:
            settled = next((pair for pair in waiting if is_settled(*pair, object)), None)
            waiting = [pair for pair in waiting if pair is not settled]
    return found


def solution_in_dims(linear: Equation, size: Dim, known: Mapping[DimVar, Dim]) -> Dim | None:
    """Return the dimension that an unknown stands for; None where the size is none of the form."""
    factor, rest = substitute(linear.factor, known), substitute(linear.rest, known)
    if ANY in (factor, rest, size):
        return ANY
    found = None if factor == 0 else floor_divide(size - rest, factor)
    is_solution = found is not None and factor * found + rest == size
    return found if is_solution and not (isinstance(found, int) and found < 0) else None


def solution_at_run_time(linear: Equation, size: int, known: Mapping[DimVar, int]) -> int:
    """Return the number that an unknown stands for.

    Where there is none, it is the nearest one below, or 0: a test of the dimension, which compiled
    programs need anyway, finds that.
    """
    factor, rest = substitute(linear.factor, known), substitute(linear.rest, known)
    assert isinstance(factor, int), "all other variables are known"
    assert isinstance(rest, int), "all other variables are known"
    return max((size - rest) // factor, 0) if factor else 0


def determined_dims(dims: Iterable[Dim], known: Collection[DimVar]) -> frozenset[DimVar]:
    """Return the variables that are known, and those that dimensions determine.

    >>> k, n, m = DimVar("k"), DimVar("n"), DimVar("m")
    >>> sorted(each.name for each in determined_dims((k + n, n + m, m), ()))
    ['k', 'm', 'n']
    >>> determined_dims((k + n, 2), ())
    frozenset()
    """
    sizes = [(dim, True) for dim in dims]
    return frozenset(solve(sizes, dict.fromkeys(known, True), lambda _, size, __: size))
