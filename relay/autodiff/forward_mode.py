"""Forward mode: a program that also computes the derivative of its result in a direction.

A function that is called with active arguments gets a version that also takes the tangents of those
parameters, and returns the pair of its result and the tangent of the result. No residuals are
stored.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from relay.autodiff.activity_analysis import Activity
from relay.autodiff.cotangent_accumulation import Cotangent, Cotangents
from relay.autodiff.custom_derivative_calls import CustomCalls
from relay.autodiff.fresh_names import Names
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.pushforward import pushed_forward
from relay.autodiff.replace_wildcards import with_variables, zero_of
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.tuple_packing import pack, unpack
from relay.ir.constructor_field_types import field_types
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
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import FuncType, RefType, TupleType, Type, TypeCall
from relay.opdef.definition import OperatorDef
from relay.support.trampoline import Task, run


class Forward:
    """A derivation in forward mode of the functions that the entry calls.

    Only functions with active arguments, which depend on differentiated inputs, are derived.
    `cells` maps variables that hold mutable cells to shadow cells, which hold the tangents of the
    contents.
    """

    def __init__(
        self,
        module: Module,
        activity: Activity,
        tangents: Tangents,
        names: Names,
        cells: Mapping[Var, Var],
        custom: CustomCalls,
    ) -> None:
        self._module = module
        self._custom = custom
        self._activity = activity
        self._tangents = tangents
        self._names = names
        self._cells = cells
        self._known: dict[Var, Cotangent] = {}
        self._derived: dict[str, GlobalVar] = {}
        self._pending: list[str] = []

    def derive_entry(
        self, body: Expr, given: Mapping[Var, Expr], emitter: Emitter
    ) -> tuple[Expr, Expr]:
        """Emit the entry's `body` with tangents; return its result and the result's tangent.

        `given` maps parameters to their tangents.
        """
        self._known.update(given)
        scope = Cotangents(self._tangents, self._activity, emitter)
        return run(self._straight(body, scope))

    def finish(self) -> dict[str, Function]:
        """Return the derived functions by name, once the entry is derived."""
        found: dict[str, Function] = {}
        while self._pending:
            name = self._pending.pop()
            found[self._derived[name].name] = self._function(self._module[name])
        return found

    # Functions

    def _callee(self, name: str) -> GlobalVar:
        if name not in self._derived:
            function = self._module[name]
            ty = function.ty
            assert isinstance(ty, FuncType), "functions are typed"
            more = (self._tangents.of(each.type) for each in self._activity.params(name))
            pair = TupleType((ty.result, self._tangents.of(ty.result)))
            whole = FuncType((*ty.params, *more), pair)
            self._derived[name] = GlobalVar(self._names.fresh(f"{name}_jvp"), ty=whole)
            self._pending.append(name)
        return self._derived[name]

    def _function(self, function: Function) -> Function:
        varied = [each for each in function.params if each in self._activity]
        given = {each: Var(f"d_{each.name}", self._tangents.of(each.type)) for each in varied}
        self._known.update(given)
        return Function((*function.params, *given.values()), run(self._pair(function.body)))

    # Scopes

    def _pair(self, expr: Expr, first: Callable[[Cotangents], None] | None = None) -> Task[Expr]:
        """Return the pair of a scope's result and its tangent; tail calls remain tail calls.

        `first` is called with the scope before its lets are derived.
        """
        scope = Cotangents(self._tangents, self._activity, Emitter())
        if first is not None:
            first(scope)
        expr = yield self._lets(expr, scope)
        match expr:
            case If() | Match():
                last = yield self._choice(expr)
            case Call(GlobalVar(name)) if self._is_derived(expr) and name not in self._custom:
                last = self._call(expr, name, scope)
            case _:
                result = yield self._named(expr, scope)
                last = Tuple((result, scope.dense(self._tangent(result), result)))
        return scope.emitter.around(last)

    def _straight(self, expr: Expr, scope: Cotangents) -> Task[tuple[Expr, Expr]]:
        expr = yield self._lets(expr, scope)
        result = yield self._named(expr, scope)
        return result, scope.dense(self._tangent(result), result)

    def _choice(self, expr: If | Match) -> Task[Expr]:
        if isinstance(expr, If):
            then = yield self._pair(expr.then)
            other = yield self._pair(expr.other)
            return If(expr.condition, then, other, span=expr.span)
        clauses: list[Clause] = []
        for clause in expr.clauses:
            pattern = with_variables(clause.pattern, expr.data.type, self._tangents)
            taken = partial(
                self._bind_pattern_tangents, pattern, expr.data.type, self._tangent(expr.data)
            )
            clauses.append(Clause(pattern, (yield self._pair(clause.body, taken))))
        pair = TupleType((expr.type, self._tangents.of(expr.type)))
        ty = None if clauses else pair  # a match without clauses traps
        return Match(expr.data, tuple(clauses), expr.complete, span=expr.span, ty=ty)

    def _lets(self, expr: Expr, scope: Cotangents) -> Task[Expr]:
        while isinstance(expr, Let):
            yield self._binding(expr.var, expr.value, scope)
            expr = expr.body
        return expr

    def _named(self, expr: Expr, scope: Cotangents) -> Task[Expr]:
        if isinstance(expr, Var | Constant):
            return expr
        var = Var("result", expr.ty, span=expr.span, ty=expr.ty)
        yield self._binding(var, expr, scope)
        return var

    def _is_derived(self, expr: Expr) -> bool:
        return expr in self._activity or self._activity.has_effect(expr)

    # Values

    def _tangent(self, expr: Expr) -> Cotangent:
        return self._known.get(expr) if isinstance(expr, Var) else None

    def _binding(self, var: Var, value: Expr, scope: Cotangents) -> Task[None]:
        """Emit a let binding, and record the tangent of its variable."""
        emitter = scope.emitter
        if not self._is_derived(value):
            emitter.bind(var, value)
            return
        match value:
            case Let():
                last = yield self._lets(value, scope)
                yield self._binding(var, last, scope)
            case If() | Match():
                pair = yield self._choice(value)
                self._take_pair(var, pair, scope)
            case Call(GlobalVar(name)) if name in self._custom:
                self._take_pair(var, self._custom_call(value, name, scope), scope)
            case Call(GlobalVar(name)):
                self._take_pair(var, self._call(value, name, scope), scope)
            case _:
                emitter.bind(var, value)
                self._known[var] = self._computed(var, value, scope)

    def _take_pair(self, var: Var, pair: Expr, scope: Cotangents) -> None:
        both = scope.emitter.let(pair, "pair")
        scope.emitter.bind(var, TupleGetItem(both, 0, span=pair.span))
        if self._tangents.has(var.type):
            tangent = self._tangents.of(var.type)
            self._known[var] = scope.emitter.typed(scope.emitter.field(both, 1), tangent)

    def _call(self, call: Call, name: str, scope: Cotangents) -> Call:
        pairs = zip(self._module[name].params, call.args, strict=True)
        varied = (arg for param, arg in pairs if param in self._activity)
        more = (scope.dense(self._tangent(arg), arg) for arg in varied)
        return Call(self._callee(name), (*call.args, *more), span=call.span)

    def _custom_call(self, call: Call, name: str, scope: Cotangents) -> Expr:
        """Return the pair of a call's result and tangent, using a custom derivative."""
        self._custom.check_captured(call, name, scope.is_active)
        smooth = (arg for arg in call.args if self._tangents.has(arg.type))
        tangents = [scope.dense(self._tangent(arg), arg) for arg in smooth]
        return self._custom.in_forward(call, name, tangents, scope.emitter)

    def _computed(self, var: Var, value: Expr, scope: Cotangents) -> Cotangent:
        emitter = scope.emitter
        match value:
            case Call(OperatorDef() as op, args):
                known = {a: self._known[a] for a in args if isinstance(a, Var) and a in self._known}
                given = {a: scope.dense(t, a) for a, t in known.items() if t is not None}
                return pushed_forward(var, value, op, given, emitter, self._tangents)
            case Call(Constructor() as constructor, args):
                return self._built(constructor, args, value.type, scope)
            case Tuple(fields):
                parts = tuple(map(self._tangent, fields))
                return parts if any(part is not None for part in parts) else None
            case TupleGetItem(whole, index):
                assert isinstance(whole.type, TupleType), "only tuples have fields"
                return scope.fields(self._tangent(whole), whole.type)[index]
            case RefCreate(content):
                return self._write(self._cells[var], content, scope)
            case RefWrite(Var() as cell, content):
                return self._write(self._cells[cell], content, scope)
            case RefRead(Var() as cell):
                return emitter.typed(RefRead(self._cells[cell]), self._tangents.of(var.type))
            case _:
                return self._tangent(value)

    def _write(self, cell: Var, content: Expr, scope: Cotangents) -> None:
        """Emit a write of the content's tangent to the shadow cell."""
        assert isinstance(cell.type, RefType), "a cell is a reference"
        tangent = scope.dense(self._tangent(content), content)
        typed = scope.emitter.typed(tangent, cell.type.content)
        scope.emitter.let(RefWrite(cell, typed), "_")

    def _built(
        self, constructor: Constructor, args: Sequence[Expr], ty: Type, scope: Cotangents
    ) -> Cotangent:
        smooth = [arg for arg in args if self._tangents.has(arg.type)]
        if all(self._tangent(arg) is None for arg in smooth):
            return None
        assert isinstance(ty, TypeCall), "a constructor builds data"
        parts = tuple(scope.dense(self._tangent(arg), arg) for arg in smooth)
        return scope.emitter.let(Call(self._tangents.constructors(ty)[constructor], parts))

    def _bind_pattern_tangents(
        self, pattern: Pattern, ty: Type, tangent: Cotangent, scope: Cotangents
    ) -> None:
        """Record the tangents of a pattern's variables."""
        if tangent is None:
            return
        match pattern, ty:
            case PatternVar(var), _:
                self._known[var] = tangent
            case PatternTuple(patterns), TupleType(fields):
                parts = scope.fields(tangent, ty)
                for each, field, part in zip(patterns, fields, parts, strict=True):
                    self._bind_pattern_tangents(each, field, part, scope)
            case PatternConstructor(constructor, patterns), TypeCall():
                assert isinstance(tangent, Expr), "only tuples have parts"
                pairs = zip(patterns, field_types(constructor, ty), strict=True)
                smooth = [pair for pair in pairs if self._tangents.has(pair[1])]
                parts = self._fields(constructor, ty, tangent, smooth, scope)
                for (each, field), part in zip(smooth, parts, strict=True):
                    self._bind_pattern_tangents(each, field, part, scope)
            case _:
                pass

    def _fields(
        self,
        constructor: Constructor,
        ty: TypeCall,
        tangent: Expr,
        smooth: Sequence[tuple[Pattern, Type]],
        scope: Cotangents,
    ) -> Sequence[Expr]:
        """Return the tangents of a data value's fields; all zero if its tangent is `Zero`.

        `smooth` are the fields that contain floats, as pairs of the pattern that reads the field
        and the field's type; `scope` collects the generated code.
        """
        if not smooth:
            return ()
        own = self._tangents.constructors(ty)[constructor]
        parts = [Var("d", each) for each in own.inputs]
        zeros = [zero_of(*pair, self._tangents) for pair in smooth]
        clauses = (
            Clause(PatternConstructor(own, tuple(map(PatternVar, parts))), pack(parts)),
            Clause(PatternWildcard(), pack(zeros)),
        )
        found = scope.emitter.let(Match(tangent, clauses))
        wanted = [self._tangents.of(each) for _, each in smooth]
        unpacked = unpack(found, len(parts), scope.emitter)
        return [scope.emitter.typed(*pair) for pair in zip(unpacked, wanted, strict=True)]
