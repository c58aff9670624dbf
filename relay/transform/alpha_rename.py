"""Alpha-renaming of the sizes that lets and patterns bind."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, cast

from relay.ir.analysis.known_dims import dims_around, named_by, opens_dims
from relay.ir.dims import Dim, DimVar, renamed_apart
from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.patterns import Clause, Match
from relay.ir.types import FuncType, dim_variables
from relay.ir.walk import bound_by, fold, outside_kernels, post_order, with_children
from relay.support.node import replace
from relay.transform.specialize import substitute_sizes

_Names: TypeAlias = frozenset[DimVar]
_NONE: _Names = frozenset()


def alpha_renamed(root: Function) -> Function:
    """Return a function in which no two lets or patterns bind one size, unless one is in the other.

    Nor does one bind a size that a local function somewhere else has for itself. Passes choose
    later what is computed when, and a size would be known where it is another one. Sizes stay that
    the result of a local function has and its body binds: callers have them too.
    """
    order = post_order(root, edges=outside_kernels)
    places = {place: told for expr in order for place, told in _places(expr)}
    told_at_all = _NONE.union(*places.values())
    if not told_at_all:
        return root
    around = dims_around(order, among=told_at_all)
    functions = [expr for expr in order[:-1] if isinstance(expr, Function)]
    bound = {place: told - around[place[0]] for place, told in places.items()}
    again = _often(bound.values()) | _own(functions, around)
    shared = again - _promised(functions, around)
    fresh = {place: renamed_apart(names & shared) for place, names in bound.items()}

    def visit(old: Expr, new: list[Expr]) -> Expr:
        expr = with_children(old, new) if new else old
        match expr:
            case Let() if sizes := fresh.get((old, 0)):
                (var,), body = _renamed((expr.var,), expr.body, sizes)
                return replace(expr, var=var, body=body, ty=None)
            case Match(data, clauses):
                parts = [_clause(each, fresh.get((old, n))) for n, each in enumerate(clauses)]
                return with_children(expr, [data, *(each for part in parts for each in part)])
            case _:
                return expr

    return cast("Function", fold(root, visit, edges=outside_kernels))


_Place: TypeAlias = tuple[Expr, int]
"""A let, or a match and the number of a clause."""

_Sizes: TypeAlias = dict[DimVar, Dim]


def _places(expr: Expr) -> Iterator[tuple[_Place, _Names]]:
    """Yield where an expression tells names of sizes."""
    match expr:
        case Let() if opens_dims(expr):
            yield (expr, 0), dim_variables(expr.var.type) - dim_variables(expr.value.type)
        case Match(clauses=clauses):
            for number, clause in enumerate(clauses):
                yield (expr, number), named_by(clause)
        case _:
            pass


def _clause(clause: Clause, sizes: _Sizes | None) -> tuple[Expr, ...]:
    """Return the variables and the body of a clause, with other names of sizes."""
    variables = tuple(bound_by(clause.pattern))
    if not sizes:
        return *variables, clause.body
    renamed, body = _renamed(variables, clause.body, sizes)
    return *renamed, body


def _renamed(variables: tuple[Var, ...], body: Expr, sizes: _Sizes) -> tuple[tuple[Var, ...], Expr]:
    """Return variables and what they are bound in, with other names of sizes."""
    inside = substitute_sizes(Function(variables, body), sizes)
    return inside.params, inside.body


def _often(sets: Iterable[_Names]) -> _Names:
    counts = Counter(name for names in sets for name in names)
    return frozenset(name for name, count in counts.items() if count > 1)


def _own(functions: Sequence[Function], around: dict[Expr, _Names]) -> _Names:
    """Return the names that local functions have for sizes of what they are passed."""
    return _NONE.union(*(each.dim_params - around[each] for each in functions))


def _promised(functions: Sequence[Function], around: dict[Expr, _Names]) -> _Names:
    """Return the names in results of local functions that are known neither around nor passed."""
    types = [(each, cast("FuncType", each.type)) for each in functions]
    return _NONE.union(
        *(dim_variables(ty.result) - around[each] - each.dim_params for each, ty in types)
    )
