"""Rewrite the bodies of functions for `vmap`; see `relay.frontend.vmap_functions`."""

from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Protocol

from relay.autodiff.let_emitter import Emitter
from relay.frontend.vmap_adt_types import MappedData
from relay.frontend.vmap_branches import Harmful, Substitution, any_of, selected, zeros
from relay.frontend.vmap_divergent_adts import PartMatch, clause_of
from relay.frontend.vmap_errors import has_effects, passed_data
from relay.frontend.vmap_find_loops import calls_one_of
from relay.ir.analysis.tail_positions import tail_values
from relay.ir.dims import ANY
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Clause, Match, Pattern
from relay.ir.types import FuncType, TupleType, TypeCall, dimensions
from relay.ir.walk import bound_by, free_vars, post_order
from relay.opdef.definition import OperatorDef
from relay.ops.creation import Ones
from relay.ops.logical import LogicalAnd, LogicalNot
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.slice import StridedSlice
from relay.support.trampoline import Task
from relay.transform.effects import Unspeculatable
from relay.transform.vmap import Mapped, many_calls, no_batched_form, spread

_END = 2**31 - 1  # slices end at the end of the axis


class Callees(Protocol):
    """The interface that provides the mapped versions of a program's functions."""

    def changes(self, name: str) -> bool:
        """Whether a function handles data types with mapped fields, so that its types change."""
        ...

    def instance(
        self, name: str, flags: tuple[bool, ...], *, takes_mask: bool = False
    ) -> GlobalVar:
        """Return the version of function `name` mapped over the parameters whose flag is true."""
        ...

    def join(self, ty: TypeCall) -> GlobalVar:
        """Return the function that selects between values of a mixed type, given a mask."""
        ...

    def unused_name(self, name: str) -> str:
        """Return a name for a function that the program does not use yet."""
        ...

    def add(self, name: str, function: Function) -> None:
        """Add a function to the mapped program."""
        ...

    def has_derivative(self, name: str) -> bool:
        """Whether a function has a custom derivative."""
        ...

    def has_effects(self, expr: Expr) -> bool:
        """Whether an expression uses references or random numbers, also in functions it calls."""
        ...


class DivergentLoopError(Exception):
    """A signal that the elements leave the loop being mapped after different numbers of steps."""


