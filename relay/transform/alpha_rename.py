"""Alpha-renaming of the dimensions that lets and patterns bind."""

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
    """Return a function in which lets and patterns bind distinct dimensions, unless nested.

    A let or pattern also shares no dimension with the parameters of a local function elsewhere.
    Later passes may move computations, and a shared name would then refer to the wrong binding. A
    dimension that occurs in the result type of a local function, and is bound in its body, keeps
    its name, because callers refer to it.
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
"""A let, or a match with the index of a clause."""

_Sizes: TypeAlias = dict[DimVar, Dim]


def _places(expr: Expr) -> Iterator[tuple[_Place, _Names]]:
    """Yield the lets and clauses of an expression with the dimensions that each of them binds."""
    match expr:
        case Let() if opens_dims(expr):
            yield (expr, 0), dim_variables(expr.var.type) - dim_variables(expr.value.type)
        case Match(clauses=clauses):
            for number, clause in enumerate(clauses):
                yield (expr, number), named_by(clause)
        case _:
            pass


def _clause(clause: Clause, sizes: _Sizes | None) -> tuple[Expr, ...]:
    """Return the variables and the body of a clause, with dimensions renamed."""
    variables = tuple(bound_by(clause.pattern))
    if not sizes:
        return *variables, clause.body
    renamed, body = _renamed(variables, clause.body, sizes)
    return *renamed, body


def _renamed(variables: tuple[Var, ...], body: Expr, sizes: _Sizes) -> tuple[tuple[Var, ...], Expr]:
    """Return variables and the body in their scope, with dimensions renamed."""
    inside = substitute_sizes(Function(variables, body), sizes)
    return inside.params, inside.body


def _often(sets: Iterable[_Names]) -> _Names:
    counts = Counter(name for names in sets for name in names)
    return frozenset(name for name, count in counts.items() if count > 1)


def _own(functions: Sequence[Function], around: dict[Expr, _Names]) -> _Names:
    """Return the dimensions that the parameters of local functions bind."""
    return _NONE.union(*(each.dim_params - around[each] for each in functions))


def _promised(functions: Sequence[Function], around: dict[Expr, _Names]) -> _Names:
    """Return the result dimensions of local functions that neither scope nor parameters bind."""
    types = [(each, cast("FuncType", each.type)) for each in functions]
    return _NONE.union(
        *(dim_variables(ty.result) - around[each] - each.dim_params for each, ty in types)
    )
