"""Rewrite the bodies of functions for `vmap`; see `relay.frontend.vmap_functions`."""

from collections.abc import Sequence
from typing import Protocol

from relay.autodiff.let_emitter import Emitter
from relay.autodiff.tangent_types import holds_data
from relay.frontend.vmap_data_types import MappedData
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Clause, Match
from relay.ir.types import FuncType, TensorType, TupleType, TypeCall
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.ops.selection import Where
from relay.ops.tensor.reshape import Reshape
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.trampoline import Task
from relay.transform.effects import Unspeculatable
from relay.transform.vmap import Mapped, many_calls, no_batched_form, spread


class Callees(Protocol):
    """The interface that provides the mapped versions of a program's functions."""

    def changes(self, name: str) -> bool:
        """Whether a function handles data types with mapped fields, so that its types change."""
        ...

    def instance(self, name: str, flags: tuple[bool, ...]) -> GlobalVar:
        """Return the version of function `name` mapped over the parameters whose flag is true."""
        ...


class MappedBody:
    """A rewriter of one function body for `vmap`; `known` has the new form of each variable.

    `elements` is a tensor whose leading size is that of the new axis, for functions that need it.
    """

    def __init__(
        self, callees: Callees, data: MappedData, known: dict[Var, Var], elements: Expr
    ) -> None:
        self._callees = callees
        self._data = data
        self._size = data.size
        self._known = known
        self._elements = elements
        self._risky = Unspeculatable()

    def result(self, expr: Expr) -> Task[Expr]:
        """Rewrite a scope, and return its result with the new axis."""
        emitter = Emitter()
        found = yield self._scope(expr, emitter)
        return emitter.around(self._spread(found))

    def _scope(self, expr: Expr, emitter: Emitter) -> Task[Mapped]:
        """Rewrite the bindings of a scope into `emitter`, and return the scope's result."""
        while isinstance(expr, Let):
            var = expr.var
            value = yield self._value(expr.value, emitter)
            if value.is_mapped and not isinstance(var.type, TypeCall):
                ty = self._data.batched(var.type)
                self._known[var] = Var(var.name, ty, span=var.span, ty=ty)
            emitter.bind(self._known.get(var, var), value.expr)
            expr = expr.body
        return (yield self._value(expr, emitter))

    def _value(self, expr: Expr, emitter: Emitter) -> Task[Mapped]:
        if not any(map(self._is_mapped, post_order(expr))):
            return Mapped(expr, False)
        match expr:
            case Let():
                return (yield self._scope(expr, emitter))
            case If(condition, then, other) if condition in self._known:  # case 4
                if then in self._risky or other in self._risky:
                    raise _not_selected(expr)
                sides: list[Expr] = []
                for side in (then, other):
                    found = yield self._scope(side, emitter)
                    sides.append(emitter.let(self._spread(found), "side"))
                if any(map(holds_data, (side.type for side in sides))):
                    raise _mixed_data(expr)
                return Mapped(self._selected(self._atom(condition).expr, *sides), True)
            case If(condition, then, other):  # case 3
                then = yield self.result(then)
                other = yield self.result(other)
                return Mapped(If(condition, then, other, span=expr.span), True)
            case Match(data) if data not in self._known:  # case 3
                return Mapped((yield self._match(expr)), True)
            case _:
                return Mapped(self._flat(expr), True)

    def _match(self, expr: Match) -> Task[Expr]:
        clauses: list[Clause] = []
        for clause in expr.clauses:
            pattern = self._data.pattern(clause.pattern, self._known)
            body = yield self.result(clause.body)
            clauses.append(Clause(pattern, body))
        return Match(expr.data, tuple(clauses), expr.complete, span=expr.span)

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
                return Tuple(tuple(self._spread(self._atom(each)) for each in fields))
            case TupleGetItem(whole, index):
                return TupleGetItem(self._atom(whole).expr, index, span=expr.span)
            case Call(OperatorDef() as op, args):  # case 1
                return many_calls(expr, op, [*map(self._atom, args)], self._size)
            case Call(GlobalVar(name), args):  # case 2
                new = [*map(self._atom, args)]
                callee = self._callees.instance(name, tuple(each.is_mapped for each in new))
                assert isinstance(callee.ty, FuncType), "functions are typed"
                more = (self._elements,) * (len(callee.ty.params) - len(new))
                return Call(callee, (*(each.expr for each in new), *more), span=expr.span)
            case Call(Constructor() as constructor, args):  # case 5
                return Call(self._data.constructor(constructor), self._fields(constructor, args))
            case _:
                raise no_batched_form(expr)

    def _fields(self, constructor: Constructor, args: Sequence[Expr]) -> tuple[Expr, ...]:
        found: list[Expr] = []
        for index, arg in enumerate(map(self._atom, args)):
            if arg.is_mapped:
                self._data.note(constructor, index)
            needs = self._data.is_mapped(constructor, index)
            found.append(self._spread(arg) if needs else arg.expr)
        return tuple(found)

    def _atom(self, expr: Expr) -> Mapped:
        known = self._known.get(expr) if isinstance(expr, Var) else None
        return Mapped(expr, False) if known is None else Mapped(known, True)

    def _spread(self, each: Mapped) -> Expr:
        """Return a value broadcast along the new axis; data has that axis in its fields already."""
        match each.expr.type:
            case TypeCall():
                return each.expr
            case TupleType(fields) if not each.is_mapped:
                parts = (Mapped(TupleGetItem(each.expr, i), False) for i in range(len(fields)))
                return Tuple(tuple(map(self._spread, parts)))
            case _:
                return spread(each, self._size)

    def _selected(self, condition: Expr, then: Expr, other: Expr) -> Expr:
        """Return `then` where `condition` is true and `other` elsewhere, for each field of tuples.

        The nesting of tuples bounds the recursion.
        """
        match then.type:
            case TupleType(fields):
                indices = range(len(fields))
                parts = ((TupleGetItem(then, i), TupleGetItem(other, i)) for i in indices)
                return Tuple(tuple(self._selected(condition, *part) for part in parts))
            case ty:
                assert isinstance(ty, TensorType), "mapped values without data are tensors"
                ones = (1,) * (ty.rank - 1)
                view = Call(Reshape((self._size, *ones), allowzero=True), (condition,))
                return Call(Where(), (view if ones else condition, then, other))


def _not_selected(expr: If) -> CompileError:
    """Return the error for a branch whose two sides the mapped program cannot both compute."""
    message = "a branch that depends on mapped values must not call functions, fail or have effects"
    help_ = "compute both values before the branch, or call the function in a loop"
    return CompileError(ErrorCode.C120, message, span=expr.span, help=help_)


def _mixed_data(expr: If) -> CompileError:
    """Return the error for a branch that would choose different data structures per element."""
    message = (
        "a branch that depends on mapped values selects data, but all mapped elements must "
        "share one structure"
    )
    notes = ["the derivative of a branch records which branch was taken in a data type"]
    help_ = "select tensors with where(condition, x, y), or map the function and then differentiate"
    return CompileError(ErrorCode.C120, message, span=expr.span, notes=notes, help=help_)
