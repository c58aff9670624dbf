"""The table of types during inference, with a type for each node that may have holes."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.ir.expr import Expr, Var
from relay.ir.types import UNIT, FuncType, IncompleteType, Type
from relay.semantics.quantified_dims import OwnSizes, sized
from relay.semantics.type_mismatch import Mismatch, TypedPlace, clash
from relay.semantics.unify import Unifier, joined_type
from relay.support.span import Span

Found: TypeAlias = Type | list[IncompleteType]
"""A type, or the holes that must be filled before it can be inferred."""

_Comparison: TypeAlias = Callable[[Type, Type], Type]


class KnownTypes:
    """The types of nodes during inference; it checks expected types and defers inference."""

    def __init__(self, unifier: Unifier, own_sizes: OwnSizes) -> None:
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

        Quantified dimensions of a function become `?`.
        """
        return self.unifier.resolve(self._placed(expr, UNIT))

    def _placed(self, expr: Expr, wanted: Type) -> Type:
        """Return an expression's type, with quantified dimensions instantiated for `wanted`.

        Those that `wanted` does not determine become `?`.
        """
        own, found = self.own_sizes.of(expr), self.types[expr]
        if not own or found is wanted:
            return found
        known = self.unifier.resolve(found)
        assert isinstance(known, FuncType), "only functions have sizes of their own"
        return sized(known, own, self.unifier.resolve(wanted))

    def equal(self, expected: Type, expr: Expr, place: TypedPlace, user: Span | None) -> None:
        """Unify the type of an expression with `expected`; a generic function is instantiated.

        Records a type error if that is impossible. `place` says what the expression is there.
        `user` is the source span of the use, since a variable's own span is that of its binding.
        """
        self._compared(self.unifier.fit, expected, expr, place, user)

    def choice(self, branches: Sequence[Expr], place: TypedPlace, user: Span | None) -> Type:
        """Return the type of a choice of branches; dimensions in which they differ become `?`."""
        types = [self.passed(branch) for branch in branches]
        if joined := joined_type(types, self.unifier):
            return joined
        result = types[0]
        for branch in branches[1:]:
            result = self._compared(self.unifier.meet, result, branch, place, user)
        return result

    def _compared(
        self, how: _Comparison, expected: Type, expr: Expr, place: TypedPlace, user: Span | None
    ) -> Type:
        try:
            return how(expected, self._placed(expr, expected))
        except Mismatch as why:
            shown = self.unifier.resolve(expected), self.of(expr)
            span = user if isinstance(expr, Var) or expr.span is None else expr.span
            raise clash(place, *shown, why, expr).at(span) from None

    def now_or_later(self, attempt: Callable[[], Found], span: Span | None) -> Type:
        """Return the type that `attempt` infers, or a hole that is filled once it succeeds."""
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
                self._late(result, found, span)

        self.unifier.pin(result, *found)
        self.unifier.wait(found[0], again)
        return result

    def _late(self, hole: Type, found: Type, span: Span | None) -> None:
        """Fill the hole of a deferred result with the type that was inferred."""
        try:
            self.unifier.unify(hole, found)
        except Mismatch as why:
            shown = self.unifier.resolve(hole), self.unifier.resolve(found)
            raise clash(TypedPlace("the result"), *shown, why).at(span) from None
