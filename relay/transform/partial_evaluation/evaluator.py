"""The partial evaluator: evaluates each kind of expression on partially known values."""

from collections.abc import Sequence
from copy import copy
from functools import partial, reduce
from typing import cast

from relay.ir.attribute_dims import substitute_attributes
from relay.ir.expr import (
    Call,
    Constant,
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
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import FuncType
from relay.ir.walk import with_children
from relay.opdef.definition import OperatorDef
from relay.support.errors import RelayTypeError
from relay.support.node import replace
from relay.support.trampoline import Task, run
from relay.transform.fold_constants import FoldConstants
from relay.transform.monomorphization.type_map import matching
from relay.transform.partial_evaluation.merge_branches import Arm, IllTypedArm
from relay.transform.partial_evaluation.pattern_matching import copied, fits, matched
from relay.transform.partial_evaluation.residual_code import closed
from relay.transform.partial_evaluation.static_values import (
    EMPTY,
    Static,
    StaticCell,
    StaticClosure,
    StaticTensor,
    StaticTuple,
    Unknown,
)
from relay.transform.partial_evaluation.unfold_calls import Calls, Scope, result_of
from relay.transform.to_a_normal_form import ToANormalForm


class PartialEvaluator(Calls):
    """A partial evaluator of a module, which writes code for unknown values."""

    def __init__(self, module: Module, limit: int, steps: int) -> None:
        super().__init__(limit, steps, set(module.functions))
        self._module = module
        self._globals: dict[str, StaticClosure] = {}
        self._fold = FoldConstants()

    def knows_sizes(self, name: str) -> bool:
        """Whether the parameters of a module's function bind all dimensions that occur in it."""
        literal = self._global(GlobalVar(name)).function
        return not self.literals.size_names(literal).inside

    def function(self, name: str) -> Function:
        """Return a global function, partially evaluated for arguments that are all unknown."""
        literal = self._global(GlobalVar(name)).function
        params = [Var(p.name, p.type, span=p.span, ty=p.type) for p in literal.params]
        return run(self._of_module(literal, params))

    def _of_module(self, literal: Function, params: Sequence[Var]) -> Task[Function]:
        values: dict[Expr, Static] = {
            old: self.domain.unknown(new) for old, new in zip(literal.params, params, strict=True)
        }
        frame = self._frame(literal, tuple(values.values()), EMPTY, is_unfolded=False)
        with self.new_unit(), self._history.entered(frame):
            found = yield self.body(literal.body, Scope(values, EMPTY), last=True)
            result = yield self.with_asserted_sizes(result_of(literal), found)
            body = closed(self.block, (yield self.atom(result)))
        return replace(literal, params=tuple(params), body=body)

    def _global(self, variable: GlobalVar) -> StaticClosure:
        if variable.name not in self._globals:
            literal = ToANormalForm().run(self._module[variable.name])
            self.allow(self.literals.add(literal))
            known = replace(variable, ty=literal.ty)
            self._globals[variable.name] = self.domain.closure(literal, variable=known)
        return self._globals[variable.name]

    # Bodies

    def body(self, expr: Expr, scope: Scope, *, last: bool) -> Task[Static]:
        """Return the static value of a body, whose bindings are evaluated in order.

        `last` is true if the body is in tail position of the function being written.
        """
        while isinstance(expr, Let):
            value = yield self._bound(expr, scope)
            scope.values[expr.var] = yield self.with_asserted_sizes(
                scope.types(expr.var.type), value
            )
            expr = expr.body
        return (yield self._value(expr, scope, last=last))

    def _bound(self, let: Let, scope: Scope) -> Task[Static]:
        if isinstance(let.value, Function) and not let.value.is_primitive:
            self.spend()
            return self._closure(let.value, scope, let.var)
        return (yield self._value(let.value, scope, let.var.name))

    def _value(
        self, expr: Expr, scope: Scope, name: str = "x", *, last: bool = False
    ) -> Task[Static]:
        """Return the static value of an expression in A-normal form."""
        self.spend()
        match expr:
            case Call(OperatorDef() as op):
                return (yield self._operator(expr, op, scope, name))
            case Call():
                return (yield self._call(expr, scope, name, last=last))
            case If():
                return (yield self._if(expr, scope, name, last=last))
            case Match():
                return (yield self._match(expr, scope, name, last=last))
            case Tuple(fields):
                return self.domain.tuple([self._operand(each, scope) for each in fields])
            case TupleGetItem(whole, index):
                return self._field(self._operand(whole, scope), index, name)
            case Function():
                return self._closure(expr, scope, None)
            case RefCreate():
                return self._create(expr, scope)
            case RefRead():
                return (yield self._read(expr, scope, name))
            case RefWrite():
                return (yield self._write_cell(expr, scope))
            case Let():
                return (yield self.body(expr, scope, last=last))
            case _:
                return self._operand(expr, scope)

    def _operand(self, expr: Expr, scope: Scope) -> Static:
        match expr:
            case Var():
                return scope.values[expr]
            case Constant():
                return self.domain.literal(expr)
            case GlobalVar():
                return self._global(expr)
            case _:
                return self.domain.unknown(expr)

    def _operands(self, exprs: Sequence[Expr], scope: Scope) -> list[Static]:
        return [self._operand(each, scope) for each in exprs]

    def _closure(self, literal: Function, scope: Scope, name: Var | None) -> Static:
        own = name if name in self.literals.captured(literal) else None
        captured = [scope.values[each] for each in self.captures(literal, own)]
        return self.domain.closure(literal, captured, own, types=scope.types)

    def _field(self, whole: Static, index: int, name: str) -> Static:
        if isinstance(whole, StaticTuple):
            return whole.fields[index]
        assert isinstance(whole, Unknown), "a tuple is known, or not"
        assert whole.atom is not None, "holes are filled"
        return self.emitted(TupleGetItem(whole.atom, index), name)

    # Operators

    def _operator(self, call: Call, op: OperatorDef, scope: Scope, name: str) -> Task[Static]:
        shown: list[Expr] = []
        for each in call.args:
            shown += ((yield self._shown(self._operand(each, scope))),)
        sized = op if scope.types.is_empty else substitute_attributes(op, scope.types.sizes)
        try:
            written = _written(call, [*shown, sized])
        except RelayTypeError:  # known sizes do not fit: the call traps at run time
            written = _written(call, [*self._as_written(call, shown, scope), sized])
        folded = self._fold.folded(written, frozenset())
        match folded:
            case Constant():
                return self.domain.tensor(folded)
            case Tuple(fields) if all(isinstance(each, Constant) for each in fields):
                constants = cast("tuple[Constant, ...]", fields)
                return self.domain.tuple(map(self.domain.tensor, constants))
            case Call(args=args):
                named = [self.bind(a) if isinstance(a, Tuple) else a for a in args]
                return self.emitted(with_children(folded, [*named, folded.op]), name)
            case _:
                return self.emitted(folded, name)

    def _as_written(self, call: Call, args: Sequence[Expr], scope: Scope) -> list[Expr]:
        """Return operands with the types that they have in `call`, even if more sizes are known."""
        types = [scope.types(arg.type) for arg in call.args]
        pairs = zip(args, types, strict=True)
        return [each if each.type is ty else self.bind(each, ty=ty) for each, ty in pairs]

    def _shown(self, value: Static) -> Task[Expr]:
        """Return an operand for constant folding: a constant or a tuple of constants, if known."""
        if isinstance(value, StaticTuple):
            fields = [each.constant for each in value.fields if isinstance(each, StaticTensor)]
            if fields and len(fields) == len(value.fields):
                return Tuple(tuple(fields))
        return (yield self.atom(value))

    # Calls

    def _call(self, call: Call, scope: Scope, name: str, *, last: bool) -> Task[Static]:
        args = self._operands(call.args, scope)
        type_args = tuple(map(scope.types, call.type_arguments))
        match call.op:
            case Constructor() as constructor:
                return self.domain.data(scope.types(call.type), constructor, type_args, args)
            case Function() as kernel if kernel.is_primitive:
                atoms = yield self.atoms(args)
                return self.emitted(_written(call, [*atoms, kernel]), name)
            case op:
                callee = self._operand(op, scope)
        if isinstance(callee, Unknown) and isinstance(callee.atom, Constructor):
            return self.domain.data(scope.types(call.type), callee.atom, type_args, args)
        if isinstance(callee, StaticClosure):
            generic = callee.function.type
            if not type_args and isinstance(generic, FuncType) and generic.type_params:
                type_args = matching(generic, cast("FuncType", scope.types(op.type)))
            known = yield self.call_of(callee, args, type_args, last=last)
            if known is not None:
                return (yield self.with_asserted_sizes(scope.types(call.type), known))
        return (yield self._call_unknown(call, callee, args, scope, name))

    def _call_unknown(
        self, call: Call, callee: Static, args: Sequence[Static], scope: Scope, name: str
    ) -> Task[Static]:
        op = yield self.atom(callee)
        atoms = self._as_written(call, (yield self.atoms(args)), scope)
        type_args = tuple(map(scope.types, call.type_arguments))
        ty = scope.types(call.type)
        self.known.forget()
        return self.emitted(Call(op, tuple(atoms), type_args, span=call.span, ty=ty), name)

    # Branches

    def _if(self, expr: If, scope: Scope, name: str, *, last: bool) -> Task[Static]:
        condition = self._operand(expr.condition, scope)
        if isinstance(condition, StaticTensor):
            chosen = expr.then if condition.constant.array else expr.other
            return (yield self.body(chosen, scope, last=last))
        atom = yield self.atom(condition)
        arms: list[Arm | IllTypedArm] = []
        for side in (expr.then, expr.other):
            compute = partial(self.body, side, scope, last=last)
            arms.append((yield self.arm(compute, last=last)))

        def build(codes: Sequence[Expr]) -> Expr:
            return If(atom, codes[0], codes[1], span=expr.span)

        return (yield self.choice(arms, build, name, last=last, droppable=True))

    def _match(self, expr: Match, scope: Scope, name: str, *, last: bool) -> Task[Static]:
        data = self._operand(expr.data, scope)
        found = [(clause, fits(clause.pattern, data)) for clause in expr.clauses]
        possible = [(clause, how) for clause, how in found if how is not False]
        if possible and possible[0][1]:
            clause = possible[0][0]
            bound = [
                (var, reduce(partial(self._field, name=var.name), path, whole))
                for var, whole, path in matched(clause.pattern, data)
            ]
            return (yield self._clause(clause, bound, scope, last=last))
        if not possible:
            return (yield self._stopped(expr, data, scope))
        sure = next((i for i, (_, how) in enumerate(possible) if how), len(possible) - 1)
        clauses = [clause for clause, _ in possible[: sure + 1]]
        return (yield self._choose(expr, data, clauses, scope, name, last=last))

    def _stopped(self, expr: Match, data: Static, scope: Scope) -> Task[Static]:
        """Write a match without clauses, which traps, to the residual program."""
        atom = yield self.atom(data)
        ty = scope.types(expr.type)
        return self.emitted(Match(atom, (), complete=False, span=expr.span, ty=ty))

    def _choose(
        self,
        expr: Match,
        data: Static,
        clauses: Sequence[Clause],
        scope: Scope,
        name: str,
        *,
        last: bool,
    ) -> Task[Static]:
        atom = yield self.atom(data)
        arms: list[Arm | IllTypedArm] = []
        patterns: list[Pattern] = []
        for clause in clauses:
            pattern, bound = copied(self.domain, clause.pattern, data, scope.types)
            patterns.append(pattern)
            compute = partial(self._clause, clause, bound, scope, last=last)
            arms.append((yield self.arm(compute, last=last)))
        complete = expr.complete and len(clauses) == len(expr.clauses)

        def build(codes: Sequence[Expr]) -> Expr:
            written = map(Clause, patterns, codes)
            return Match(atom, tuple(written), complete, span=expr.span)

        return (yield self.choice(arms, build, name, last=last, droppable=expr.complete))

    def _clause(
        self, clause: Clause, bound: Sequence[tuple[Var, Static]], scope: Scope, *, last: bool
    ) -> Task[Static]:
        for var, value in bound:
            scope.values[var] = yield self.with_asserted_sizes(scope.types(var.type), value)
        return (yield self.body(clause.body, scope, last=last))

    # Cells

    def _create(self, expr: RefCreate, scope: Scope) -> Static:
        content = self._operand(expr.value, scope)
        cell = self.domain.cell(scope.types(expr.type), content)
        self.known.write(cell, content)
        return cell

    def _read(self, expr: RefRead, scope: Scope, name: str) -> Task[Static]:
        cell = self._operand(expr.ref, scope)
        content = self.known.contents.get(cell)
        if content is not None:
            return content
        return self.emitted(RefRead((yield self.atom(cell)), span=expr.span), name)

    def _write_cell(self, expr: RefWrite, scope: Scope) -> Task[Static]:
        cell, content = self._operand(expr.ref, scope), self._operand(expr.value, scope)
        is_own = isinstance(cell, StaticCell) and cell not in self.known.atoms
        if not is_own:
            ref, atom = yield self.atoms([cell, content])
            self.bind(RefWrite(ref, atom, span=expr.span))
            if not isinstance(cell, StaticCell):
                self.known.forget()
        if isinstance(cell, StaticCell):
            self.known.write(cell, content)
        return self.domain.tuple(())


def _written(expr: Call, new: Sequence[Expr]) -> Expr:
    """Return a call with new arguments; always a new object, as it may be written repeatedly."""
    written = with_children(expr, new)
    return copy(expr) if written is expr else written
