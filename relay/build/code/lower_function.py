"""Lowers the expressions of one function to instructions of program code.

An expression is lowered to registers that hold its value (`value`), or with a *goal*: it becomes
the result of the function, or fills registers that several branches share (`towards`). A tail call
of the function itself is a jump to its start.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast

from relay.build.code.calling_conventions import CallingConvention, closure_convention
from relay.build.code.capture_analysis import LocalFunction, captured_by, sizes_used
from relay.build.code.compile_matches import MatchCompiler
from relay.build.code.function_builder import FunctionBuilder
from relay.build.code.lower_kernels import KernelLowering
from relay.build.code.program_resources import Resources
from relay.build.code.register_kinds import CELL_TAG, field_range, kinds_of, layout_of
from relay.build.code.size_registers import Sizes
from relay.ir.constructor_field_types import field_types
from relay.ir.dims import DimVar
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
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.trap import FAILED
from relay.ir.types import FuncType, RefType, TupleType, Type
from relay.runtime.code import instructions as code
from relay.runtime.code.function import CodeFunction
from relay.runtime.code.instructions import Registers
from relay.runtime.code.register_kinds import SIZE, BlockLayout
from relay.semantics.argument_checks import require_determined_sizes
from relay.support.error_codes import ErrorCode
from relay.support.node import node
from relay.support.span import Span
from relay.support.trampoline import Task, run

_ENTRY = 0
"""The number of the entry function, whose callers must pass tensors of the declared shapes."""

_START = 1
"""The block where a body starts. It is not block 0, so that self tail calls have a loop header."""


class ProgramContext(Protocol):
    """The interface to the rest of the program while one of its functions is lowered."""

    resources: Resources
    known: dict[Var, LocalFunction]

    def global_function(self, name: str) -> int:
        """Return the number of a global function in the program code."""
        ...

    def global_form(self, name: str) -> CallingConvention:
        """Return the calling convention of a global function."""
        ...

    def task(self, name: str) -> int | None:
        """Return the number of the task for a batched region; None for other functions."""
        ...

    def local_function(self, var: Var, function: Function, names: Iterable[DimVar]) -> bool:
        """Lower a local function to a function of the program; return False if it escapes."""
        ...

    def closure(
        self,
        function: Function,
        captured: Sequence[Var],
        sizes: Sequence[DimVar],
        itself: Var | None,
    ) -> int:
        """Return the number of the function that a closure over `captured` variables calls."""
        ...

    def note_call(self, caller: int, callee: int | None, span: Span | None) -> None:
        """Record a source-level call of a function, or of a closure if `callee` is None."""
        ...

    def wrapper(self, callee: GlobalVar | Constructor) -> int:
        """Return the number of a function with which a closure calls a global or constructor."""
        ...


@node
class Goal:
    """The destination of an expression's value: the function's result, or shared registers.

    The registers are those of a join block, `block`. The value is converted to the type `ty`;
    `span` is the source location of the trap if its sizes do not fit.
    """

    ty: Type
    span: Span | None
    block: int | None = None
    registers: Registers = ()


class FunctionLowering:
    """The lowering of the body of function number `index` to instructions."""

    def __init__(self, program: ProgramContext, builder: FunctionBuilder, index: int) -> None:
        self._program = program
        self._builder = builder
        self._index = index
        self._values: dict[Var, Registers] = {}
        self._sizes = Sizes(builder, program.resources)
        self._kernels = KernelLowering(builder, self._sizes, program.resources)
        self._itself: Var | None = None  # the variable that names a closure inside itself

    def know(self, names: Sequence[DimVar], registers: Registers) -> None:
        """Bind dimensions of the surrounding scope to registers that hold their sizes."""
        for name, register in zip(names, registers, strict=True):
            self._sizes.give(name, register)

    def open_closure(
        self, captured: Sequence[Var], sizes: Sequence[DimVar], itself: Var | None
    ) -> None:
        """Load the captures of a closure, which is the function's first parameter."""
        kinds = layout_of([var.type for var in captured]).kinds
        fields = self._fields(0, BlockLayout((*[SIZE] * len(sizes), *kinds)))
        self.know(sizes, fields[: len(sizes)])
        self._hold(captured, fields[len(sizes) :])
        if itself is not None:
            self._itself = itself
            self._values[itself] = (0,)

    def capture(self, captured: Sequence[Var], registers: Registers) -> Registers:
        """Bind captured variables to the first of these registers; return the rest."""
        others = self._hold(captured, registers)
        self._sizes.learn(*((var.type, self._values[var]) for var in captured))
        return others

    def _hold(self, variables: Sequence[Var], registers: Registers) -> Registers:
        for var in variables:
            count = len(kinds_of(var.type))
            self._values[var], registers = registers[:count], registers[count:]
        return registers

    def finish(self, function: Function, registers: Registers) -> CodeFunction:
        """Lower the body and the size checks of the parameters; return the function."""
        start = self._builder.block()
        assert start == _START
        self._builder.jump(start)
        self._builder.enter(start)
        self._take(function.params, registers)
        self._sizes.learn(*((param.type, self._values[param]) for param in function.params))
        for param in function.params:
            if self._index == _ENTRY:
                require_determined_sizes((param,), self._sizes.names)
            with self._sizes.at(param.span, param.name):
                self._sizes.check(param.type, self._values[param])
        run(
            self.towards(
                function.body, Goal(cast("FuncType", function.type).result, function.body.span)
            )
        )
        return self._builder.finish()

    def _take(self, params: Sequence[Var], registers: Registers) -> None:
        """Bind parameters to their registers, converted to the kinds of their types."""
        self._hold(params, registers)
        for param in params:
            with self._sizes.at(param.span, param.name):
                kinds = kinds_of(param.type)
                self._values[param] = self._sizes.fitted(self._values[param], kinds, param.span)

    # ---- control ----------------------------------------------------------------------------

    def towards(self, expr: Expr, goal: Goal) -> Task[None]:
        """Lower an expression whose value goes to `goal`."""
        while isinstance(expr, Let):
            yield self._bind(expr)
            expr = expr.body
        match expr:
            case If():
                yield self._if(expr, goal)
            case Match():
                yield self._match(expr, goal)
            case Call() if goal.block is None and self._is_last(expr, goal):
                yield self._tail_call(expr, goal)
            case Call() if goal.block is None and self._is_last_of_closure(expr, goal):
                yield self._tail_call_closure(expr)
            case _:
                self._deliver(expr, (yield self.value(expr)), goal)

    def _is_last(self, call: Call, goal: Goal) -> bool:
        """Whether a call of a known function can be a tail call: its result needs no size check."""
        return self._calls_function(call) and not self._sizes.differ(goal.ty, call.type)

    def _is_last_of_closure(self, call: Call, goal: Goal) -> bool:
        """Whether a call of a closure can be a tail call: its result needs no conversion."""
        if not self._calls_closure(call) or self._sizes.differ(goal.ty, call.type):
            return False
        return self._form(call).results == self._builder.results

    def _deliver(self, expr: Expr, registers: Registers, goal: Goal) -> None:
        """Emit size checks of an expression's value in `registers`, and move it to the goal."""
        fitted = self._sizes.fitted(registers, kinds_of(goal.ty), goal.span)
        with self._sizes.at(goal.span):
            self._sizes.check(goal.ty, fitted, known_as=expr.type)
        if goal.block is None:
            passed = self._sizes.fitted(fitted, self._builder.results, goal.span)
            self._builder.end(code.Return(passed))
        else:
            self._builder.jump(goal.block, goal.registers, fitted)

    def _bind(self, let: Let) -> Task[None]:
        value = let.value
        if isinstance(value, Function) and not value.is_primitive:
            if not self._program.local_function(let.var, value, self._sizes.names):
                self._values[let.var] = self._close(value, let.var)
        else:
            registers = yield self.value(value)
            kinds = kinds_of(let.var.type)
            self._values[let.var] = self._sizes.fitted(registers, kinds, value.span)
            with self._sizes.at(value.span, let.var.name):
                self._sizes.learn((let.var.type, self._values[let.var]))
                self._sizes.check(let.var.type, self._values[let.var], known_as=value.type)

    def _if(self, expr: If, goal: Goal) -> Task[None]:
        (condition,) = yield self.value(expr.condition)
        then, other = self._builder.block(), self._builder.block()
        self._builder.end(code.Branch(condition, then, other))
        for block, branch in ((then, expr.then), (other, expr.other)):
            self._builder.enter(block)
            with self._sizes.scope():
                yield self.towards(branch, goal)

    def _match(self, expr: Match, goal: Goal) -> Task[None]:
        data = yield self.value(expr.data)
        what = f"the match has no clause for this value of type {expr.data.type!r}"
        message = what if expr.clauses else FAILED
        trap = self._program.resources.trap(ErrorCode.R040, message, expr.span)
        compiler = MatchCompiler(self._builder, self._sizes, trap)
        for clause, block, bound in compiler.compile(expr, data):
            self._values.update(bound)
            self._builder.enter(block)
            with self._sizes.scope():
                for var, registers in bound.items():
                    with self._sizes.at(var.span or expr.span, var.name):
                        self._sizes.admit(var.type, registers)
                yield self.towards(clause.body, goal)

    def _tail_call(self, call: Call, goal: Goal) -> Task[None]:
        function, args = yield self._function_call(call)
        result = self._form(call).results
        if function == self._index:
            self._builder.jump(_START, self._builder.parameters, args)
        elif result == self._builder.results:
            self._builder.end(code.TailCall(function, args))
        else:
            to = self._builder.fresh(result)
            self._builder.emit(code.CallFunction(function, args, to))
            self._deliver(call, to, goal)

    def _tail_call_closure(self, call: Call) -> Task[None]:
        closure, args = yield self._closure_call(call)
        self._builder.end(code.TailCallClosure(closure, args))

    # ---- values -----------------------------------------------------------------------------

    def value(self, expr: Expr) -> Task[Registers]:
        """Lower an expression and return the registers that hold its value."""
        match expr:
            case Var():
                return self._values[expr]
            case Constant(data):
                return self._write(
                    lambda to: code.LoadConstant(to[0], self._program.resources.constant(data)),
                    expr,
                )
            case Tuple(fields):
                return (yield self._all(fields))
            case TupleGetItem(whole, index):
                registers = yield self.value(whole)
                kept = field_range(cast("TupleType", whole.type), index)
                return registers[kept.start : kept.stop]
            case Call():
                return (yield self._call(expr))
            case Function():
                return self._close(expr, None)
            case GlobalVar() | Constructor():
                return self._closed(self._program.wrapper(expr), (), expr)
            case If() | Match() | Let():
                return (yield self._joined(expr))
            case RefCreate(content):
                kinds = self._content(expr).kinds
                fields = self._sizes.fitted((yield self.value(content)), kinds, expr.span)
                return self._write(lambda to: code.Construct(to[0], CELL_TAG, fields), expr)
            case RefRead(ref):
                (cell,) = yield self.value(ref)
                return self._admitted(self._fields(cell, self._content(ref)), expr)
            case RefWrite(ref, content):
                return (yield self._store(ref, content))
            case _:
                raise AssertionError(f"{type(expr).__name__} in a program that is lowered")

    def _all(self, exprs: Sequence[Expr]) -> Task[Registers]:
        registers: list[int] = []
        for expr in exprs:
            registers.extend((yield self.value(expr)))
        return tuple(registers)

    def _joined(self, expr: Expr) -> Task[Registers]:
        """Lower a branching expression; all its branches write the same registers."""
        block = self._builder.block()
        goal = Goal(expr.type, expr.span, block, self._builder.fresh(kinds_of(expr.type)))
        with self._sizes.scope():
            yield self.towards(expr, goal)
        self._builder.enter(block)
        return goal.registers

    def _write(self, instruction: Callable[[Registers], code.Instruction], expr: Expr) -> Registers:
        """Emit an instruction that writes the value of an expression."""
        to = self._builder.fresh(kinds_of(expr.type))
        self._builder.emit(instruction(to))
        return to

    # ---- calls ------------------------------------------------------------------------------

    def _calls_function(self, call: Call) -> bool:
        """Whether the callee is a statically known function of the program."""
        op = call.op
        if isinstance(op, GlobalVar):
            return self._program.task(op.name) is None
        return op in self._program.known or self._calls_itself(op)

    def _calls_closure(self, call: Call) -> bool:
        """Whether a call's callee is a closure, that is, a computed function value."""
        op = call.op
        is_kernel = isinstance(op, Function) and op.is_primitive
        named = isinstance(op, GlobalVar | Constructor)
        return not (is_kernel or named or self._calls_function(call))

    def _calls_itself(self, op: Expr) -> bool:
        return op is self._itself and self._itself is not None

    def _form(self, call: Call) -> CallingConvention:
        """Return the calling convention of the callee, a function of the program or a closure."""
        op = call.op
        if isinstance(op, GlobalVar):
            return self._program.global_form(op.name)
        known = self._program.known.get(op) if isinstance(op, Var) else None
        return closure_convention(cast("FuncType", op.type)) if known is None else known.form

    def _arguments(self, call: Call) -> Task[Registers]:
        """Emit conversions of the arguments to the callee's calling convention; return registers.

        If the sizes of an argument contradict its parameter's type, the trap names the place of the
        parameter, or of the call if the callee is unknown.
        """
        args, form = (yield self._all(call.args)), self._form(call)
        if not form.variables:
            return self._sizes.fitted(args, form.parameters, call.span)
        passed: list[int] = []
        for param in form.variables:
            kinds = kinds_of(param.type)
            given, args = args[: len(kinds)], args[len(kinds) :]
            with self._sizes.at(param.span or call.span, param.name):
                passed += self._sizes.fitted(given, kinds, param.span)
        return tuple(passed)

    def _closure_call(self, call: Call) -> Task[tuple[int, Registers]]:
        """Return the registers of a closure and of its arguments."""
        args = yield self._arguments(call)
        (closure,) = yield self.value(call.op)
        self._program.note_call(self._index, None, call.span)
        return closure, args

    def _function_call(self, call: Call) -> Task[tuple[int, Registers]]:
        """Return the number of a called function and the registers of its arguments."""
        function, args = yield self._callee(call)
        self._program.note_call(self._index, function, call.span)
        return function, args

    def _callee(self, call: Call) -> Task[tuple[int, Registers]]:
        op = call.op
        args = yield self._arguments(call)
        if isinstance(op, GlobalVar):
            return self._program.global_function(op.name), args
        assert isinstance(op, Var)
        if self._calls_itself(op):
            return self._index, (*self._values[op], *args)
        known = self._program.known[op]
        sizes = tuple(map(self._sizes.register, known.sizes))
        return known.index, (*sizes, *(yield self._all(known.captured)), *args)

    def _call(self, call: Call) -> Task[Registers]:
        op = call.op
        if isinstance(op, Constructor):
            args = yield self._all(call.args)
            kinds = layout_of(field_types(op, call.type)).kinds
            fields = self._sizes.fitted(args, kinds, call.span)
            return self._write(lambda to: code.Construct(to[0], op.index, fields), call)
        if isinstance(op, Function) and op.is_primitive:
            return self._kernels.run(op, (yield self._all(call.args)), call)
        if isinstance(op, GlobalVar) and (task := self._program.task(op.name)) is not None:
            args = yield self._arguments(call)
            result = self._builder.fresh(self._form(call).results)
            self._builder.emit(code.Defer(task, args, result))
            return self._admitted(result, call)
        result = self._builder.fresh(self._form(call).results)
        if self._calls_function(call):
            function, args = yield self._function_call(call)
            self._builder.emit(code.CallFunction(function, args, result))
        else:
            closure, args = yield self._closure_call(call)
            self._builder.emit(code.CallClosure(closure, args, result))
        return self._admitted(result, call)

    def _admitted(self, registers: Registers, expr: Expr) -> Registers:
        """Emit size checks of a value that a callee or a heap block gave; return its registers."""
        fitted = self._sizes.fitted(registers, kinds_of(expr.type), expr.span)
        with self._sizes.at(expr.span):
            self._sizes.check(expr.type, fitted)
        return fitted

    # ---- heap -------------------------------------------------------------------------------

    def _close(self, function: Function, itself: Var | None) -> Registers:
        captured = captured_by(function, self._program.known, itself)
        sizes = sizes_used(function, self._program.known, self._sizes.names)
        number = self._program.closure(function, captured, sizes, itself)
        held = [*map(self._sizes.register, sizes), *(r for v in captured for r in self._values[v])]
        return self._closed(number, held, function)

    def _closed(self, number: int, captured: Sequence[int], expr: Expr) -> Registers:
        return self._write(lambda to: code.Close(to[0], number, tuple(captured)), expr)

    def _content(self, ref: Expr) -> BlockLayout:
        return layout_of((cast("RefType", ref.type).content,))

    def _fields(self, source: int, layout: BlockLayout) -> Registers:
        """Emit loads of all fields of a heap block; return their registers."""
        to = self._builder.fresh(layout.kinds)
        for index, register in enumerate(to):
            self._builder.emit(code.LoadField(register, source, layout, index))
        return to

    def _store(self, ref: Expr, content: Expr) -> Task[Registers]:
        (cell,) = yield self.value(ref)
        layout = self._content(ref)
        fitted = self._sizes.fitted((yield self.value(content)), layout.kinds, content.span)
        for index, register in enumerate(fitted):
            self._builder.emit(code.StoreField(cell, layout, index, register))
        return ()
