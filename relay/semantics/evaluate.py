"""The reference evaluator: the definition of what programs mean.

Slow and plain. Every node is computed once for each call of the function that it belongs to, when
it is first needed, by the operators' own references. Its recursion is on the heap: programs may be
as deep, and call as deeply, as memory allows.
"""

from collections.abc import Sequence
from typing import cast

from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module
from relay.opdef.definition import OperatorDef
from relay.semantics.apply import TensorValue, apply
from relay.semantics.homes import Homes
from relay.semantics.values import Argument, Closure, Data, Frame, Reference, Value, to_value
from relay.support.collector import paused_collector
from relay.support.errors import RunError
from relay.support.trampoline import Task, run


def evaluate(module: Module, *args: Argument, entry: str = "main") -> Value:
    """Return what a function of the module gives for these arguments.

    The module is typed. Raises `R040` where no clause of a match fits, `R041` for a wrong number of
    arguments.

    >>> import numpy as np
    >>> from relay.ops.nn.activations import Relu
    >>> x = Var("x")
    >>> evaluate(Module.of(Function((x,), Call(Relu(), (x,)))), np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    function = module[entry]
    if len(args) != len(function.params):
        message = f"@{entry} takes {len(function.params)} arguments, not {len(args)}"
        raise RunError("R041", message)
    with paused_collector():  # it would walk all waiting calls again and again
        evaluator = _Evaluator(module)
        return run(evaluator.call(evaluator.globals[entry], [*map(to_value, args)]))


def evaluate_expr(expr: Expr) -> Value:
    """Return the value of a closed expression."""
    return evaluate(Module.of(Function((), expr)))


class _Evaluator:
    """Evaluates the expressions of one module."""

    def __init__(self, module: Module) -> None:
        self.globals = {name: Closure(f, None) for name, f in module.functions.items()}
        self._homes = {function: Homes(function) for function in module.functions.values()}

    def call(self, callee: Value, args: Sequence[Value]) -> Task[Value]:
        """Apply a closure or a constructor."""
        if isinstance(callee, Constructor):
            return Data(callee, tuple(args))
        closure = cast("Closure", callee)
        parent = closure.frame
        homes = parent.homes if parent is not None else self._homes[closure.function]
        frame = Frame({}, parent, 1 if parent is None else parent.depth + 1, homes)
        for param, arg in zip(closure.function.params, args, strict=True):
            frame.values[id(param)] = arg
        return (yield self.value(closure.function.body, frame))

    def value(self, expr: Expr, frame: Frame) -> Task[Value]:
        """Return the value of a node, computing it in the call to which it belongs."""
        match expr:
            case Constant(data):
                return data
            case GlobalVar(name):
                return self.globals[name]
            case Constructor():
                return expr
            case _:
                pass
        frame = _home(expr, frame)
        if id(expr) not in frame.values:
            frame.values[id(expr)] = yield self._compute(expr, frame)
        return frame.values[id(expr)]

    def _values(self, exprs: Sequence[Expr], frame: Frame) -> Task[list[Value]]:
        values: list[Value] = []
        for expr in exprs:
            values.append((yield self.value(expr, frame)))  # noqa: PERF401 - a generator waits
        return values

    def _compute(self, expr: Expr, frame: Frame) -> Task[Value]:
        match expr:
            case Call(OperatorDef() as op, args):
                inputs = yield from self._values(args, frame)
                return apply(op, *cast("list[TensorValue]", inputs))
            case Call(op, args):
                inputs = yield from self._values(args, frame)
                return (yield self.call((yield self.value(op, frame)), inputs))
            case Tuple(fields):
                return tuple((yield from self._values(fields, frame)))
            case TupleGetItem(whole, index):
                return cast("tuple[Value, ...]", (yield self.value(whole, frame)))[index]
            case Function():
                return Closure(expr, frame)
            case Let():
                return (yield from self._let(expr, frame))
            case If(condition, then, other):
                chosen = then if (yield self.value(condition, frame)) else other
                return (yield self.value(chosen, frame))
            case Match():
                return (yield from self._match(expr, frame))
            case RefCreate(content):
                return Reference((yield self.value(content, frame)))
            case RefRead(ref):
                return cast("Reference", (yield self.value(ref, frame))).content
            case RefWrite(ref, content):
                cell, new = yield from self._values((ref, content), frame)
                cast("Reference", cell).content = new
                return ()
            case _:
                raise AssertionError(f"no value: {expr!r}")

    def _let(self, expr: Expr, frame: Frame) -> Task[Value]:
        """Evaluate a chain of bindings, then what they are for."""
        while isinstance(expr, Let):
            value = yield self.value(expr.value, frame)
            _home(expr.var, frame).values[id(expr.var)] = value
            expr = expr.body
        return (yield self.value(expr, frame))

    def _match(self, expr: Match, frame: Frame) -> Task[Value]:
        data = yield self.value(expr.data, frame)
        for clause in expr.clauses:
            bound: list[tuple[Var, Value]] = []
            if _fits(clause.pattern, data, bound):
                for var, value in bound:
                    _home(var, frame).values[id(var)] = value
                return (yield self.value(clause.body, frame))
        raise RunError("R040", f"no clause of the match fits {_shown(data)}", span=expr.span)


def _home(expr: Expr, frame: Frame) -> Frame:
    """Return the call in progress to which a node belongs."""
    depth = max(1, frame.homes.depth_of(expr))
    while frame.depth > depth:
        assert frame.parent is not None, "a closure's frame has a parent"
        frame = frame.parent
    return frame


def _fits(pattern: Pattern, value: Value, bound: list[tuple[Var, Value]]) -> bool:
    """Whether a pattern fits, and what it binds; recursion is bounded by the pattern's depth."""
    match pattern:
        case PatternVar(var):
            bound.append((var, value))
            return True
        case PatternTuple(patterns):
            fields = cast("tuple[Value, ...]", value)
            return all(_fits(p, v, bound) for p, v in zip(patterns, fields, strict=True))
        case PatternConstructor(constructor, patterns):
            data = cast("Data", value)
            same = data.constructor.name == constructor.name  # of one module: names are unique
            pairs = zip(patterns, data.fields, strict=False)
            return same and all(_fits(p, v, bound) for p, v in pairs)
        case _:
            return True


def _shown(value: Value) -> str:
    return value.constructor.name if isinstance(value, Data) else type(value).__name__
