"""An evaluator that collects all traps: the specification for programs that may trap.

Traps are imprecise: a program reports one of its traps, and it is unspecified which (Peyton Jones,
Reid, Hoare, Marlow, Henderson: A semantics for imprecise exceptions, 1999). In this evaluator, a
trap does not end the program: the missing value becomes *poison*, which propagates to values that
depend on it, while other values are computed. A run of a compiled program is correct if it returns
the same value and this contains no poison, or if it reports one of the collected traps.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, cast

import numpy as np

from relay.ir.dims import substitute
from relay.ir.expr import Array, Call, Constructor, Expr, If, TupleGetItem, Var
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.module import HasModule, Module, module_of
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import TensorType, Type
from relay.opdef.definition import OperatorDef
from relay.semantics.evaluate import Interpreter
from relay.semantics.evaluator_values import (
    Argument,
    Data,
    EvaluationFrame,
    Missing,
    Reference,
    Value,
    owner_frame,
)
from relay.semantics.poison import (
    EVERYTHING,
    Poison,
    is_poisoned,
    is_shapeless,
    merged,
    poison_of,
    with_dependent_poison,
)
from relay.semantics.tail_call_checks import Entered
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RunError
from relay.support.node import node
from relay.support.span import Span


@node
class Collected:
    """The outcome of a program: its value, possibly with poison, and the traps that it may report.

    If `failed`, an assertion failed or its condition is poisoned, so there is no value. If
    `any_trap` is set, not all traps were collected.
    """

    value: Value
    traps: tuple[RelayError, ...]
    failed: bool
    any_trap: bool

    @property
    def must_trap(self) -> bool:
        """Whether every run traps, because an assertion failed or the value contains poison."""
        return self.failed or has_poison(self.value)


def collect(
    module: HasModule, *args: Argument, entry: str = "main", most_steps: int | None = None
) -> Collected:
    """Evaluate a function of a module for these arguments; return its value and its traps.

    A program that takes more than `most_steps` steps may report any trap. Raises the errors of
    `relay.semantics.evaluate` for invalid arguments.

    >>> import numpy as np
    >>> from relay.ir.expr import Function, Var
    >>> from relay.ops.nn.activations import Relu
    >>> x = Var("x")
    >>> collect(Module.of(Function((x,), Call(Relu(), (x,)))), np.array([-1.0, 2.0])).value
    array([0., 2.])
    """
    machine = _Collecting(module_of(module), most_steps)
    try:
        value = machine.result_of(entry, args)
    except _TooDeep as error:
        return Collected(cast("Value", EVERYTHING), (error.trap,), failed=True, any_trap=True)
    return Collected(value, tuple(machine.traps), machine.failed, machine.any_trap)


def has_poison(value: Value) -> bool:
    """Whether a value contains poison, also in the contents of references (not in closures)."""
    stack: list[Any] = [value]
    seen: set[Reference] = set()
    while stack:
        each = stack.pop()
        match each:
            case Poison():
                return True
            case Data(_, fields):
                stack.extend(fields)
            case tuple():
                stack.extend(cast("tuple[Any, ...]", each))
            case Reference() as cell if cell not in seen:
                seen.add(cell)
                stack.append(cell.content)
            case _:
                pass
    return False


class _TooDeep(Exception):  # noqa: N818 - ends a run, and is not a mistake
    """The exception that ends an evaluation which takes too many steps or pending calls."""

    def __init__(self, trap: RelayError) -> None:
        super().__init__()
        self.trap = trap


class _Exhausted(Exception):  # noqa: N818 - ends an attempt, and is not a mistake
    """The exception that ends the evaluation of a side of a branch on poison, if it is long."""


_MOST_NESTED = 3
_MOST_STEPS = 20_000
"""The limits on nesting and on steps for the arms of branches on poison."""

_TOO_DEEP = ErrorCode.R050


class _Collecting(Interpreter):
    """An evaluator that goes on after a trap with poison, an unknown value, and collects traps."""

    def __init__(self, module: Module, most_steps: int | None) -> None:
        super().__init__(module)
        self._budget = inf if most_steps is None else most_steps
        self.traps: list[RelayError] = []
        self.failed = False
        self.any_trap = False
        self._cells: list[Reference] = []
        self._nested = 0
        self._steps = 0

    def step(self, expr: Expr, frame: EvaluationFrame, entered: Entered | None) -> Value | Missing:
        """Evaluate a node; if it traps, its value is poison."""
        self._budget -= 1
        if self._budget < 0:
            raise _TooDeep(RunError(_TOO_DEEP, "the evaluation needs more steps than are allowed"))
        if self._nested:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise _Exhausted
        height, home = len(self.stack), owner_frame(expr, frame)
        known = len(home.sizes)
        try:
            if entered is None:
                found = self._result_of_poison(expr, frame)
                if found is not None:
                    return found
            value = super().step(expr, frame, entered)
        except RelayError as trap:
            if trap.code == _TOO_DEEP:
                raise _TooDeep(trap) from trap
            del self.stack[height:]
            while len(home.sizes) > known:  # dimensions that a pattern or a let has bound
                home.sizes.popitem()
            self.traps.append(trap)
            self.failed |= isinstance(expr, Match) and not expr.clauses
            return self._poison(expr.ty, home)
        if isinstance(value, Reference) and isinstance(expr, RefCreate):
            self._cells.append(value)
        return value

    def with_checked_sizes(
        self, ty: Type | None, value: Value | Missing, frame: EvaluationFrame, span: Span | None
    ) -> Value | Missing:
        """Return the value, or poison if its sizes do not match its type."""
        if is_poisoned(value):
            return value
        try:
            return super().with_checked_sizes(ty, value, frame, span)
        except RunError as trap:
            self.traps.append(trap)
            return self._poison(ty, frame)

    def operate(self, call: Call, op: OperatorDef, inputs: Sequence[Value]) -> Value:
        """Return an operator's result; elements that depend on poisoned inputs are poison."""
        if not any(map(is_poisoned, inputs)):
            return self._result_without_poison(call, op, inputs)
        frame = owner_frame(call, self.stack[-1][1])
        if any(map(is_shapeless, inputs)):
            return self._poison(call.ty, frame)
        plain = super().operate

        def computed(filled: Callable[[Any], Any]) -> Value:
            return plain(call, op, [filled(each) for each in inputs])

        try:
            return with_dependent_poison(computed)
        except RelayError:  # for some possible values of the poisoned elements
            return self._poison(call.ty, frame)

    def _result_without_poison(self, call: Call, op: OperatorDef, inputs: Sequence[Value]) -> Value:
        """Return an operator's result for known inputs; elements that trap become poison."""
        try:
            return super().operate(call, op, inputs)
        except RunError as trap:
            found = op.partial_reference(*cast("Sequence[Array]", inputs))
            if found is None:
                raise
            self.traps.append(trap)
            return cast("Value", Poison(*found)) if np.any(found[1]) else found[0]

    def _poison(self, ty: Type | None, frame: EvaluationFrame) -> Value:
        """Return poison of the given type, with a shape if its sizes are known in the frame."""

        def shape_of(tensor: TensorType) -> Sequence[int] | None:
            shape = [substitute(dim, frame.sizes) for dim in tensor.shape]
            found = [size for size in shape if isinstance(size, int) and size >= 0]
            return found if len(found) == len(shape) else None

        known = None if ty is None else frame.types.of(ty)
        return poison_of(known, shape_of)

    def _result_of_poison(self, expr: Expr, frame: EvaluationFrame) -> Value | None:
        """Return the result of a node whose operand is poison; None if no operand is."""
        match expr:
            case Call(op) if not isinstance(op, OperatorDef | Constructor):
                is_reached = isinstance(self.lookup(op, frame), Poison)
                return self._poison(expr.ty, owner_frame(expr, frame)) if is_reached else None
            case TupleGetItem(whole) | RefRead(whole):
                is_reached = isinstance(self.lookup(whole, frame), Poison)
                return self._poison(expr.ty, owner_frame(expr, frame)) if is_reached else None
            case RefWrite(ref):
                if not isinstance(self.lookup(ref, frame), Poison):
                    return None
                for cell in self._cells:  # the write may go to any cell
                    cell.content = cast("Value", EVERYTHING)
                return ()
            case If(condition, then, other):
                if not isinstance(self.lookup(condition, frame), Poison):
                    return None
                return self._merged_arms(expr, frame, [(then, {}), (other, {})])
            case Match(data, clauses) if clauses:
                found = self.lookup(data, frame)
                if isinstance(found, Missing) or not _depends_on_poison(clauses, found):
                    return None
                return self._merged_arms(expr, frame, list(_alternatives(clauses, found)))
            case _:
                return None

    def _merged_arms(
        self, expr: Expr, frame: EvaluationFrame, arms: "Sequence[tuple[Expr, dict[Var, Value]]]"
    ) -> Value:
        """Return the result of a branch on poison: all arms are evaluated and merged.

        `arms` are pairs of a body and the values of its variables. Where results of arms, or the
        contents that they leave in cells, differ, the result is poison. The traps of all arms are
        collected.
        """
        if self._nested == _MOST_NESTED:
            self.any_trap = True
            return self._poison(expr.ty, owner_frame(expr, frame))
        before = [(cell, cell.content) for cell in self._cells]
        values: list[Value] = []
        after: list[list[Value]] = []
        for body, bound in arms:
            values.append(self._arm_value(body, bound, frame))
            after.append([cell.content for cell, _ in before])
            for cell, content in before:
                cell.content = content
        for (cell, _), contents in zip(before, zip(*after, strict=True), strict=True):
            cell.content = _joined(contents)
        value = _joined(values)
        return self._poison(expr.ty, owner_frame(expr, frame)) if value is EVERYTHING else value

    def _arm_value(self, body: Expr, bound: "dict[Var, Value]", frame: EvaluationFrame) -> Value:
        """Return the value of one arm of a branch on poison, isolated from the other arms.

        `bound` are the values of the variables that the arm binds.
        """
        stack, waiting = self.stack, self.waiting
        self.stack, self._nested = [], self._nested + 1
        try:
            with _restoring(frame):
                for var, value in bound.items():
                    owner_frame(var, frame).values[var] = value
                return self.run(body, frame)
        except (_Exhausted, _TooDeep):
            self.any_trap = True
            return cast("Value", EVERYTHING)
        finally:
            self.stack, self.waiting, self._nested = stack, waiting, self._nested - 1
            self._steps = 0 if not self._nested else self._steps


