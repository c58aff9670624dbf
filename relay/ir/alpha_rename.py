"""Alpha-renaming: bound variables and bound dimension variables are replaced by fresh ones.

The types of a global function's parameters bind their dimension variables. Those of a local
function, a `let` or a pattern bind only variables that are not in scope yet. So `n` in one function
is unrelated to `n` in another one, and types that move between functions are renamed first.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from relay.ir.analysis.dims_in_scope import dims_around, named_by, opens_dims
from relay.ir.attribute_dims import substitute_attributes
from relay.ir.dims import Dim, DimVar, renamed_apart
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


def fresh(function: Function) -> Function:
    """Return a copy of a function in which every bound variable is replaced by a new one."""
    new = {var: renewed(var) for var in _bound(function)}

    def rule(expr: Expr) -> Expr:
        return new.get(expr, expr) if isinstance(expr, Var) else expr

    return cast("Function", rewrite(function, rule))


def renewed(var: Var) -> Var:
    """Return a new variable with the name, types and span of another one."""
    return Var(var.name, var.annotation, span=var.span, ty=var.ty)


def bound_twice(module: Module) -> Iterator[tuple[str, Var]]:
    """Yield the name of each function that binds a variable of an earlier function.

    With the name, the first such variable is yielded.
    """
    seen: set[Var] = set()
    for name, function in module.functions.items():
        bound = list(_bound(function))
        again = next((var for var in bound if var in seen), None)
        if again is not None:
            yield name, again
        seen.update(bound)


def bound_apart(module: Module) -> Module:
    """Return a module in which no two functions bind the same variable.

    If this holds already, the result is `module` itself.
    """
    copies = {name: fresh(module[name]) for name, _ in bound_twice(module)}
    return module.with_functions({**module.functions, **copies}) if copies else module


def _bound(function: Function) -> Iterator[Var]:
    """Yield the variables that a function binds, except for those in its fused kernels.

    Copies of a kernel may share variables.
    """
    for expr in post_order(function, edges=outside_kernels):
        if outside_kernels(expr):
            yield from binders(expr)


# Dimensions


def fresh_dims(function: Function) -> Renaming:
    """Return a renaming to fresh variables of all dimension variables that a global function binds.

    >>> from relay.ir.types import TensorType
    >>> n, x = DimVar("n"), Var("x", TensorType((DimVar("n"), 2)))
    >>> renaming = fresh_dims(Function((x,), x))
    >>> renaming.keys() == {n}, n in renaming.values()
    (True, False)
    """
    types = {var.ty for expr in post_order(function) for var in binders(expr)}
    return renamed_apart(dim_variables(*(ty for ty in types if ty is not None)))


def with_fresh_dims(ty: Type) -> Type:
    """Return a type with fresh variables for all its dimension variables."""
    return substitute_dims(ty, renamed_apart(dim_variables(ty)))


def renamed(function: Function, renaming: Mapping[DimVar, Dim]) -> Function:
    """Return a function whose dimension variables are renamed, in types and operator attributes.

    References to global functions and constructors are unchanged: their types bind their own
    dimensions.
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


def dims_apart(root: Function) -> Function:
    """Return a typed function in which lets and patterns bind different dimension variables.

    This holds unless one scope encloses the other. The variables also differ from those that the
    parameters of local functions bind. Passes may move computations, and a shared name would then
    refer to the wrong binding. A dimension of a local function's result type that is bound in its
    body keeps its name, because callers refer to it.
    """
    order = post_order(root, edges=outside_kernels)
    places = {place: told for expr in order for place, told in _places(expr)}
    told_at_all = _NONE.union(*places.values())
    if not told_at_all:
        return root
    around = dims_around(order, among=told_at_all)
    functions = [expr for expr in order[:-1] if isinstance(expr, Function)]
    taken, kept = _own(functions, around), _promised(functions, around)
    fresh: dict[_Place, Renaming] = {}
    for place, told in places.items():
        bound = told - around[place[0]]
        fresh[place] = renamed_apart((bound & taken) - kept)
        taken |= bound
    changed = _NONE.union(*(renaming.keys() for renaming in fresh.values()))
    if not changed:
        return root

    def visit(old: Expr, new: list[Expr]) -> Expr:
        escapes = old.ty is not None and not changed.isdisjoint(dim_variables(old.ty))
        known = None if escapes and not isinstance(old, Function) else old.ty
        expr = with_children(old, new, known) if new else old
        match expr:
            case Let() if renaming := fresh.get((old, 0)):
                (var,), body = _renamed_in((expr.var,), expr.body, renaming)
                return replace(expr, var=var, body=body, ty=known)
            case Match(data, clauses):
                parts = [_clause(each, fresh.get((old, n))) for n, each in enumerate(clauses)]
                inner = [data, *(each for part in parts for each in part)]
                return with_children(expr, inner, known)
            case _:
                return expr

    return cast("Function", fold(root, visit, edges=outside_kernels))


_Place: TypeAlias = tuple[Expr, int]
"""A binder of dimensions: a let (with 0), or a match with the index of a clause."""


def _places(expr: Expr) -> Iterator[tuple[_Place, _Dims]]:
    """Yield the lets and match clauses of an expression, with the dimensions that each binds."""
    match expr:
        case Let() if opens_dims(expr):
            yield (expr, 0), dim_variables(expr.var.type) - dim_variables(expr.value.type)
        case Match(clauses=clauses):
            for number, clause in enumerate(clauses):
                yield (expr, number), named_by(clause)
        case _:
            pass


def _clause(clause: Clause, renaming: Renaming | None) -> tuple[Expr, ...]:
    """Return the variables and the body of a match clause, after renaming its dimensions."""
    variables = tuple(bound_by(clause.pattern))
    if not renaming:
        return *variables, clause.body
    inside, body = _renamed_in(variables, clause.body, renaming)
    return *inside, body


def _renamed_in(
    variables: tuple[Var, ...], body: Expr, renaming: Renaming
) -> tuple[tuple[Var, ...], Expr]:
    """Return bound variables and the body in their scope, after renaming dimensions in both."""
    inside = renamed(Function(variables, body), renaming)
    return inside.params, inside.body


def _own(functions: Sequence[Function], around: Mapping[Expr, _Dims]) -> _Dims:
    """Return the dimension variables that the parameters of local functions bind."""
    return _NONE.union(*(each.dim_params - around[each] for each in functions))


def _promised(functions: Sequence[Function], around: Mapping[Expr, _Dims]) -> _Dims:
    """Return the dimensions of local functions' result types that are bound in their bodies."""
    types = [(each, cast("FuncType", each.type)) for each in functions]
    return _NONE.union(
        *(dim_variables(ty.result) - around[each] - each.dim_params for each, ty in types)
    )
