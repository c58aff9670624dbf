"""The dimension variables and parameters in scope at each node of a function."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from relay.ir.attribute_dims import attribute_dims
from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Function, Let, Operator, Var
from relay.ir.match_patterns import Clause, Match
from relay.ir.types import Type, dim_variables, tensor_dim_vars
from relay.ir.walk import bound_by, outside_kernels

Dims: TypeAlias = frozenset[DimVar]
TypeOf: TypeAlias = Callable[[Var], Type | None]


def enclosing_dims(
    order: Sequence[Expr], type_of: TypeOf = lambda var: var.ty, only: Dims | None = None
) -> dict[Expr, Dims]:
    """Return a mapping from each node of a function to the dimension variables in scope there.

    `order` lists the nodes in post-order, and `type_of` returns the type of a variable. If `only`
    is passed, the result contains no other variables.
    """
    found = defaultdict[Expr, Dims](frozenset)
    for expr in reversed(order):  # users before operands
        for child, named in _scopes(expr, type_of):
            found[child] |= found[expr] | (named if only is None else named & only)
    return found


def dims_in(order: Iterable[Expr]) -> Dims:
    """Return the dimension variables in the types and operator attributes of expressions."""
    found = set[DimVar]()
    for expr in order:
        if isinstance(expr, Operator):
            found |= attribute_dims(expr)
        elif expr.ty is not None:
            found |= dim_variables(expr.ty)
    return frozenset(found)


def binds_new_dims(let: Let) -> bool:
    """Whether a let's variable has dimensions in its type that its value's type lacks.

    Such a let must not be removed: it binds these dimensions for other types, or checks them at run
    time. Dimensions inside function types do not count, because functions bind their own.
    """
    wanted, found = let.var.ty, let.value.ty
    if wanted is None or found is None or wanted is found:
        return False
    is_known = dim_variables(wanted) <= dim_variables(found)
    return not (is_known and tensor_dim_vars(wanted) <= tensor_dim_vars(found))


def enclosing_params(order: Sequence[Expr]) -> dict[Expr, tuple[Var, ...]]:
    """Return, for each node, the parameters of its enclosing functions, innermost first."""
    around: dict[Expr, tuple[Var, ...]] = {order[-1]: ()}
    for expr in reversed(order):
        here = around[expr]
        if isinstance(expr, Function):
            here = (*expr.params, *here)
        for child in outside_kernels(expr):
            around.setdefault(child, here)
    return around


def clause_dims(clause: Clause, type_of: TypeOf = lambda var: var.ty) -> Dims:
    """Return the dimension variables in the types of the variables that a clause binds.

    `type_of` returns the type of a variable.
    """
    return _dims(bound_by(clause.pattern), type_of)


def _dims(variables: Sequence[Var], type_of: TypeOf) -> Dims:
    types = map(type_of, variables)
    return dim_variables(*(ty for ty in types if ty is not None))


def _scopes(expr: Expr, type_of: TypeOf) -> Iterator[tuple[Expr, Dims]]:
    """Yield each child of a node with the dimension variables that the node binds for it."""
    match expr:
        case Function(body=body):
            yield body, expr.dim_params
        case Let(var, bound, body):
            yield bound, frozenset()
            yield body, _dims((var,), type_of)
        case Match(data, clauses):
            yield data, frozenset()
            for clause in clauses:
                yield clause.body, clause_dims(clause, type_of)
        case _:
            for child in outside_kernels(expr):
                yield child, frozenset()
