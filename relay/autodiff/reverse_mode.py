"""Reverse mode: forward parts that record residuals, and backward parts that consume them.

A function becomes two, both with first-order data and code that any pass understands. The *forward
part* returns its result and a residual, which records the path taken; the *backward part* takes the
residual and the cotangent of the result, and returns the cotangents of the parameters
(`relay.autodiff.region_exits`). A branch or match that is not in tail position becomes such a
pair in place. Straight-line code needs no residual: the steps of the entry are reversed right after
them.
"""

from collections.abc import Mapping, Sequence

from relay.autodiff.activity_analysis import Activity
from relay.autodiff.add_summands import adding_functions
from relay.autodiff.backward_steps import (
    BranchStep,
    CallStep,
    ConstructorStep,
    CopyStep,
    FieldStep,
    MatchStep,
    OperatorStep,
    RecomputedCallStep,
    Step,
    TupleStep,
    reverse,
)
from relay.autodiff.cotangent_accumulation import Cotangents
from relay.autodiff.cotangent_summands import Summands
from relay.autodiff.custom_derivative_calls import CustomCalls
from relay.autodiff.derivative_types import DerivativeParts, derivative_parts
from relay.autodiff.fresh_names import Names
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.outline_checkpoints import CHECKPOINT
from relay.autodiff.reference_cells import CellCreationStep, CellReadStep, CellWriteStep
from relay.autodiff.region_exits import LoopExits, RegionExits, SingleExits
from relay.autodiff.replace_wildcards import with_variables
from relay.autodiff.residuals import Residual
from relay.autodiff.shared_parameters import fixed_params, summed_params
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.tuple_packing import pack
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
from relay.ir.match_patterns import Clause, Match
from relay.ir.module import Module, TypeData
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.walk import bound_by
from relay.opdef.definition import OperatorDef
from relay.support.trampoline import Task, run


