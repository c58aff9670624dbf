"""Which sizes have a meaning where: those of parameters, lets and patterns around an expression."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.patterns import Clause, Match
from relay.ir.types import Type, dim_variables
from relay.ir.walk import bound_by, outside_kernels

Dims: TypeAlias = frozenset[DimVar]
TypeOf: TypeAlias = Callable[[Var], Type | None]


def dims_around(
    order: Sequence[Expr], type_of: TypeOf = lambda var: var.ty, among: Dims | None = None
) -> dict[Expr, Dims]:
    """Return the sizes that have a meaning around each node of a function, given in post-order.

    `type_of` is what counts as the type of a variable; only sizes `among` some are looked at.
    """
    found = defaultdict[Expr, Dims](frozenset)
    for expr in reversed(order):  # users before what they use
        for child, named in _scopes(expr, type_of):
            found[child] |= found[expr] | (named if among is None else named & among)
    return found


def named_by(clause: Clause, type_of: TypeOf = lambda var: var.ty) -> Dims:
    """Return the sizes that the variables of a pattern have."""
    return _dims(bound_by(clause.pattern), type_of)


def _dims(variables: Sequence[Var], type_of: TypeOf) -> Dims:
    types = map(type_of, variables)
    return dim_variables(*(ty for ty in types if ty is not None))


def _scopes(expr: Expr, type_of: TypeOf) -> Iterator[tuple[Expr, Dims]]:
    """Yield what a node uses, with the sizes that have a meaning there and not around the node."""
    match expr:
        case Function(body=body):
            yield body, expr.dim_params
        case Let(var, bound, body):
            yield bound, frozenset()
            yield body, _dims((var,), type_of)
        case Match(data, clauses):
            yield data, frozenset()
            for clause in clauses:
                yield clause.body, named_by(clause, type_of)
        case _:
            for child in outside_kernels(expr):
                yield child, frozenset()