@contextmanager
def _restoring(frame: EvaluationFrame) -> Generator[None]:
    """Restore the values and sizes of a frame and its parents at the end of a `with` block."""
    kept: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
    each: EvaluationFrame | None = frame
    while each is not None:
        kept += ((each.values, dict(each.values)), (each.sizes, dict(each.sizes)))
        each = each.parent
    try:
        yield
    finally:
        for now, before in kept:
            now.clear()
            now.update(before)


def _joined(values: Sequence[Value]) -> Value:
    first, *others = values
    for other in others:
        first = first if other is first else merged(first, other)
    return first


def _depends_on_poison(clauses: Sequence[Clause], data: Value) -> bool:
    return any(_asks(clause.pattern, data) for clause in clauses)


def _asks(pattern: Pattern, value: Value) -> bool:
    if isinstance(cast("object", value), Poison):
        return isinstance(pattern, PatternConstructor | PatternTuple)
    match pattern, value:
        case PatternConstructor(constructor, patterns), Data(found, fields):
            is_same = constructor.name == found.name
            return is_same and any(map(_asks, patterns, fields))
        case PatternTuple(patterns), tuple() as fields:
            return any(map(_asks, patterns, fields))
        case _:
            return False


def _alternatives(
    clauses: Sequence[Clause], data: Value
) -> "Iterator[tuple[Expr, dict[Var, Value]]]":
    """Yield the clauses that may match: the body, and the values of its variables."""
    for clause in clauses:
        bound: dict[Var, Value] = {}
        if _may_fit(clause.pattern, data, bound):
            yield clause.body, bound


def _may_fit(pattern: Pattern, value: Value, bound: "dict[Var, Value]") -> bool:
    is_poison = isinstance(cast("object", value), Poison)
    match pattern, value:
        case PatternVar(var), _:
            bound[var] = value
            return True
        case (PatternConstructor(patterns=inner), _) if is_poison:
            return _may_all_fit(inner, [value] * len(inner), bound)
        case (PatternTuple(inner), _) if is_poison:
            return _may_all_fit(inner, [value] * len(inner), bound)
        case PatternConstructor(constructor, patterns), Data(found, fields):
            is_same = constructor.name == found.name
            return is_same and _may_all_fit(patterns, fields, bound)
        case PatternTuple(patterns), tuple() as fields:
            return _may_all_fit(patterns, fields, bound)
        case _:
            return True


def _may_all_fit(
    patterns: Sequence[Pattern], values: Sequence[Value], bound: "dict[Var, Value]"
) -> bool:
    return all(_may_fit(*pair, bound) for pair in zip(patterns, values, strict=False))