class MappedBody:
    """A rewriter of one function body for `vmap`; `known` has the new form of each variable.

    `elements` is a tensor whose leading size is that of the new axis, for functions that need it.
    `loop` are the names of the functions that form a loop with this one through tail calls; a
    branch on a mapped condition that calls one of them raises `DivergentLoopError`. If there is a
    `mask`, only the elements in it need results: the others repeat the computation of one of these,
    except for fields of data.
    """

    def __init__(
        self,
        callees: Callees,
        data: MappedData,
        known: dict[Var, Expr],
        elements: Expr,
        loop: Collection[str] = (),
        mask: Expr | None = None,
    ) -> None:
        self._callees = callees
        self._data = data
        self._size = data.size
        self._known = known
        self._elements = elements
        self._loop = loop
        self._mask = mask
        self.harmful, self._unspeculatable = Harmful(), Unspeculatable()

    def result(self, expr: Expr) -> Task[Expr]:
        """Rewrite a scope, and return its result with the new axis."""
        emitter = Emitter()
        found = yield self._scope(expr, emitter)
        return emitter.around(self.end(found, emitter))

    def end(self, found: Mapped, emitter: Emitter) -> Expr:
        """Return the result of a scope, broadcast along the new axis.

        The result is bound to a variable, so that its computation stays: even a unit value may
        trap.
        """
        return self.spread(Mapped(emitter.let(found.expr, "end"), found.is_mapped))

    def _scope(self, expr: Expr, emitter: Emitter) -> Task[Mapped]:
        """Rewrite the bindings of a scope into `emitter`, and return the scope's result."""
        while isinstance(expr, Let):
            yield self.bind(expr, emitter)
            expr = expr.body
        return (yield self.value(expr, emitter))

    def bind(self, let: Let, emitter: Emitter) -> Task[None]:
        """Rewrite one binding into `emitter`."""
        var = new = let.var
        value = yield self.value(let.value, emitter)
        if value.is_mapped and not isinstance(var.type, TypeCall):
            ty = self._data.batched(var.type)
            self._known[var] = new = Var(var.name, ty, span=var.span, ty=ty)
        emitter.bind(new, value.expr)

    def value(self, expr: Expr, emitter: Emitter) -> Task[Mapped]:
        """Rewrite an expression that is not in tail position of a divergent loop."""
        if not any(map(self._is_mapped, post_order(expr))):
            return Mapped(expr, False)
        match expr:
            case Let():
                return (yield self._scope(expr, emitter))
            case If(condition) if condition in self._known:  # case 4
                return Mapped((yield self._branch(expr, emitter)), True)
            case If(condition):  # case 3
                (then, other), is_mapped = yield self._scopes(expr, (expr.then, expr.other))
                return Mapped(If(condition, then, other, span=expr.span), is_mapped)
            case Match(data) if self._data.is_mixed(data.type):  # case 6
                return Mapped((yield self._match_of_parts(expr)), True)
            case Match(clauses=()):  # it traps
                return Mapped(expr, False)
            case Match(data) if data not in self._known:  # case 3
                return (yield self._match(expr))
            case Call(ShapeOf() as op, (arg,)):  # all elements have the same shape
                whole = Call(op, (self.atom(arg).expr,), span=expr.span)
                return Mapped(Call(StridedSlice((1,), (_END,)), (whole,), span=expr.span), False)
            case _:
                return Mapped(self._flat(expr), True)

    def _branch(self, expr: If, emitter: Emitter) -> Task[Expr]:
        """Return the results of both sides of a branch, selected by its mapped condition."""
        leaves = chain(tail_values(expr.then), tail_values(expr.other))
        if any(calls_one_of(leaf, self._loop) for leaf in leaves):
            raise DivergentLoopError
        if self._callees.has_effects(expr):
            raise has_effects(expr)
        self._data.mix(expr.type, expr)
        condition = self.atom(expr.condition).expr
        opposite = emitter.let(Call(LogicalNot(), (condition,)), "opposite")
        then = yield self._side(expr.then, condition, emitter)
        other = yield self._side(expr.other, opposite, emitter)
        return self.select(condition, then, other)

    def select(self, condition: Expr, then: Expr, other: Expr) -> Expr:
        """Return `then` where `condition` is true and `other` elsewhere."""
        return selected(condition, then, other, self._size, self._joined)

    def _joined(self, condition: Expr, then: Expr, other: Expr) -> Expr:
        ty = then.type
        assert isinstance(ty, TypeCall), "data"
        return Call(self._callees.join(ty), (condition, then, other))

    def _side(self, side: Expr, taken: Expr, emitter: Emitter) -> Task[Expr]:
        """Return the results of one side of a branch, which the elements of the mask `taken` take.

        For other elements the results are arbitrary: zeros if no element takes the side. A result
        of unknown size has no zeros, so a side that neither traps nor calls functions is then
        always computed.
        """
        is_open = ANY in dimensions(side.type)
        if side not in (self._unspeculatable if is_open else self.harmful):
            found = yield self._scope(side, emitter)
            return emitter.let(self.end(found, emitter), "side")
        both = taken if self._mask is None else Call(LogicalAnd(), (self._mask, taken))
        mask, inner = emitter.let(both, "mask"), Emitter()
        with self.only(mask, side, inner):
            found = yield self._scope(side, inner)
        body = inner.around(self.end(found, inner))
        whole = If(any_of(mask), body, zeros(body.type, side, self._data.empty), span=side.span)
        return emitter.let(whole, "side")

    @contextmanager
    def only(self, mask: Expr, code: Expr, emitter: Emitter) -> Generator[None]:
        """Enter a block in which `code` is rewritten for the elements in a mask.

        The other elements repeat the computation of one element in the mask. The mask must have an
        element when the code in `emitter` runs.
        """
        substitution = Substitution(mask, self._size, emitter)
        old = {var: self._known[var] for var in free_vars(code) if var in self._known}
        outer, self._mask = self._mask, mask
        self._known.update({var: substitution.of(known) for var, known in old.items()})
        yield
        self._mask = outer
        self._known.update(old)

    def _match(self, expr: Match) -> Task[Mapped]:
        patterns, openings = list[Pattern](), [Emitter() for _ in expr.clauses]
        for clause, emitter in zip(expr.clauses, openings, strict=True):
            patterns.append(self.pattern(clause.pattern, emitter))
        bodies, is_mapped = yield self._scopes(expr, [each.body for each in expr.clauses], openings)
        clauses = tuple(map(Clause, patterns, bodies))
        return Mapped(Match(expr.data, clauses, expr.complete, span=expr.span), is_mapped)

    def _scopes(
        self, expr: Expr, scopes: Sequence[Expr], openings: Sequence[Emitter] = ()
    ) -> Task[tuple[Sequence[Expr], bool]]:
        """Return the rewritten `scopes` of a branch or match `expr`, and whether they are mapped.

        Each scope starts with the code in its emitter of `openings`. Results have the new axis if
        one of them depends on it, or has a size that is known in its scope only.
        """
        found: list[tuple[Mapped, Emitter]] = []
        for scope, emitter in zip(scopes, openings or [Emitter() for _ in scopes], strict=True):
            found.append(((yield self._scope(scope, emitter)), emitter))
        is_mapped = any(each.is_mapped for each, _ in found) or ANY in dimensions(expr.type)
        ends = [self.end(each, own) if is_mapped else each.expr for each, own in found]
        return [own.around(end) for end, (_, own) in zip(ends, found, strict=True)], is_mapped

    def _match_of_parts(self, expr: Match) -> Task[Expr]:
        """Return a call of a new function that computes a match for each part of mixed data."""
        self._data.mix(expr.type, expr)
        free = free_vars(expr)
        pairs = ((var, self._known[var]) for var in free if var in self._known)
        known: dict[Var, Expr] = {
            var: Var(var.name, new.type, span=var.span, ty=new.type) for var, new in pairs
        }
        params = [each for var in free if isinstance(each := known.get(var, var), Var)]
        result = self._data.batched(expr.type)
        name = self._callees.unused_name("parts")
        visit = PartMatch(expr, self._data, params, result, name)
        inner = MappedBody(self._callees, self._data, known, visit.left)
        clauses: list[Clause] = []
        for constructor in self._data.alternatives(visit.data_type):
            clause = clause_of(constructor, expr)
            if clause is not None:
                clauses.append((yield inner._part(clause, constructor, visit)))
        self._callees.add(name, visit.function(clauses))
        values = (self.atom(var).expr for var in free)
        return visit.call(expr.data, self._present, values)

    @property
    def _present(self) -> Expr:
        """Return the mask of the elements for which the present code is computed."""
        everything = Call(Ones(self._data.mask_type.shape, "bool"), ())
        return everything if self._mask is None else self._mask

    def _part(self, clause: Clause, constructor: Constructor, visit: PartMatch) -> Task[Clause]:
        """Return the clause for the parts of mixed data that a constructor has built."""
        pattern, mask, parts = visit.part(clause.pattern, constructor, self._known)
        emitter, taken, rest = Emitter(), Emitter(), Emitter()
        own, others = visit.divided(mask, emitter)
        visit.bind_whole(clause.pattern, taken)
        with self.only(own, clause.body, taken):
            found = yield self._scope(clause.body, taken)
        result = taken.let(self.end(found, taken), "result")
        more = rest.let(visit.again(parts, others), "more")
        both = rest.around(self.select(own, result, more))
        body = taken.around(If(any_of(others), both, result))
        whole = If(any_of(own), body, visit.again(parts, visit.left))
        return Clause(pattern, emitter.around(whole))

    def pattern(self, pattern: Pattern, emitter: Emitter) -> Pattern:
        """Return the mapped form of a pattern.

        Where only the elements in a mask are computed, `emitter` gets the new values of the others.
        """
        found = self._data.pattern(pattern, self._known)
        variables = [var for var in bound_by(pattern) if var in self._known]
        if self._mask is not None and variables:
            substitution = Substitution(self._mask, self._size, emitter)
            self._known.update({var: substitution.of(self._known[var]) for var in variables})
        return found

    def _is_mapped(self, part: Expr) -> bool:
        match part:
            case Var():
                return part in self._known
            case Constructor():
                return self._data.constructor(part) is not part
            case Match(data):
                return self._data.holds_mapped(data.type)
            case GlobalVar(name):
                return self._callees.changes(name)
            case _:
                return False

    def _flat(self, expr: Expr) -> Expr:
        """Return the mapped form of an expression that consists of variables and constants."""
        match expr:
            case Var():
                return self._known[expr]
            case Tuple(fields):
                return Tuple(tuple(self.spread(self.atom(each)) for each in fields))
            case TupleGetItem(whole, index):
                return TupleGetItem(self.atom(whole).expr, index, span=expr.span)
            case Call(OperatorDef() as op, args):  # case 1
                return many_calls(expr, op, [*map(self.atom, args)], self._size)
            case Call(GlobalVar(name), args):  # case 2
                new = [*map(self.atom, args)]
                flags = tuple(each.is_mapped for each in new)
                mask = self._mask if any(self._data.holds_mapped(e.type) for e in args) else None
                if mask is not None and self._callees.has_derivative(name):
                    raise passed_data(expr)
                callee = self._callees.instance(name, flags, takes_mask=mask is not None)
                assert isinstance(callee.ty, FuncType), "functions are typed"
                more = (self._elements if mask is None else mask,) * (
                    len(callee.ty.params) - len(new)
                )
                return Call(callee, (*(each.expr for each in new), *more), span=expr.span)
            case Call(Constructor() as constructor, args):  # case 5
                fields, new = self._fields(constructor, args), self._data.constructor(constructor)
                if self._data.is_mixed(new_type := TypeCall(constructor.belongs_to, ())):
                    fields = (self._present, *fields, self._data.empty(new_type))
                return Call(new, fields)
            case _:
                raise no_batched_form(expr)

    def _fields(self, constructor: Constructor, args: Sequence[Expr]) -> tuple[Expr, ...]:
        found: list[Expr] = []
        for index, arg in enumerate(map(self.atom, args)):
            if arg.is_mapped:
                self._data.note(constructor, index)
            needs = self._data.is_mapped(constructor, index)
            found.append(self.spread(arg) if needs else arg.expr)
        return tuple(found)

    def atom(self, expr: Expr) -> Mapped:
        """Return the mapped form of a variable or constant."""
        known = self._known.get(expr) if isinstance(expr, Var) else None
        return Mapped(expr, False) if known is None else Mapped(known, True)

    def spread(self, each: Mapped) -> Expr:
        """Return a value broadcast along the new axis.

        A value of a data type is returned unchanged: its fields have the axis already.
        """
        match each.expr.type:
            case TypeCall():
                return each.expr
            case TupleType(fields) if not each.is_mapped:
                parts = (Mapped(TupleGetItem(each.expr, i), False) for i in range(len(fields)))
                return Tuple(tuple(map(self.spread, parts)))
            case _:
                return spread(each, self._size)
