"""An evaluator of whole programs by the operators' references: slow, simple, and no compiler."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.apply_operator import apply

Environment = Mapping[int, Any]


class Closure:
    """A function literal, and what its free variables are bound to."""

    def __init__(self, function: Function, environment: dict[int, Any]) -> None:
        self.function, self.environment = function, environment

    def __call__(self, *args: Any) -> Any:
        bound = {id(p): a for p, a in zip(self.function.params, args, strict=True)}
        return evaluate(self.function.body, {**self.environment, **bound})


def run(module: Module, inputs: Sequence[Any]) -> list[Any]:
    """Return the results of `main` as a flat list."""
    result = Closure(module.main, {})(*inputs)
    return list(result) if isinstance(result, tuple) else [result]


def evaluate(root: Expr, environment: Environment) -> Any:
    """Return the value of an expression; branches and bodies are evaluated when they are needed."""
    values: dict[int, Any] = dict(environment)
    for expr in post_order(root, edges=lambda e: () if id(e) in values else _needed_first(e)):
        if id(expr) not in values and not isinstance(expr, OperatorDef):
            values[id(expr)] = _value(expr, values)
    return values[id(root)]


def _needed_first(expr: Expr) -> Sequence[Expr]:
    match expr:
        case Call(op, args):
            return (*args, op)
        case Tuple(fields):
            return fields
        case TupleGetItem(whole):
            return (whole,)
        case If(condition):
            return (condition,)
        case Let(_, value):
            return () if isinstance(value, Function) else (value,)
        case _:
            return ()


def _value(expr: Expr, values: dict[int, Any]) -> Any:
    match expr:
        case Constant(data):
            return data
        case Tuple(fields):
            return tuple(values[id(field)] for field in fields)
        case TupleGetItem(whole, index):
            return values[id(whole)][index]
        case Call(OperatorDef() as op, args):
            return apply(op, *(values[id(arg)] for arg in args))
        case Call(op, args):
            return values[id(op)](*(values[id(arg)] for arg in args))
        case If(condition, then, other):
            return evaluate(then if np.asarray(values[id(condition)]).item() else other, values)
        case Function():
            return Closure(expr, values)
        case Let(var, Function() as function, body):
            inner = {**values}
            inner[id(var)] = Closure(function, inner)
            return evaluate(body, inner)
        case Let(var, value, body):
            return evaluate(body, {**values, id(var): values[id(value)]})
        case Var(name):
            raise AssertionError(f"'{name}' is not bound")
        case _:
            raise AssertionError(f"{type(expr).__name__} is not evaluated")
