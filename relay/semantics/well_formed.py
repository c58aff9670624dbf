"""Checks of programs as passes leave them: binders and scopes, and the types that nodes carry."""

from collections.abc import Iterator

from relay.ir.expr import (
    Call,
    Clause,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Operator,
    TempExpr,
    Var,
)
from relay.ir.module import Module
from relay.ir.types import FuncType, Type, is_complete
from relay.ir.walk import bound_by, children, post_order
from relay.semantics.blame import Clash, Mismatch, Place, clash
from relay.semantics.calls import instantiate_sizes
from relay.semantics.unify import Unifier
from relay.support.errors import TypeError_
from relay.support.node import replace


def check_well_formed(module: Module) -> None:
    """Require that every variable is bound once and used in its scope, and every global is there.

    A node that is shared by several scopes is looked at where it stands first. Raises `T030` for a
    variable that is bound twice, `T031` for one that is out of scope, `T021` for an unknown global,
    `T041` for a temporary of a pass that should have been replaced.
    """
    bound: set[int] = set()
    for function in module.functions.values():
        _check_scopes(function, bound)
        for expr in post_order(function):
            if isinstance(expr, GlobalVar) and expr.name not in module.functions:
                message = f"no function @{expr.name} in the module"
                raise TypeError_("T021", message, span=expr.span)
            if isinstance(expr, TempExpr):
                message = f"a pass left a temporary behind: {type(expr).__name__}"
                raise TypeError_("T041", message, span=expr.span)


_Step = tuple[str, Expr]


def _check_scopes(function: Function, bound: set[int]) -> None:
    """Walk in the order of evaluation, with the variables that are visible at each point."""
    visible: set[int] = set()
    seen: set[int] = set()
    stack: list[_Step] = [("visit", function)]
    while stack:
        step, expr = stack.pop()
        if step == "bind":
            _bind(expr, bound)
            visible.add(id(expr))
        elif step == "forget":
            visible.discard(id(expr))
        elif isinstance(expr, Var):
            if id(expr) not in visible:
                message = f"%{expr.name} is used outside its scope"
                raise TypeError_("T031", message, span=expr.span)
        elif id(expr) not in seen:
            seen.add(id(expr))
            stack.extend(reversed(list(_steps(expr))))


def _bind(var: Expr, bound: set[int]) -> None:
    if id(var) in bound:
        name = var.name if isinstance(var, Var) else "?"
        raise TypeError_("T030", f"%{name} is bound twice", span=var.span)
    bound.add(id(var))


def _steps(expr: Expr) -> Iterator[_Step]:
    """Yield what happens at a node: variables appear, parts are visited, variables disappear."""
    match expr:
        case Function(params, body):
            yield from _scope(params, body)
        case Let(var, value, body):
            sees_itself = isinstance(value, Function)
            first, second = ("bind", var), ("visit", value)
            yield from (first, second) if sees_itself else (second, first)
            yield ("visit", body)
            yield ("forget", var)
        case Match(data, clauses):
            yield ("visit", data)
            for clause in clauses:
                yield from _clause(clause)
        case _:
            yield from (("visit", child) for child in children(expr))


def _clause(clause: Clause) -> Iterator[_Step]:
    yield from _scope(bound_by(clause.pattern), clause.body)


def _scope(params: "list[Var] | tuple[Var, ...]", body: Expr) -> Iterator[_Step]:
    yield from (("bind", param) for param in params)
    yield ("visit", body)
    yield from (("forget", param) for param in params)


def check_types(module: Module) -> None:
    """Require that every node carries the type that its parts give it (`T032` if not)."""
    for function in module.functions.values():
        for expr in post_order(function):
            if not isinstance(expr, Operator):
                _check_node(expr)


def _check_node(expr: Expr) -> None:
    carried = expr.ty
    if isinstance(expr, GlobalVar):
        return  # whoever calls it computes with the type that it had when the call was built
    if carried is None or not is_complete(carried):
        raise TypeError_("T032", f"a {type(expr).__name__} without a type", span=expr.span)
    computed = _computed(expr)
    if computed is not None and not _agree(carried, computed):
        raise TypeError_(
            "T032",
            f"a {type(expr).__name__} carries the type {carried!r}; its parts give {computed!r}",
            span=expr.span,
        )
    if isinstance(expr, Call) and isinstance(expr.op.ty, FuncType) and not expr.type_args:
        _check_arguments(expr, expr.op.ty)


def _computed(expr: Expr) -> Type | None:
    """Return what the constructor makes of the parts; None if it leaves that to inference."""
    if isinstance(expr, Constructor) or not children(expr):
        return None
    if isinstance(expr, If) and expr.then.ty is not None and expr.other.ty is not None:
        return expr.then.ty if _agree(expr.then.ty, expr.other.ty) else expr.other.ty
    if isinstance(expr, Call) and isinstance(expr.op.ty, FuncType):
        return _callee_type(expr, expr.op.ty).result
    return replace(expr, ty=None).ty


def _callee_type(call: Call, callee: FuncType) -> FuncType:
    """Return the type of what is called, for its type arguments and the sizes of its arguments."""
    has_choice = len(call.type_args) == len(callee.type_params)
    callee = Unifier().opened(callee, call.type_args if has_choice else None)
    is_global = isinstance(call.op, GlobalVar) and len(call.args) == len(callee.params)
    return instantiate_sizes(callee, [arg.type for arg in call.args]) if is_global else callee


def _check_arguments(call: Call, callee: FuncType) -> None:
    if len(call.args) != len(callee.params):
        message = f"a function of {len(callee.params)} parameters is given {len(call.args)}"
        raise TypeError_("T023", message, span=call.span)
    params = _callee_type(call, callee).params
    for index, (param, arg) in enumerate(zip(params, call.args, strict=True)):
        if not _agree(param, arg.type):
            why = Mismatch(Clash.KIND, "an earlier pass changed one of them")
            raise clash(Place(f"argument {index + 1}"), param, arg.type, why).at(call.span)


def _agree(wanted: Type, found: Type) -> bool:
    """Whether two types are equal, up to sizes that one of them leaves open."""
    try:
        Unifier().fit(wanted, found)
    except Mismatch:
        return False
    return True
