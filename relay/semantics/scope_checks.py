"""Scope checking: every name that a program uses must be bound.

Programs may be built by hand, by passes and by readers of files, so they are checked at every entry
point. A shared value is owned by the innermost scope that encloses all its uses
(`relay.ir.analysis.scope_placement`) and may use only variables that are visible there: a value
that two branches share cannot use a variable that only one of them binds.
"""

from collections.abc import Iterator, Mapping, Sequence

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import blocks, operands, text_scopes
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Operator,
    Var,
)
from relay.ir.free_type_variables import FreeTypeVars
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.temporary_expr import TempExpr
from relay.ir.types import TensorType, Type, TypeVar
from relay.ir.walk import binders, bound_by
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError


def scope_errors(
    module: Module, functions: Mapping[str, Function] | None = None
) -> list[RelayError]:
    """Return the errors of unbound names and repeated bindings, at most one for each function.

    `functions` are the functions of the module to check, by default all. `T030` is for a variable
    that is bound twice, `T031` for one out of scope, `T038` for a type variable out of scope,
    `T021` for an unknown global, `T041` for a temporary of a pass.
    """
    free = FreeTypeVars()
    errors: list[RelayError] = []
    for name, function in (module.functions if functions is None else functions).items():
        try:
            _Checker(module, f"@{name}", function, free).run()
        except RelayError as error:
            errors.append(error)
    return errors


class _Checker:
    """The scope check of one function: the variables visible in each scope, and their uses."""

    def __init__(self, module: Module, name: str, function: Function, free: FreeTypeVars) -> None:
        self.module = module
        self.name = name
        self.scopes = Placement(function, text_scopes)
        self.free = free
        self.visible: dict[Var, tuple[int, ...]] = {}
        self.type_vars: dict[TypeVar, list[int]] = {}

    def run(self) -> None:
        """Check the function, and raise the first scope error."""
        bound: set[Var] = set()
        used = [expr for expr in self.scopes.order if not isinstance(expr, _CLOSED)]
        for expr in used:
            if isinstance(expr, _BINDERS):
                self._bind(expr, bound)
        for expr in used:
            self._check(expr)
            for ty, scope in self._types(expr):
                self._check_type(ty, scope, expr)

    def _bind(self, expr: Expr, bound: set[Var]) -> None:
        """Record the scopes that see the variables and type variables which a node binds."""
        for var in binders(expr):
            if var in bound:
                help_ = "make a new variable for each binding: relay.var('…')"
                raise RelayTypeError(
                    ErrorCode.T030,
                    f"the variable %{var.name} is bound twice",
                    span=var.span,
                    help=help_,
                )
            bound.add(var)
        for var, scopes in self._bindings(expr):
            self.visible[var] = scopes
        if isinstance(expr, Function):
            for var in expr.type_params:
                self.type_vars.setdefault(var, []).append(self.scopes.scope(expr))

    def _bindings(self, expr: Expr) -> Iterator[tuple[Var, tuple[int, ...]]]:
        """Yield each variable that a node binds, with the numbers of the scopes that see it."""
        match expr:
            case Function(params):
                yield from ((var, (self.scopes.scope(expr),)) for var in params)
            case Let(var, value):
                inner = self.scopes.scope(expr)
                yield var, (inner, inner + 1) if isinstance(value, Function) else (inner + 1,)
            case Match(_, clauses):
                for index, clause in enumerate(clauses):
                    scope = self.scopes.scope(expr, index)
                    yield from ((var, (scope,)) for var in bound_by(clause.pattern))
            case _:
                pass

    # Uses

    def _check(self, expr: Expr) -> None:
        match expr:
            case GlobalVar(name) if name not in self.module.functions:
                known = ", ".join(f"@{each}" for each in self.module.functions)
                message = f"the module has no function @{name}"
                raise RelayTypeError(
                    ErrorCode.T021,
                    message,
                    span=expr.span,
                    help=f"use one of the functions {known}",
                )
            case TempExpr():
                message = f"a pass did not replace its temporary expression {type(expr).__name__}"
                help_ = "let the pass replace it, or report this to the authors of the pass"
                raise RelayTypeError(ErrorCode.T041, message, span=expr.span, help=help_)
            case _:
                home = self.scopes.owner(expr)
                for part in operands(expr):
                    if isinstance(part, Var):
                        self._check_var(part, home, expr)
                for index, part in enumerate(blocks(expr)):
                    if isinstance(part, Var):
                        self._check_var(part, self.scopes.scope(expr, index), expr)

    def _check_var(self, var: Var, scope: int, user: Expr) -> None:
        if not self._is_seen(scope, self.visible.get(var, ())):
            raise self._out_of_scope(var, user)

    def _is_seen(self, scope: int, visible: Sequence[int]) -> bool:
        return scope in visible or any(self.scopes.encloses(each, scope) for each in visible)

    def _out_of_scope(self, var: Var, user: Expr) -> RelayTypeError:
        if var not in self.visible:
            message = (
                f"{self.name} uses the variable %{var.name}, but no parameter or let defines it"
            )
            help_ = f"make %{var.name} a parameter, or define it with let %{var.name} = …"
            return RelayTypeError(ErrorCode.T031, message, span=user.span or var.span, help=help_)
        message = f"the variable %{var.name} is used outside of the function or let that defines it"
        notes = [_SHARED] if self.scopes.is_shared(user) else []
        help_ = f"use %{var.name} inside, or return the value computed from it"
        return RelayTypeError(
            ErrorCode.T031, message, span=user.span or var.span, notes=notes, help=help_
        )

    # Types

    def _types(self, expr: Expr) -> Iterator[tuple[Type | None, int]]:
        """Yield each type of a node, with the scope number whose type variables it may use."""
        home = self.scopes.owner(expr)
        yield expr.ty, home
        match expr:
            case Function(params, _, result):
                inner = self.scopes.scope(expr)
                yield result, inner
                yield from ((ty, inner) for var in params for ty in (var.annotation, var.ty))
            case Call(_, _, type_args):
                yield from ((ty, home) for ty in type_args)
            case Let() | Match():
                for var, scopes in self._bindings(expr):
                    yield from ((ty, scopes[-1]) for ty in (var.annotation, var.ty))
            case _:
                pass

    def _check_type(self, ty: Type | None, scope: int, expr: Expr) -> None:
        if ty is None or isinstance(ty, TensorType):
            return
        for var in self.free.of(ty):
            if not self._is_seen(scope, self.type_vars.get(var, ())):
                raise self._type_out_of_scope(var, expr)

    def _type_out_of_scope(self, var: TypeVar, expr: Expr) -> RelayTypeError:
        message = f"no enclosing function declares the type parameter {var.name}"
        help_ = f"declare it: fn [{var.name}](…) {{ … }}"
        if var in self.type_vars:
            message = (
                f"the type of a variable contains the type parameter {var.name} of an inner "
                "function"
            )
            help_ = (
                f"declare {var.name} as a type parameter of the outer function, or write "
                "another type"
            )
        return RelayTypeError(ErrorCode.T038, message, span=expr.span, help=help_)


_CLOSED = (Var, Constant, Constructor, Operator)
"""The classes of nodes that need no check themselves; variables are checked at their uses."""

_BINDERS = (Function, Let, Match)

_SHARED = "a shared expression is computed in the innermost scope that contains all its uses"
