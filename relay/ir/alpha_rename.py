"""Alpha-renaming: bound variables and bound dimension variables are replaced by fresh ones.

The types of a global function's parameters bind their dimension variables. Those of a local
function, a `let` or a pattern bind only variables that are not in scope yet. So `n` in one function
is unrelated to `n` in another one, and types that move between functions are renamed first.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from relay.ir.analysis.dims_in_scope import binds_new_dims, clause_dims, enclosing_dims
from relay.ir.attribute_dims import substitute_attributes
from relay.ir.dims import Dim, DimVar, fresh_copies
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Let, Operator, Var
from relay.ir.match_patterns import Clause, Match
from relay.ir.module import Module
from relay.ir.types import FuncType, Type, dim_variables, substitute_dims
from relay.ir.walk import (
    binders,
    bound_by,
    fold,
    outside_kernels,
    post_order,
    rewrite,
    with_children,
)
from relay.support.node import replace

Renaming: TypeAlias = dict[DimVar, Dim]
"""A mapping from dimension variables to the fresh variables that replace them."""

_Dims: TypeAlias = frozenset[DimVar]
_NONE: _Dims = frozenset()


def with_fresh_variables(function: Function) -> Function:
    """Return a copy of a function in which every bound variable is replaced by a new one."""
    new = {var: fresh_var(var) for var in _bound_variables(function)}

    def rule(expr: Expr) -> Expr:
        return new.get(expr, expr) if isinstance(expr, Var) else expr

    return cast("Function", rewrite(function, rule))


def fresh_var(var: Var) -> Var:
    """Return a new variable with the name, types and span of `var`."""
    return Var(var.name, var.annotation, span=var.span, ty=var.ty)


def rebound_variables(module: Module) -> Iterator[tuple[str, Var]]:
    """Yield the names of functions that bind a variable of an earlier function.

    Each name is paired with the first such variable.
    """
    seen: set[Var] = set()
    for name, function in module.functions.items():
        bound = list(_bound_variables(function))
        again = next((var for var in bound if var in seen), None)
        if again is not None:
            yield name, again
        seen.update(bound)


def with_distinct_variables(module: Module) -> Module:
    """Return a module in which no two functions bind the same variable.

    It is `module` itself if this holds already.
    """
    copies = {name: with_fresh_variables(module[name]) for name, _ in rebound_variables(module)}
    return module.with_functions({**module.functions, **copies}) if copies else module


def _bound_variables(function: Function) -> Iterator[Var]:
    """Yield the variables that a function binds outside of its fused kernels.

    Copies of a kernel may share variables.
    """
    for expr in post_order(function, edges=outside_kernels):
        if outside_kernels(expr):
            yield from binders(expr)


# Dimensions


def fresh_dims(function: Function) -> Renaming:
    """Return a new variable for each dimension variable that a global function binds.

    >>> from relay.ir.types import TensorType
    >>> n, x = DimVar("n"), Var("x", TensorType((DimVar("n"), 2)))
    >>> renaming = fresh_dims(Function((x,), x))
    >>> renaming.keys() == {n}, n in renaming.values()
    (True, False)
    """
    types = {var.ty for expr in post_order(function) for var in binders(expr)}
    return fresh_copies(dim_variables(*(ty for ty in types if ty is not None)))


def with_fresh_dims(ty: Type) -> Type:
    """Return a type with fresh variables for all its dimension variables."""
    return substitute_dims(ty, fresh_copies(dim_variables(ty)))


def with_renamed_dims(function: Function, renaming: Mapping[DimVar, Dim]) -> Function:
    """Return a function in which `renaming` replaces dimension variables.

    They are replaced in types and in operator attributes.

    References to global functions and constructors are unchanged, because their types bind
    dimensions of their own.
    """
    known: dict[Type | None, Type | None] = {None: None}

    def of(ty: Type | None) -> Type | None:
        if ty not in known:
            known[ty] = ty and substitute_dims(ty, renaming)
        return known[ty]

    def visit(old: Expr, new: list[Expr]) -> Expr:
        if isinstance(old, GlobalVar | Constructor):
            return old
        if isinstance(old, Operator):
            return substitute_attributes(old, renaming)
        ty = of(old.ty)
        expr = with_children(old, new, ty) if new else old
        match expr:
            case Var(_, annotation):
                return replace(expr, annotation=of(annotation), ty=ty)
            case Function(result=result):
                return replace(expr, result=of(result), ty=ty)
            case Call(type_arguments=types) if types:
                chosen = tuple(substitute_dims(each, renaming) for each in types)
                return replace(expr, type_arguments=chosen, ty=ty)
            case _:
                return replace(expr, ty=ty)

    return cast("Function", fold(function, visit))


def with_distinct_dims(root: Function) -> Function:
    """Return a typed function in which no two scopes bind the same dimension variable.

    A `let` or match clause that binds a variable like `n` gets a fresh one if another scope, or a
    parameter of a local function, binds `n`, too, so that passes may move code between scopes.
    Nested scopes may share a variable. A dimension in a local function's result type that its body
    binds keeps its name, because callers refer to it.
    """
    order = post_order(root, edges=outside_kernels)
    places = {place: dims for expr in order for place, dims in _dim_binders(expr)}
    all_dims = _NONE.union(*places.values())
    if not all_dims:
        return root
    around = enclosing_dims(order, only=all_dims)
    functions = [expr for expr in order[:-1] if isinstance(expr, Function)]
    taken, kept = _parameter_dims(functions, around), _result_dims(functions, around)
    with_fresh_variables: dict[_Place, Renaming] = {}
    for place, dims in places.items():
        bound = dims - around[place[0]]
        with_fresh_variables[place] = fresh_copies((bound & taken) - kept)
        taken |= bound
    changed = _NONE.union(*(renaming.keys() for renaming in with_fresh_variables.values()))
    if not changed:
        return root

    def visit(old: Expr, new: list[Expr]) -> Expr:
        escapes = old.ty is not None and not changed.isdisjoint(dim_variables(old.ty))
        known = None if escapes and not isinstance(old, Function) else old.ty
        expr = with_children(old, new, known) if new else old
        match expr:
            case Let() if renaming := with_fresh_variables.get((old, 0)):
                (var,), body = _renamed_in((expr.var,), expr.body, renaming)
                return replace(expr, var=var, body=body, ty=known)
            case Match(data, clauses):
                parts = [
                    _clause(each, with_fresh_variables.get((old, n)))
                    for n, each in enumerate(clauses)
                ]
                inner = [data, *(each for part in parts for each in part)]
                return with_children(expr, inner, known)
            case _:
                return expr

    return cast("Function", fold(root, visit, edges=outside_kernels))


_Place: TypeAlias = tuple[Expr, int]
"""A binder of dimensions: a let (with 0), or a match with the index of a clause."""


def _dim_binders(expr: Expr) -> Iterator[tuple[_Place, _Dims]]:
    """Yield the lets and match clauses of an expression, with the dimensions that each binds."""
    match expr:
        case Let() if binds_new_dims(expr):
            yield (expr, 0), dim_variables(expr.var.type) - dim_variables(expr.value.type)
        case Match(clauses=clauses):
            for number, clause in enumerate(clauses):
                yield (expr, number), clause_dims(clause)
        case _:
            pass


def _clause(clause: Clause, renaming: Renaming | None) -> tuple[Expr, ...]:
    """Return a clause's variables and its body, with dimension variables renamed by `renaming`."""
    variables = tuple(bound_by(clause.pattern))
    if not renaming:
        return *variables, clause.body
    inside, body = _renamed_in(variables, clause.body, renaming)
    return *inside, body


def _renamed_in(
    variables: tuple[Var, ...], body: Expr, renaming: Renaming
) -> tuple[tuple[Var, ...], Expr]:
    """Return `variables` and the `body` that they scope over, with dimension variables renamed."""
    inside = with_renamed_dims(Function(variables, body), renaming)
    return inside.params, inside.body


def _parameter_dims(functions: Sequence[Function], around: Mapping[Expr, _Dims]) -> _Dims:
    """Return the dimension variables that parameters of local functions bind.

    `around` maps each function to the variables that are in scope outside of it.
    """
    return _NONE.union(*(each.dim_params - around[each] for each in functions))


def _result_dims(functions: Sequence[Function], around: Mapping[Expr, _Dims]) -> _Dims:
    """Return dimensions in local functions' result types that are bound inside their bodies.

    `around` maps each function to the variables that are in scope outside of it.
    """
    types = [(each, cast("FuncType", each.type)) for each in functions]
    return _NONE.union(
        *(dim_variables(ty.result) - around[each] - each.dim_params for each, ty in types)
    )