class Reverse:
    """A derivation in reverse mode of the functions that the entry calls.

    Only functions with active arguments, which depend on differentiated inputs, are derived.
    `cells` maps variables that hold mutable cells to shadow cells, which hold cotangents.
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
        self._cells = cells
        self._activity = activity
        self._tangents = tangents
        self._shared = Summands(summed_params(module, activity, custom), names)
        self._fixed = fixed_params(module)
        self._names = names
        self._parts: dict[str, DerivativeParts] = {}
        self._pending: list[DerivativeParts] = []
        self._residuals: list[Residual] = []
        self._functions: dict[str, Function] = {}

    def scope(self) -> Cotangents:
        """Return an accumulator of cotangents for a new scope, with an emitter of its own."""
        return self.cotangents(Emitter())

    def cotangents(self, emitter: Emitter) -> Cotangents:
        """Return an accumulator of cotangents whose computation `emitter` collects."""
        return Cotangents(self._tangents, self._activity, emitter, self._shared)

    def derive_entry(self, body: Expr, emitter: Emitter) -> tuple[Expr, list[Step]]:
        """Emit the forward part of the entry's body; return its result and its steps."""
        return run(self._straight(body, emitter))

    def finish(self) -> tuple[dict[str, Function], dict[str, TypeData]]:
        """Return the functions and data types of all forward and backward parts."""
        while self._pending:
            self._derive(self._pending.pop())
        for each in self._shared.all:
            self._functions |= adding_functions(each, self._names.fresh("add_summands"))
        types = (each.definition for each in (*self._residuals, *self._shared.all))
        return self._functions, {each.header.name: each for each in types}

    # Functions

    def _parts_of(self, name: str) -> DerivativeParts:
        if name not in self._parts:
            function = self._module[name]
            varied = [i for i, each in enumerate(function.params) if each in self._activity]
            fixed = [i for i, each in enumerate(function.params) if each in self._fixed]
            names, shared = self._names, self._shared
            parts = derivative_parts(name, function, varied, fixed, self._tangents, shared, names)
            self._parts[name] = parts
            self._pending.append(parts)
            self._residuals.append(parts.residual)
            if parts.tape is not None:
                self._residuals.append(parts.tape.residual)
        return self._parts[name]

    def _derive(self, parts: DerivativeParts) -> None:
        function = self._module[parts.name]
        ending, extra = self._ending(function, parts)
        body = run(self._derive_to_exits(function.body, [], ending))
        params = (*function.params, *extra)
        self._functions[parts.forward.name] = Function(params, body, span=function.span)
        self._functions[parts.backward.name] = parts.backward_function(function.params)
        if parts.tape is not None:
            self._functions[parts.tape.backward.name] = parts.tape.function

    def _ending(
        self, function: Function, parts: DerivativeParts
    ) -> tuple[RegionExits, Sequence[Var]]:
        kept = [each for each in function.params if each not in self._fixed]
        if parts.tape is not None:
            return LoopExits(self.scope, function, kept, parts, parts.tape), (parts.tape.before,)
        inputs = [function.params[index] for index in parts.varied]
        return SingleExits(self.scope, inputs, parts.seed, parts.residual, kept), ()

    # Regions

    def _derive_to_exits(
        self, expr: Expr, before: Sequence[Step], ending: RegionExits
    ) -> Task[Expr]:
        """Return the forward part of a scope up to its exits.

        `before` are the steps before the scope, and `ending` builds its exits.
        """
        emitter = Emitter(ending.bound)
        steps = [*before]
        expr = yield self._lets(expr, emitter, steps)
        match expr:
            case If(condition, then, other):
                first = yield self._derive_to_exits(then, steps, ending)
                second = yield self._derive_to_exits(other, steps, ending)
                return emitter.around(If(condition, first, second, span=expr.span))
            case Match(data, clauses, complete):
                new: list[Clause] = []
                for clause in clauses:
                    pattern = with_variables(clause.pattern, data.type, self._tangents)
                    ending.bound.update(dict.fromkeys(bound_by(pattern)))
                    matched = MatchStep(data, pattern)
                    body = yield self._derive_to_exits(clause.body, [*steps, matched], ending)
                    new.append(Clause(pattern, body))
                ty = None if new else ending.forward_type(expr.type)  # it traps without clauses
                return emitter.around(Match(data, tuple(new), complete, span=expr.span, ty=ty))
            case Call():
                next_step = ending.next_iteration(expr, steps)
                if next_step is not None:
                    return emitter.around(next_step)
            case _:
                pass
        result = yield self._named(expr, emitter, steps)
        return emitter.around(ending.exit_with(result, steps))

    def _straight(self, expr: Expr, emitter: Emitter) -> Task[tuple[Expr, list[Step]]]:
        steps: list[Step] = []
        expr = yield self._lets(expr, emitter, steps)
        result = yield self._named(expr, emitter, steps)
        return result, steps

    def _lets(self, expr: Expr, emitter: Emitter, steps: list[Step]) -> Task[Expr]:
        """Emit the forward parts of a scope's lets; return the expression after them.

        Their steps are appended to `steps`.
        """
        while isinstance(expr, Let):
            yield self._binding(expr.var, expr.value, emitter, steps)
            expr = expr.body
        return expr

    def _named(self, expr: Expr, emitter: Emitter, steps: list[Step]) -> Task[Expr]:
        """Return a variable or constant that holds the final value of a scope."""
        if isinstance(expr, Var | Constant):
            return expr
        var = Var("result", expr.ty, span=expr.span, ty=expr.ty)
        yield self._binding(var, expr, emitter, steps)
        return var

    # Steps

    def _binding(self, var: Var, value: Expr, emitter: Emitter, steps: list[Step]) -> Task[None]:
        """Emit the forward part of a let, and record its step."""
        if value not in self._activity and not self._activity.has_effect(value):
            emitter.bind(var, value)
            return
        match value:
            case Let():
                last = yield self._lets(value, emitter, steps)
                yield self._binding(var, last, emitter, steps)
            case If() | Match():
                steps.append((yield self._branch_step(var, value, emitter)))
            case Call(GlobalVar(name)) if CHECKPOINT in self._module[name].attrs:
                emitter.bind(var, value)
                steps.append(self._recomputed(var, value, name))
            case Call(GlobalVar(name)) if name in self._custom:
                steps.append(self._custom.in_reverse(var, value, name, emitter))
            case Call(GlobalVar(name)):
                steps.append(self._call(var, value, name, emitter))
            case _:
                emitter.bind(var, value)
                steps.append(self._step(var, value))

    def _call(self, var: Var, call: Call, name: str, emitter: Emitter) -> Step:
        parts = self._parts_of(name)
        pair = emitter.let(parts.call_forward(call), "pair")
        emitter.bind(var, TupleGetItem(pair, 0, span=call.span))
        args, fixed = (
            tuple(call.args[index] for index in which) for which in (parts.varied, parts.fixed)
        )
        effect = self._activity.has_effect(call)
        return CallStep(var, args, fixed, emitter.field(pair, 1), parts.backward, has_effect=effect)

    def _recomputed(self, var: Var, call: Call, name: str) -> Step:
        varied = self._activity.params(name)
        pairs = zip(self._module[name].params, call.args, strict=True)
        args = tuple(arg for param, arg in pairs if param in varied)
        return RecomputedCallStep(var, call, args, self._recomputing(name))

    def _recomputing(self, name: str) -> GlobalVar:
        """Return a function that computes the function `name` again, then its cotangents."""
        function, varied = self._module[name], self._activity.params(name)
        scope = self.scope()
        result, steps = self.derive_entry(function.body, scope.emitter)
        seed = Var("d_result", self._tangents.of(function.body.type))
        scope.start(result, seed)
        reverse(steps, scope)
        found = pack([scope.take_dense(param) for param in varied])
        backward = Function((*function.params, seed), scope.emitter.around(found))
        again = self._names.fresh(f"{name}_backward")
        self._functions[again] = backward
        return GlobalVar(again, ty=backward.ty)

    def _branch_step(self, var: Var, value: Expr, emitter: Emitter) -> Task[Step]:
        """Emit the forward part of a branch or match outside of tail position; return its step."""
        inputs = self._activity.inputs(value)
        residual = Residual(self._names, var.name)
        self._residuals.append(residual)
        tangent = self._tangents.of(value.type)
        seed = Var("d", tangent, ty=tangent)
        forward = yield self._derive_to_exits(
            value, (), SingleExits(self.scope, inputs, seed, residual)
        )
        pair = emitter.let(forward, "pair")
        emitter.bind(var, TupleGetItem(pair, 0, span=value.span))
        effect = self._activity.has_effect(value)
        clauses = tuple(residual.clauses)
        return BranchStep(var, emitter.field(pair, 1), seed, inputs, clauses, has_effect=effect)

    def _step(self, var: Var, value: Expr) -> Step:
        match value:
            case Call(OperatorDef() as op):
                return OperatorStep(var, value, op)
            case Call(Constructor() as constructor):
                return ConstructorStep(var, value, constructor)
            case Tuple():
                return TupleStep(var, value)
            case TupleGetItem():
                return FieldStep(var, value)
            case RefCreate(content):
                return CellCreationStep(content, self._cells[var])
            case RefRead(Var() as cell):
                return CellReadStep(var, self._cells[cell])
            case RefWrite(Var() as cell, content):
                return CellWriteStep(content, self._cells[cell])
            case _:
                assert isinstance(value, Var), "functions are first-order, in A-normal form"
                return CopyStep(var, value)
