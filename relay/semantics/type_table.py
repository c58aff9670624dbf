"""The table of types during inference, with a type for each node that may have holes."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.ir.expr import Expr, Var
from relay.ir.types import UNIT, FuncType, IncompleteType, Type
from relay.semantics.quantified_dims import QuantifiedDims, instantiated
from relay.semantics.type_mismatch import Mismatch, TypedRole, mismatch_error
from relay.semantics.unify import Unifier, joined_type
from relay.support.span import Span

Found: TypeAlias = Type | list[IncompleteType]
"""A type, or the holes that must be filled before it can be inferred."""

_Comparison: TypeAlias = Callable[[Type, Type], Type]


class KnownTypes:
    """The types of nodes during inference, with holes for unknown parts.

    It compares types with expected ones, and retries deferred inference.
    """

    def __init__(self, unifier: Unifier, own_sizes: QuantifiedDims) -> None:
        self.unifier = unifier
        self.own_sizes = own_sizes
        self.types: dict[Expr, Type] = {}

    def wake(self) -> None:
        """Retry the deferred actions that waited for holes which have been filled since."""
        while self.unifier.woken:
            self.unifier.woken.pop()()

    def var(self, var: Var) -> Type:
        """Return the declared or inferred type of a variable, or a new hole."""
        return self.types.setdefault(var, var.annotation or var.ty or self.unifier.hole())

    def of(self, expr: Expr) -> Type:
        """Return the type of a node, as far as it is known so far."""
        return self.unifier.resolve(self.types[expr])

    def passed(self, expr: Expr) -> Type:
        """Return the type of an expression that is passed as a value, without an expected type.

        The dimensions that a function is quantified over become `?`.
        """
        return self.unifier.resolve(self._instantiated_for(expr, UNIT))

    def _instantiated_for(self, expr: Expr, wanted: Type) -> Type:
        """Return an expression's type, with a function's own dimensions chosen for `wanted`.

        Those that `wanted` does not determine become `?`.
        """
        own, found = self.own_sizes.of(expr), self.types[expr]
        if not own or found is wanted:
            return found
        known = self.unifier.resolve(found)
        assert isinstance(known, FuncType), "only functions have sizes of their own"
        return instantiated(known, own, self.unifier.resolve(wanted))

    def equal(self, expected: Type, expr: Expr, place: TypedRole, user: Span | None) -> None:
        """Unify the type of an expression with `expected`; a generic function is instantiated.

        Raises a type error if that is impossible, in which `place` is the role of the expression.
        `user` is the source span of the use, since a variable's own span is that of its binding.
        """
        self._compared(self.unifier.fit, expected, expr, place, user)

    def choice(self, branches: Sequence[Expr], place: TypedRole, user: Span | None) -> Type:
        """Return the common type of branches; dimensions in which they differ become `?`.

        `place` is their role and `user` the source span, for error messages.
        """
        types = [self.passed(branch) for branch in branches]
        if joined := joined_type(types, self.unifier):
            return joined
        result = types[0]
        for branch in branches[1:]:
            result = self._compared(self.unifier.meet, result, branch, place, user)
        return result

    def _compared(
        self, how: _Comparison, expected: Type, expr: Expr, place: TypedRole, user: Span | None
    ) -> Type:
        try:
            return how(expected, self._instantiated_for(expr, expected))
        except Mismatch as why:
            shown = self.unifier.resolve(expected), self.of(expr)
            span = user if isinstance(expr, Var) or expr.span is None else expr.span
            raise mismatch_error(place, *shown, why, expr).at(span) from None

    def now_or_later(self, attempt: Callable[[], Found], span: Span | None) -> Type:
        """Return the type that `attempt` infers, or an unknown type to be filled later."""
        found = attempt()
        if not isinstance(found, list):
            return found
        result = self.unifier.hole()

        def again() -> None:
            found = attempt()
            if isinstance(found, list):
                self.unifier.pin(*found)
                self.unifier.wait(found[0], again)
            else:
                self._fill_deferred(result, found, span)

        self.unifier.pin(result, *found)
        self.unifier.wait(found[0], again)
        return result

    def _fill_deferred(self, hole: Type, found: Type, span: Span | None) -> None:
        """Fill the unknown type `hole` with the type that deferred inference has found."""
        try:
            self.unifier.unify(hole, found)
        except Mismatch as why:
            shown = self.unifier.resolve(hole), self.unifier.resolve(found)
            raise mismatch_error(TypedRole("the result"), *shown, why).at(span) from None
