"""Generate reads that may be out of range, and tests that guard them."""

from collections.abc import Callable
from typing import Any

from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr, Function, If, Let, Tuple, TupleGetItem
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternWildcard
from relay.ir.types import TensorType, Type, scalar_type
from relay.ops.functions import core
from relay.support.dtype import int32
from relay.support.node import replace
from tools.fuzzing.programs.generic_grower import GenericGrower
from tools.fuzzing.programs.operators import makers
from tools.fuzzing.programs.scope import Guarded, Scope

op: Any = core
_INDEX = scalar_type(int32)
_SELDOM = 6
"""One in this many reads is unguarded, so that most programs return a value."""


class GuardedGrower(GenericGrower):
    """A generator of reads whose index may be out of range; a subclass generates the rest.

    Such a read is a node that several places may share, each behind its own test.
    """

    def guarded_read(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        """Create a read that later code may use where its index is known to be in range."""
        kinds = [each for each in (ty, *scope.types()) if _is_read(each)]
        if not kinds:
            return None
        kind = self.choices.pick(kinds)
        assert isinstance(kind, TensorType), "only tensors were asked for"
        size = self.choices.between(1, 3)
        source = self.expr(TensorType((size, *kind.shape), kind.dtype), scope, 1)
        index = self.var(_INDEX)
        read = op.take(source, index, axis=0, mode="raise")
        inside = op.logical_and(index >= -size, index < size)
        bind, value = self._formed(read, scope)
        inner = scope.with_values(index).with_guarded(Guarded(inside, value))
        rest = self._used_twice(ty, inner, budget // 2)
        return Let(index, self.expr(_INDEX, scope, budget // 4), bind(rest))

    def _used_twice(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Return an expression that chooses twice whether to read, within the budget."""
        first = self.var(self.choices.pick([ty, scope.guarded[-1].value.type]))
        bound = self._tested(scope.guarded[-1], first.type, scope, budget // 2)
        rest = scope.with_values(first)
        if self.choices.chance(2):
            return Let(first, bound, self._tested(scope.guarded[-1], ty, rest, budget // 2))
        return Let(first, bound, self.expr(ty, rest, budget // 2))

    def shared_at_will(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Create a shared node with any effect, which is evaluated once, on first use."""
        node = self.expr(self.type(scope, 1), scope, budget // 2)
        return self.expr(ty, scope.with_values(node), budget // 2)

    def _formed(self, read: Expr, scope: Scope) -> tuple[Callable[[Expr], Expr], Expr]:
        """Return a function that binds operands around a body, and the node to read."""
        match self.choices.below(4):
            case 0:
                kind = read.tensor_type
                at_hand = scope.with_values(read)
                made = self.choices.pick(makers(kind))(lambda ty: self.expr(ty, at_hand, 1))
                return _nothing, made
            case 1:
                literal = Function((), read)
                name = self.var(literal.type)
                return lambda body: Let(name, literal, body), Call(name, ())
            case 2:
                return _nothing, TupleGetItem(Tuple((self.expr(_INDEX, scope, 1), read)), 1)
            case _:
                return _nothing, read

    def under_test(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        """Return a conditional that reads only if a guard holds; None if there is no guard."""
        if not scope.guarded:
            return None
        return self._tested(self.choices.pick(scope.guarded), ty, scope, budget)

    def _tested(self, guarded: Guarded, ty: Type, scope: Scope, budget: int) -> Expr:
        value = guarded.value
        if self.choices.chance(3):
            value = replace(value)  # an equal test
        bound = self.var(value.type) if self.choices.chance(4) else None
        inside = self.expr(ty, scope.with_values(value if bound is None else bound), budget // 2)
        then = inside if bound is None else Let(bound, value, inside)
        if self.choices.chance(_SELDOM):
            return then
        return self._chosen(guarded.inside, then, self.expr(ty, scope, budget // 2))

    def _chosen(self, test: Expr, then: Expr, other: Expr) -> Expr:
        """Return a conditional in one of its forms."""
        match self.choices.below(4):
            case 0:
                return If(op.logical_not(test), other, then)
            case 1:
                cons, nil = self.data.types["List"].constructors
                empty = Call(nil, (), (_INDEX,))
                one = Call(cons, (self.expr(_INDEX, Scope(), 1), empty), (_INDEX,))
                some = PatternConstructor(cons, (PatternWildcard(), PatternWildcard()))
                clauses = (Clause(PatternConstructor(nil), other), Clause(some, then))
                return Match(If(test, one, empty), clauses)
            case _:
                return If(test, then, other)


def _nothing(body: Expr) -> Expr:
    return body


def _is_read(ty: Type) -> bool:
    return isinstance(ty, TensorType) and is_static(ty.shape)
