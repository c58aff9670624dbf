"""Functions on algebraic data (ADTs) whose structure differs between mapped elements.

See `relay.frontend.vmap_adt_types`.
"""

from collections.abc import Iterable, Sequence

from relay.autodiff.let_emitter import Emitter
from relay.frontend.vmap_adt_types import MappedData
from relay.frontend.vmap_branches import any_of, zeros
from relay.frontend.vmap_errors import nested_pattern
from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, If, Var
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import FuncType, Type, TypeCall, dimensions
from relay.ops.logical import LogicalAnd, LogicalNot


class PartMatch:
    """The function that computes a match on mixed data part by part.

    Its parameters are the parts that are left, the mask of the elements without a result yet, and
    the variables that the match uses. Each part gives the results of those elements that are in its
    mask.
    """

    def __init__(
        self, expr: Match, data: MappedData, params: Sequence[Var], result: Type, name: str
    ) -> None:
        assert isinstance(expr.data.type, TypeCall), "mixed data"
        self._expr, self._data, self.data_type = expr, data, expr.data.type
        mask = data.mask_type
        self._parts = Var("parts", self.data_type, ty=self.data_type)
        self.left = Var("left", mask, ty=mask)
        self._others = params
        self._params = (self._parts, self.left, *params)
        types = tuple(each.type for each in self._params)
        self._result, self._callee = result, GlobalVar(name, ty=FuncType(types, result))

    def part(
        self, pattern: Pattern, constructor: Constructor, known: dict[Var, Expr]
    ) -> tuple[Pattern, Var, Var]:
        """Return the pattern that matches the part for one constructor, and two of its variables.

        These are the mask of the elements that the constructor built, and the remaining parts.
        Adds the mapped variables of `pattern` to `known`.
        """
        mask = Var("own", self._data.mask_type, ty=self._data.mask_type)
        rest = _rest(self.data_type)
        fields: Sequence[Pattern] = [PatternWildcard()] * len(constructor.inputs)
        if isinstance(pattern, PatternConstructor):
            fields = [
                self._data.pattern(each, known, is_mapped=self._data.is_mapped(constructor, index))
                for index, each in enumerate(pattern.patterns)
            ]
        whole = (PatternVar(mask), *fields, PatternVar(rest))
        new = self._data.constructor(constructor)
        return PatternConstructor(new, whole, span=pattern.span), mask, rest

    def bind_whole(self, pattern: Pattern, emitter: Emitter) -> None:
        """Bind the variable of a pattern that matches all constructors to the remaining parts."""
        if isinstance(pattern, PatternVar):
            emitter.bind(pattern.var, self._parts)

    def divided(self, mask: Expr, emitter: Emitter) -> tuple[Expr, Expr]:
        """Return the masks of two groups of elements without a result.

        The first are in the mask of a part, the second are not.
        """
        own = emitter.let(Call(LogicalAnd(), (mask, self.left)), "mask")
        opposite = Call(LogicalNot(), (mask,))
        return own, emitter.let(Call(LogicalAnd(), (self.left, opposite)), "others")

    def again(self, parts: Expr, left: Expr) -> Expr:
        """Return the call for the other `parts`, which gives the results of the elements `left`."""
        return self.call(parts, left, self._others)

    def call(self, parts: Expr, left: Expr, others: Iterable[Expr]) -> Expr:
        """Return a call for some `parts`, which gives the results of the elements `left`."""
        return Call(self._callee, (parts, left, *others), span=self._expr.span)

    def function(self, clauses: Sequence[Clause]) -> Function:
        """Return the function with these clauses; for data without parts, it returns zeros."""
        last: Sequence[Clause] = ()
        if ANY not in dimensions(self._result):
            none = zeros(self._result, self._expr, self._data.empty)
            last = (Clause(PatternWildcard(), none),)
        # A clause for several constructors is mapped for each of them.
        own = [_with_own_variables(each, self._parts) for each in clauses]
        body = Match(self._parts, (*own, *last), bool(last), span=self._expr.span)
        return Function(self._params, body, self._result)


def _with_own_variables(clause: Clause, data: Var) -> Clause:
    """Return a copy of a clause in which the pattern binds fresh variables."""
    copy = with_fresh_variables(Function((), Match(data, (clause,), False, span=data.span)))
    assert isinstance(copy.body, Match)
    return copy.body.clauses[0]


def clause_of(constructor: Constructor, expr: Match) -> Clause | None:
    """Return the clause of a match for the values that a constructor has built, if there is one.

    Raises `C120` if constructors are nested in its pattern.
    """
    for clause in expr.clauses:
        match clause.pattern:
            case PatternConstructor(found, patterns) if found.name == constructor.name:
                for each in patterns:
                    if isinstance(each, PatternConstructor):
                        raise nested_pattern(each)
                return clause
            case PatternConstructor():
                pass
            case _:
                return clause
    return None


def join_type(data: MappedData, ty: TypeCall) -> FuncType:
    """Return the type of a function made by `join_function`."""
    return FuncType((data.mask_type, ty, ty), ty)


def join_function(data: MappedData, ty: TypeCall, own: GlobalVar) -> Function:
    """Return a function, named `own`, that prepends the parts of one value to those of another.

    Its parameters are a mask, to which the parts of the first value are restricted, and both
    values.
    """
    mask = Var("mask", data.mask_type, ty=data.mask_type)
    first, others = Var("first", ty, ty=ty), Var("others", ty, ty=ty)
    clauses: list[Clause] = []
    for old in data.alternatives(ty):
        new, emitter = data.constructor(old), Emitter()
        has = Var("own", data.mask_type, ty=data.mask_type)
        fields = [Var("field", each, ty=each) for each in new.inputs[1:-1]]
        rest = _rest(ty)
        both = emitter.let(Call(LogicalAnd(), (has, mask)), "both")
        more = emitter.let(Call(own, (mask, rest, others)), "more")
        kept = If(any_of(both), Call(new, (both, *fields, more)), more)
        pattern = PatternConstructor(new, tuple(map(PatternVar, (has, *fields, rest))))
        clauses.append(Clause(pattern, emitter.around(kept)))
    end = Clause(PatternWildcard(), others)
    return Function((mask, first, others), Match(first, (*clauses, end)), ty)


def _rest(ty: TypeCall) -> Var:
    return Var("rest", ty, ty=ty)
