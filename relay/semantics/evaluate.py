"""The reference evaluator, which defines the meaning of programs.

It is simple rather than fast. Operators are computed by their NumPy references. Every node is
computed on first use, and at most once for each call of the function that owns it. Nodes that wait
for operands are on an explicit stack, so programs may be as deep as memory allows, and a million
calls may be pending (`R050`). A tail call replaces the pending call of the function that makes it.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import numpy as np

from relay.ir.analysis.mapped_constants import check_files
from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.analysis.tail_positions import tail_calls, tail_positions
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
)
from relay.ir.match_patterns import Match
from relay.ir.module import HasModule, Module, module_of
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import FuncType, RefType, Type, TypeCall
from relay.opdef.definition import OperatorDef
from relay.runtime.code.traps import MOST_CALLS
from relay.semantics.apply_operator import value_of_call
from relay.semantics.argument_checks import check_sizes, convert_arguments
from relay.semantics.call_site_dims import CallSiteSizes, Sizes
from relay.semantics.evaluator_values import (
    MISSING,
    Argument,
    Closure,
    Data,
    EvaluationFrame,
    Missing,
    Reference,
    Value,
    owner_frame,
)
from relay.semantics.frame_sizes import FrameSizes
from relay.semantics.tail_call_checks import Entered, after_tail_call
from relay.semantics.type_parameter_values import (
    NO_TYPE_ARGUMENTS,
    TypeArguments,
    TypeArgumentsOfCalls,
)
from relay.semantics.value_matching import first_match
from relay.semantics.well_formed import check_well_formed
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.garbage_collector import collect_young, paused_collector
from relay.support.span import Span


def evaluate(module: HasModule, *args: Argument, entry: str = "main") -> Value:
    """Return the result of the function `entry` of a module for these arguments.

    Types are inferred, and the module is checked to be well-formed, first. Raises `R040` if no
    clause of a match matches, `R041` for a wrong number of arguments, `R042` if an operator has no
    value for its arguments, `R050` if more than a million calls are pending, `R054` if the sizes of
    a value differ from its type, and the errors of `relay.semantics.argument_checks` for invalid
    arguments.

    >>> import numpy as np
    >>> from relay.ir.expr import Var
    >>> from relay.ops.nn.activations import Relu
    >>> x = Var("x")
    >>> evaluate(Module.of(Function((x,), Call(Relu(), (x,)))), np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return Interpreter(module_of(module)).result_of(entry, args)


def evaluate_expr(expr: Expr) -> Value:
    """Return the value of an expression without free variables."""
    return evaluate(Module.of(Function((), expr)))


_CLOSED = 4096
"""The number of new closures after which garbage is collected."""

_ATOMS = frozenset((Constant, GlobalVar, Constructor))
_Waiting: TypeAlias = tuple[Expr, EvaluationFrame, Entered | None]


class Interpreter:
    """The evaluator of one module, with a stack of nodes that wait for their operands.

    A step evaluates the node on top of the stack. If operands are missing, it pushes their nodes,
    and the node is tried again once these are evaluated. A frame holds the values of one call.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self.globals = {name: Closure(f, None, {}) for name, f in module.functions.items()}
        functions = module.functions.values()
        self._placements = {each: Placement(each, function_scopes()) for each in functions}
        self.stack: list[_Waiting] = []
        self._sizes = FrameSizes()
        self._called = CallSiteSizes()
        self._choices = TypeArgumentsOfCalls()
        self.waiting = 0  # pending calls
        self._closed = 0  # closures created
        self._ends = tail_positions(module.functions.values())
        self._last = tail_calls(module.functions.values())

    def result_of(self, entry: str, args: Sequence[Argument]) -> Value:
        """Call the function `entry`, and return its result after checking that against its type."""
        function = self._module[entry]
        if len(args) != len(function.params):
            message = f"@{entry} takes {len(function.params)} arguments, not {len(args)}"
            raise RunError(ErrorCode.R041, message, help="pass one value for each parameter")
        check_well_formed(self._module)
        check_files(self._module)
        # The cyclic collector would traverse all pending frames again and again.
        with paused_collector(), np.errstate(all="ignore"):
            values = convert_arguments(self._module, function.params, args)
            frame = self.enter(self.globals[entry], values, {}, NO_TYPE_ARGUMENTS)
            value = self.run(function.body, frame)
            promised = function.ty.result if isinstance(function.ty, FuncType) else None
            return cast(
                "Value", self.with_checked_sizes(promised, value, frame, function.body.span)
            )

    def run(self, expr: Expr, frame: EvaluationFrame) -> Value:
        """Evaluate a node in a frame and return its value."""
        stack = self.stack
        stack.append((expr, frame, None))
        while stack:
            top, inside, entered = stack[-1]
            if self.lookup(top, inside) is not MISSING:
                stack.pop()
                continue
            value = self.step(top, inside, entered)
            if not isinstance(value, Missing):
                stack.pop()
                home = owner_frame(top, inside)
                home.values[top] = value
                self._record_introduced_sizes(top, value, home)
        return cast("Value", self.lookup(expr, frame))

    def step(self, expr: Expr, frame: EvaluationFrame, entered: Entered | None) -> Value | Missing:
        """Evaluate the node on top of the stack; `MISSING` means that operands are pending.

        `entered` is the evaluation that the node waited for, if any.
        """
        return _STEPS[type(expr)](self, expr, frame, entered)

    def enter(
        self, closure: Closure, args: Sequence[Value], implied: Sizes, types: TypeArguments
    ) -> EvaluationFrame:
        """Return a new frame for a call of a closure.

        `implied` are sizes that types at the call imply, for a global function; `types` are its
        type arguments.
        """
        parent = closure.frame
        placement = parent.placement if parent else self._placements[closure.function]
        params = closure.function.params
        values: dict[Expr, Value] = dict(zip(params, args, strict=True))
        depth, implied = (1, implied) if parent is None else (parent.depth + 1, parent.implied)
        sizes = self._sizes.of_call(
            params, args, implied if parent is None else closure.sizes, types
        )
        is_kernel = parent is not None and closure.function.is_primitive
        opened = parent.opened if parent is not None and is_kernel else {}
        return EvaluationFrame(values, parent, depth, placement, sizes, implied, types, opened)

    def with_checked_sizes(
        self, ty: Type | None, value: Value | Missing, frame: EvaluationFrame, span: Span | None
    ) -> Value | Missing:
        """Return a value after checking its sizes against its type, unless it is missing."""
        if not isinstance(value, Missing):
            self._sizes.check(ty, value, frame, span)
        return value

    def lookup(self, expr: Expr, frame: EvaluationFrame) -> Value | Missing:
        """Return the value of a node if it is known, else `MISSING`."""
        if type(expr) not in _ATOMS:
            return owner_frame(expr, frame).values.get(expr, MISSING)
        match expr:
            case Constant(data):
                return data
            case GlobalVar(name):
                return self.globals[name]
            case _:
                return cast("Constructor", expr)

    def _values_or_push(self, exprs: Sequence[Expr], frame: EvaluationFrame) -> list[Value] | None:
        """Return the values of nodes; if some are missing, push their nodes and return None."""
        found = [self.lookup(expr, frame) for expr in exprs]
        if all(value is not MISSING for value in found):
            return cast("list[Value]", found)
        for expr, value in zip(reversed(exprs), reversed(found), strict=True):
            if value is MISSING:
                self.stack.append((expr, frame, None))
        return None

    def _value_or_push(self, expr: Expr, frame: EvaluationFrame) -> Value | Missing:
        value = self.lookup(expr, frame)
        if value is MISSING:
            self.stack.append((expr, frame, None))
        return value

    def _continue(self, body: Expr, frame: EvaluationFrame, known: int = 0) -> Value | Missing:
        """Return the value of `body`, which becomes that of the node on top of the stack.

        If it is missing, push `body` and return `MISSING`. `known` is the number of sizes that were
        known before its scope.
        """
        value = self.lookup(body, frame)
        if value is MISSING:
            self._push(Entered(body, frame, known))
        return value

    def _push(self, entered: Entered) -> None:
        """Push an evaluation, for which the node on top of the stack then waits."""
        top, inside, _ = self.stack[-1]
        self.stack[-1] = (top, inside, entered)
        self.stack.append((entered.body, entered.frame, None))

    def _record_introduced_sizes(self, expr: Expr, value: Value, home: EvaluationFrame) -> None:
        """Record the sizes of dimension variables that passes introduced, from a node's value."""
        self._sizes.record_introduced(expr.ty, value, home)
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and expr.op.opened:
            sizes, names = self.lookup(expr.args[-1], home), cast("list[DimVar]", expr.op.opened)
            if isinstance(sizes, np.ndarray):
                home.opened.update(zip(names, map(int, sizes), strict=True))

    def _evaluate_scope(
        self, body: Expr, frame: EvaluationFrame, home: EvaluationFrame, known: int
    ) -> Value | Missing:
        """Evaluate `body`, which binds new dimensions, for the node on top of the stack.

        `known` is the number of dimensions known before, and `home` the frame that holds them.
        """
        top = self.stack[-1][0]
        value = self._continue(body, frame, known)
        return value if value is MISSING else self._leave_scope(top, value, home, known)

    def _leave_scope(
        self, scope: Expr, value: Value | Missing, home: EvaluationFrame, known: int
    ) -> Value | Missing:
        """Remove the dimensions that a scope bound, and return its value.

        `known` is the number of dimensions before. In tail position of a function they are kept,
        because the result is checked against them.
        """
        while len(home.sizes) > known and scope not in self._ends:
            home.sizes.popitem()  # the most recent one
        return value

    # One method for each kind of node; a result of `MISSING` means that operands are pending

    def call(self, expr: Call, frame: EvaluationFrame, entered: Entered | None) -> Value | Missing:
        """Evaluate the arguments from left to right, then the call."""
        if entered is not None:
            self.waiting -= 1
            value = cast("Value", self.lookup(entered.body, entered.frame))
            return self._returned(expr, frame, value, entered)
        if isinstance(expr.op, OperatorDef):
            inputs = self._values_or_push(expr.args, frame)
            if inputs is None:
                return MISSING
            self._sizes.require_constraints(expr, expr.op, frame)
            made = self.operate(expr, self._sizes.of_operator(expr, expr.op, frame), inputs)
            return self.with_checked_sizes(expr.ty, made, owner_frame(expr, frame), expr.span)
        values = self._values_or_push((*expr.args, expr.op), frame)
        if values is None:
            return MISSING
        *inputs, callee = values
        if isinstance(callee, Constructor):
            return self._constructed(expr, callee, inputs, frame)
        function = cast("Closure", callee).function
        inner = self._callee_frame(expr, frame, cast("Closure", callee), inputs)
        result = function.ty.result if isinstance(function.ty, FuncType) else None
        wanted = None if expr.ty is result else expr.ty
        begun = Entered(function.body, inner, result=result, wanted=wanted)
        value = self.lookup(function.body, inner)
        if isinstance(value, Missing):
            self._push_callee(expr, frame, begun)
            return value
        return self._returned(expr, frame, value, begun)

    def _callee_frame(
        self, call: Call, frame: EvaluationFrame, callee: Closure, args: Sequence[Value]
    ) -> EvaluationFrame:
        """Return a new frame for a call of the closure `callee`, made from `frame`."""
        implied = self._called.of(call, frame.implied)
        outer = NO_TYPE_ARGUMENTS if callee.frame is None else callee.frame.types
        types = self._choices.of(call, callee.function, outer, frame.types, frame.implied)
        return self.enter(callee, args, implied, types)

    def _push_callee(self, call: Call, frame: EvaluationFrame, entered: Entered) -> None:
        """Make a call wait for the evaluation of its callee.

        A tail call replaces the pending call of the function that makes it; its value is returned
        to that function's caller.
        """
        place = self._replaced_call(call)
        if place is not None:
            outer, inside, ending = self.stack[place]
            assert ending is not None, "a call waits for the function that it called"
            assert ending.frame is frame, "a last call is made in the call that it ends"
            del self.stack[place + 1 :]
            self.stack[place] = (outer, inside, None)
            self._push(after_tail_call(call, entered, ending, self._sizes.has_known_dims))
            return
        if self.waiting >= MOST_CALLS:
            message = (
                f"functions of the program call each other too deeply: more than {MOST_CALLS:,} "
                "nested calls"
            )
            raise RunError(ErrorCode.R050, message, span=call.span)
        self.waiting += 1
        self._push(entered)

    def _replaced_call(self, call: Call) -> int | None:
        """Return the stack index of the pending call that a tail call replaces, or None.

        Tail calls of the entry function replace none, because it has no caller.
        """
        if call not in self._last:
            return None
        places = range(len(self.stack) - 2, -1, -1)  # skips the branches in between
        return next((i for i in places if type(self.stack[i][0]) is Call), None)

    def _returned(
        self, call: Call, frame: EvaluationFrame, value: Value, entered: Entered
    ) -> Value | Missing:
        """Return the value of a call, after checking it against the types of callee and caller.

        `entered` records the pending checks.
        """
        value = cast(
            "Value",
            self.with_checked_sizes(entered.result, value, entered.frame, entered.body.span),
        )
        for each in (entered.pending or {}).values():
            check_sizes(each.ty, value, each.sizes, each.span)
        return self.with_checked_sizes(entered.wanted, value, frame, call.span)

    def _constructed(
        self, call: Call, constructor: Constructor, inputs: Sequence[Value], frame: EvaluationFrame
    ) -> Data:
        """Return a value of a data type, after checking the sizes of its fields."""
        made = call.ty
        if isinstance(made, TypeCall) and len(made.args) == len(constructor.type_params):
            fields = field_types(constructor, made)
            inputs = [
                value
                if arg.ty is ty
                else cast("Value", self.with_checked_sizes(ty, value, frame, arg.span))
                for arg, ty, value in zip(call.args, fields, inputs, strict=True)
            ]
        return Data(constructor, tuple(inputs))

    def operate(self, call: Call, op: OperatorDef, inputs: Sequence[Value]) -> Value:
        """Return an operator's result; raises `RunError` if it has none for these inputs."""
        return value_of_call(call, op, inputs)

    def tuple(self, expr: Tuple, frame: EvaluationFrame, _: object) -> Value | Missing:
        """Evaluate the fields of a tuple, from left to right."""
        fields = self._values_or_push(expr.fields, frame)
        return MISSING if fields is None else (*fields,)

    def field(self, expr: TupleGetItem, frame: EvaluationFrame, _: object) -> Value | Missing:
        """Evaluate a tuple, and return one of its fields."""
        whole = self._value_or_push(expr.tuple_value, frame)
        return whole if isinstance(whole, Missing) else cast("list[Value]", whole)[expr.index]

    def function(self, expr: Function, frame: EvaluationFrame, _: object) -> Value:
        """Return a closure of a function literal and the frame that owns the literal."""
        home = owner_frame(expr, frame)
        self._closed += 1
        if self._closed % _CLOSED == 0:
            collect_young()  # closures and the frames that hold them form cycles
        return Closure(expr, home, dict(home.sizes))

    def let(self, expr: Let, frame: EvaluationFrame, entered: Entered | None) -> Value | Missing:
        """Evaluate a let: its value, which is bound to the variable, then its body."""
        home = owner_frame(expr.var, frame)
        if entered is not None:
            return self._leave_scope(
                expr, self.lookup(entered.body, entered.frame), home, entered.known
            )
        if isinstance(value := self._value_or_push(expr.value, frame), Missing):
            return value
        known = len(home.sizes)
        self._sizes.record(expr.var.ty, value, home)
        if expr.value.ty is not expr.var.ty:
            value = cast(
                "Value", self.with_checked_sizes(expr.var.ty, value, home, expr.value.span)
            )
        home.values[expr.var] = value
        return self._evaluate_scope(expr.body, frame, home, known)

    def branch(self, expr: If, frame: EvaluationFrame, entered: Entered | None) -> Value | Missing:
        """Evaluate a conditional: its condition, then one branch."""
        if entered is not None:
            return self.lookup(entered.body, entered.frame)
        condition = self._value_or_push(expr.condition, frame)
        if isinstance(condition, Missing):
            return condition
        holds = cast("bool", condition)  # an array with one element
        return self._continue(expr.then if holds else expr.other, frame)

    def match(
        self, expr: Match, frame: EvaluationFrame, entered: Entered | None
    ) -> Value | Missing:
        """Evaluate a match: its data, then the body of the first clause that matches."""
        home = owner_frame(expr, frame)
        if entered is not None:
            return self._leave_scope(
                expr, self.lookup(entered.body, entered.frame), home, entered.known
            )
        data = self._value_or_push(expr.data, frame)
        if isinstance(data, Missing):
            return data
        clause, bound = first_match(expr, data)
        known = len(home.sizes)
        self._sizes.bind_pattern(bound, expr, home)
        for var, value in bound:
            owner_frame(var, frame).values[var] = value
        return self._evaluate_scope(clause.body, frame, home, known)

    def create(self, expr: RefCreate, frame: EvaluationFrame, _: object) -> Value | Missing:
        """Create a mutable cell with an initial value, and return the reference to it."""
        content = self._value_or_push(expr.value, frame)
        return content if isinstance(content, Missing) else Reference(content)

    def read(self, expr: RefRead, frame: EvaluationFrame, _: object) -> Value | Missing:
        """Return the content of a mutable cell, after checking its sizes."""
        cell = self._value_or_push(expr.ref, frame)
        if isinstance(cell, Missing):
            return cell
        return self.with_checked_sizes(expr.ty, cast("Reference", cell).content, frame, expr.span)

    def write(self, expr: RefWrite, frame: EvaluationFrame, _: object) -> Value | Missing:
        """Replace the content of a cell: the reference is evaluated first, then the value."""
        pair = self._values_or_push((expr.ref, expr.value), frame)
        if pair is None:
            return MISSING
        content = expr.ref.ty.content if isinstance(expr.ref.ty, RefType) else None
        found = self.with_checked_sizes(content, pair[1], frame, expr.value.span)
        cast("Reference", pair[0]).content = cast("Value", found)
        return ()


_Step: TypeAlias = Callable[[Interpreter, Expr, EvaluationFrame, Entered | None], Value | Missing]

_STEPS = cast(
    "dict[type[Expr], _Step]",
    {
        Call: Interpreter.call,
        Tuple: Interpreter.tuple,
        TupleGetItem: Interpreter.field,
        Function: Interpreter.function,
        Let: Interpreter.let,
        If: Interpreter.branch,
        Match: Interpreter.match,
        RefCreate: Interpreter.create,
        RefRead: Interpreter.read,
        RefWrite: Interpreter.write,
    },
)
