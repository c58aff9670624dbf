"""The class `ScopeBuilder`, which builds nested lets and ifs from statements."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeAlias

from relay.ir.expr import Expr, If, Let, Var
from relay.ir.field_validation import require
from relay.ir.types import Type
from relay.ops.functions.variables_and_constants import var
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node

Named: TypeAlias = "Var | str | tuple[str, Type | DType | str]"


class ScopeBuilder:
    """Builds nested lets from statements; every scope ends in one `ret`.

    >>> x, scope = var("x", "float32"), ScopeBuilder()
    >>> with scope.if_scope(x < 0):
    ...     scope.ret(-x)
    >>> with scope.else_scope():
    ...     twice = scope.let("twice", x + x)
    ...     scope.ret(twice)
    >>> type(scope.get()).__name__
    'If'

    Raises `U040` if a scope returns twice or continues after its return, `U041` for an else without
    an if, and `U042` if a scope has not returned.
    """

    def __init__(self) -> None:
        self._scopes: list[_Scope] = [_Scope([])]

    def let(self, name: Named, value: Expr) -> Var:
        """Bind a value to a variable and return it.

        `name` is a variable, or the name, or the name and the type of a new one.
        """
        require(Expr, "the value of a let", value)
        match name:
            case Var():
                bound = name
            case (hint, annotation):
                bound = var(hint, annotation)
            case hint:
                bound = Var(hint, ty=value.ty)
        self._top.lets.append((bound, value))
        return bound

    def ret(self, value: Expr) -> None:
        """Set the result of the current scope; no statement may follow."""
        require(Expr, "the value of a scope", value)
        self._top.give(value)

    @contextmanager
    def if_scope(self, condition: Expr) -> Generator[None]:
        """Open the scope that is evaluated if the condition, a bool of rank 0, is true."""
        require(Expr, "the condition of an if", condition)
        with self._nested() as inner:
            yield
        self._top.give(_Open(condition, inner.expression()))

    @contextmanager
    def else_scope(self) -> Generator[None]:
        """Open the scope that is evaluated if the preceding `if_scope`'s condition is false."""
        started = self._top.result
        if not isinstance(started, _Open):
            help_ = (
                "write `with scope.if_scope(condition): …` directly before `with "
                "scope.else_scope(): …`"
            )
            raise UsageError(
                ErrorCode.U041,
                "else_scope() is used without an if_scope() directly before it",
                help=help_,
            )
        with self._nested() as inner:
            yield
        self._top.result = If(started.condition, started.then, inner.expression())

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression; None if it has not been inferred yet."""
        return expr.ty

    def get(self) -> Expr:
        """Return the expression that was built; raises `U042` inside a scope."""
        if len(self._scopes) > 1:
            help_ = "call scope.get() after the last `with scope…` block"
            raise UsageError(
                ErrorCode.U042,
                "scope.get() is called inside a `with scope…` block, which is not complete yet",
                help=help_,
            )
        return self._top.expression()

    @property
    def _top(self) -> "_Scope":
        return self._scopes[-1]

    @contextmanager
    def _nested(self) -> "Generator[_Scope]":
        self._scopes.append(_Scope([]))
        try:
            yield self._top
        finally:
            self._scopes.pop()


@node
class _Open:
    """The condition and the true branch of an `if` whose else branch is not built yet."""

    condition: Expr
    then: Expr


class _Scope:
    """The statements of a scope, and its result."""

    def __init__(self, lets: list[tuple[Var, Expr]]) -> None:
        self.lets = lets
        self.result: Expr | _Open | None = None

    def give(self, result: "Expr | _Open") -> None:
        """Set the result of the scope; raises `U040` if it has one already."""
        if self.result is not None:
            help_ = (
                "remove the code after the first `scope.ret(…)`, or after the if and else scopes"
                " that return a value"
            )
            raise UsageError(ErrorCode.U040, "the scope returns a value a second time", help=help_)
        self.result = result

    def expression(self) -> Expr:
        """Return the result of the scope, wrapped in its lets."""
        if self.result is None:
            raise UsageError(
                ErrorCode.U042,
                "the scope has not returned a value yet",
                help="end the scope with `scope.ret(value)`",
            )
        if isinstance(self.result, _Open):
            help_ = "add `with scope.else_scope(): scope.ret(…)` after the if_scope"
            raise UsageError(
                ErrorCode.U042, "the scope has an if_scope, but no else_scope", help=help_
            )
        body = self.result
        for bound, value in reversed(self.lets):
            body = Let(bound, value, body)
        return body
