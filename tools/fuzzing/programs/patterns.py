"""Exhaustive clauses for a type, few of them redundant, with random nested patterns."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.ir.expr import Constructor, Expr, Var
from relay.ir.match_patterns import (
    Clause,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import TupleType, Type, TypeCall
from relay.ir.walk import bound_by
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.data import DataTypes

Body: TypeAlias = Callable[[Sequence[Var], int], Expr]
"""Returns the body of a clause from the variables of its pattern and the number of clauses."""

_NAMES = ("x", "h", "t", "f")


def clauses(ty: Type, data: DataTypes, choices: Choices, body: Body) -> tuple[Clause, ...]:
    """Return clauses for a value of that type."""
    maker = _Clauses(data, choices, body)
    found = maker.of(ty)
    return (*found, *(maker.of(ty)[:1] if choices.chance(8) else ()))


class _Clauses:
    def __init__(self, data: DataTypes, choices: Choices, body: Body) -> None:
        self.data = data
        self.choices = choices
        self.body = body

    def of(self, ty: Type) -> list[Clause]:
        """Match the constructors in any order; `_` may stand for the last ones."""
        if not isinstance(ty, TypeCall):
            return [self._clause(self._certain(ty), 1)]
        left = list(self.data.constructors(ty))
        found: list[Clause] = []
        count = len(left)
        while left:
            if self.choices.chance(5):
                return [*found, self._clause(self._simple(ty), count)]
            constructor = left.pop(self.choices.below(len(left)))
            found += self._of_constructor(constructor, ty, count)
        return found

    def _of_constructor(self, constructor: Constructor, ty: TypeCall, count: int) -> list[Clause]:
        """Match special cases of a constructor first, at random."""
        fields = self.data.fields(constructor, ty)
        special = [(i, each) for i, each in enumerate(fields) if self._is_refutable(each)]
        found: list[Clause] = []
        if special and self.choices.chance(3):
            index, field = self.choices.pick(special)
            inner = [self._simple(each) for each in fields]
            inner[index] = self._refutable(field)
            found.append(self._clause(PatternConstructor(constructor, tuple(inner)), count + 1))
        certain = tuple(self._certain(each) for each in fields)
        return [*found, self._clause(PatternConstructor(constructor, certain), count + 1)]

    def _clause(self, pattern: Pattern, count: int) -> Clause:
        return Clause(pattern, self.body(bound_by(pattern), count))

    def _is_refutable(self, ty: Type) -> bool:
        return isinstance(ty, TypeCall) and len(self.data.constructors(ty)) > 1

    def _refutable(self, ty: Type) -> Pattern:
        """Return a pattern that matches some values of a type with several constructors."""
        assert isinstance(ty, TypeCall), "only data types have constructors"
        constructor = self.choices.pick(self.data.constructors(ty))
        fields = self.data.fields(constructor, ty)
        return PatternConstructor(constructor, tuple(self._simple(each) for each in fields))

    def _certain(self, ty: Type) -> Pattern:
        """Return a pattern that matches every value of a type; recursion follows tuples."""
        if isinstance(ty, TupleType) and not self.choices.chance(3):
            return PatternTuple(tuple(self._certain(field) for field in ty.fields))
        return self._simple(ty)

    def _simple(self, ty: Type) -> Pattern:
        if self.choices.chance(4):
            return PatternWildcard()
        return PatternVar(Var(self.choices.pick(_NAMES), ty=ty))
