"""Ordinary functions and lambdas of a file: each call of a program translates them anew."""

import ast
from collections.abc import Mapping
from copy import deepcopy
from types import FunctionType

from relay.frontend.python import nested
from relay.frontend.python.operations import outside
from relay.frontend.python.scope import Flow, Scope
from relay.frontend.python.source import namespace, read, read_lambda
from relay.frontend.python.translating import Sequencer
from relay.frontend.python.unit import Unit
from relay.frontend.python.values import Template, Value
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.support.dtype import DType
from relay.support.span import Span


def helper(statements: Sequencer, unit: Unit, function: FunctionType) -> Value:
    """Return a function as one that each call translates: its parameters have what it is given."""
    found, code = read_lambda(function) if function.__name__ == "<lambda>" else read(function)
    scope = Scope(code, namespace(function), {}, Flow(None, _nowhere), unit.memory)
    scope.python = function
    if isinstance(found, ast.Lambda):
        value = statements.expressions.value(found, scope)
        assert isinstance(value, Template), "lambdas are templates"
        return value
    result = function.__annotations__.get("return")
    at = _without_types(found, result=isinstance(result, TensorType | DType))
    return nested.inlined(statements, at, scope, _defaults(function, unit))


def _without_types(at: ast.FunctionDef, *, result: bool) -> ast.FunctionDef:
    """Return a definition without annotations, but for a result that is a type of Relay."""
    made = deepcopy(at)
    made.returns = made.returns if result else None
    for each in (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs):
        each.annotation = None
    return made


def _defaults(function: FunctionType, unit: Unit) -> Mapping[str, Value]:
    """Return what the last parameters are where a call leaves them out."""
    code = function.__code__
    names, given = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
    last = zip(names[len(names) - len(given) :], given, strict=True)
    pairs = [*last, *(function.__kwdefaults__ or {}).items()]
    return {name: unit.memory.lent(outside(each, None)) for name, each in pairs}


def _nowhere(_value: Value, _span: Span) -> Expr:
    raise AssertionError("no statement is outside of a function's body")
