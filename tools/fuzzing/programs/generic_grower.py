"""Generate local functions with type parameters, and calls of them."""

from abc import ABC, abstractmethod

from relay.ir.expr import (
    Call,
    Expr,
    Function,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternVar,
    PatternWildcard,
)
from relay.ir.reference_cells import RefCreate, RefRead
from relay.ir.types import FuncType, RefType, TupleType, Type, TypeVar
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.data import DataTypes
from tools.fuzzing.programs.scope import Scope
from tools.fuzzing.programs.signatures import arguments_for, instantiate


class GenericGrower(ABC):
    """A generator of generic functions; a subclass generates the rest.

    `generic_values` allows such functions in tuples, lists and references: the evaluator supports
    them, native programs do not.
    """

    def __init__(self, choices: Choices, data: DataTypes, *, generic_values: bool) -> None:
        self.choices = choices
        self.data = data
        self.generic_values = generic_values

    @abstractmethod
    def var(self, ty: Type, *, annotated: bool = False) -> Var:
        """Return a new variable."""

    @abstractmethod
    def type(self, scope: Scope, depth: int = 2) -> Type:
        """Return a type that has values in the scope."""

    @abstractmethod
    def expr(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Return an expression of that type."""

    @abstractmethod
    def exprs(self, types: tuple[Type, ...], scope: Scope, budget: int) -> tuple[Expr, ...]:
        """Return an expression of each type."""

    def local_generic(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Bind a function with type parameters, which may capture variables."""
        type_params = tuple(TypeVar(each) for each in "AB"[: self.choices.between(1, 2)])
        params = [self.var(each) for each in type_params]
        inside = scope.with_values(*params)
        params += [self.var(self.type(inside, 1)) for _ in range(self.choices.below(2))]
        result = self.choices.pick([each.type for each in params])
        if self.choices.chance(3):
            result = TupleType((result, type_params[0]))
        body = self.expr(result, scope.with_values(*params), budget // 3)
        literal = Function(tuple(params), body, result, type_params)
        name = self.var(literal.type, annotated=self.choices.chance(2))
        inner = scope.with_generic(name)
        return Let(name, literal, self.expr(ty, inner, budget // 2))

    def call_of_local_generic(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        """Call a generic variable, with type arguments such that the result has the type."""
        if not scope.generics:
            return None
        callee = self.choices.pick(scope.generics)
        assert isinstance(callee.ty, FuncType), "functions have such types"
        chosen = arguments_for(callee.ty, ty)
        if chosen is None:
            return None
        type_args = [chosen.setdefault(v, self.type(scope, 1)) for v in callee.ty.type_params]
        params = instantiate(callee.ty, chosen).params
        return Call(callee, self.exprs(params, scope, budget), tuple(type_args))

    def held_generic(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        """Store a generic function in a reference, a tuple or a list, and read it back."""
        if not (scope.generics and self.generic_values):
            return None
        held = self.choices.pick(scope.generics)
        match self.choices.below(3):
            case 0:
                var = self.var(RefType(held.type))
                made: Expr = RefCreate(held)
            case 1:
                made = Tuple((held, held))
                var = self.var(made.type)
            case _:
                return self._out_of_a_list(held, ty, scope, budget)
        taken = RefRead(var) if isinstance(made, RefCreate) else TupleGetItem(var, 1)
        again = self.var(held.type)
        rest = self.expr(ty, scope.with_generic(again), budget)
        return Let(var, made, Let(again, taken, rest))

    def _out_of_a_list(self, held: Expr, ty: Type, scope: Scope, budget: int) -> Expr:
        cons, nil = self.data.types["List"].constructors
        made = Call(cons, (held, Call(nil, (), (held.type,))), (held.type,))
        head = self.var(held.type)
        rest = self.expr(ty, scope.with_generic(head), budget)
        pattern = PatternConstructor(cons, (PatternVar(head), PatternWildcard()))
        return Match(made, (Clause(pattern, rest),), complete=False)
