"""Calls in Python: operators, constructors, functions of the program, conversions, builtins."""

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from relay.frontend.python import operators
from relay.frontend.python.applying import apply
from relay.frontend.python.builtin_functions import call_builtin, not_callable
from relay.frontend.python.composing import compose, composed
from relay.frontend.python.conversion import Conversion, undecorated
from relay.frontend.python.data import field_names
from relay.frontend.python.errors import mistake
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.operations import cast, constant, describe, outside, together
from relay.frontend.python.operators import Path
from relay.frontend.python.scope import Scope
from relay.frontend.python.unit import Decorated
from relay.frontend.python.values import Group, Local, Static, Template, Value
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.ir.types import FuncType, dim_variables
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.span import Span

_MAKERS = ("array", "asarray", "arange", "eye", "zeros", "ones", "full", "linspace", "identity")
_OF_LISTS: Mapping[str, str] = {
    "append": "values do not change: write np.concatenate([x, row[None]]), which gives a new one",
    "extend": "values do not change: write np.concatenate([x, y]), which gives a new one",
    "tolist": "work on the tensor itself, or convert what the function returns",
    "item": "a tensor without axes is a number already: take one with x[0]",
    "fill": "values do not change: write np.full_like(x, value), which gives a new one",
}


class Translator(Protocol):
    """What translates expressions."""

    conversion: Conversion

    def value(self, at: ast.expr, scope: Scope) -> Value:
        """Return what an expression stands for."""
        ...


def call(translator: Translator, at: ast.Call, scope: Scope) -> Value:
    """Return the value of a call; raises `F117` for what cannot be called."""
    callee = translator.value(at.func, scope)
    args = [translator.value(arg, scope) for arg in at.args]
    keywords = {key.arg or "**": translator.value(key.value, scope) for key in at.keywords}
    return _called(Invocation(translator.conversion, callee, args, keywords, scope.span(at)))


def _called(each: Invocation) -> Value:
    match each.callee:
        case Static(content):
            return _static(each, content)
        case Template(name, params, expand):
            return expand(each.in_order(params, name), each.span)
        case Local(expr, params):
            return _apply(each, each.in_order(params, "the function"), expr)
        case Expr(ty=FuncType(params)):
            names = [f"argument {i + 1}" for i in range(len(params))]
            return _apply(each, each.in_order(names, "the function"), each.callee)
        case _:
            raise not_callable(each)


def _as_function(convert: Conversion, value: Value) -> Value:
    """Return an operator or a generic function that is passed on as one that can be called."""
    match value:
        case Static(Path() as path):
            names = operators.find(path, None).arguments()
        case Static(Decorated(original=original)) if _varies(convert, original):
            names = convert.unit.declaration(original).params
        case Static(content) if callable(content) and content in (abs, max, min):
            names = ("a",) if content is abs else ("a", "b")
        case _:
            return value

    def expand(values: Sequence[Value], span: Span) -> Value:
        return _called(Invocation(convert, value, values, {}, span))

    return Template(describe(value), tuple(names), expand, {})


def _varies(convert: Conversion, original: FunctionType) -> bool:
    """Whether a function of the program is for several types."""
    ty = convert.unit.declaration(original).type
    return ty is not None and bool(ty.type_params or dim_variables(ty))


def _static(each: Invocation, content: object) -> Value:
    if isinstance(content, Decorated):
        declaration = each.convert.unit.declaration(content.original)
        name, params = content.original.__name__, declaration.params
        values = each.in_order(params, name, _defaults(content.original, params, each.span))
        callee = each.convert.unit.reference(content.original, each.span)
        return _apply(each, values, callee, resize=True)
    if isinstance(content, Module):
        return _linked(each, content)
    if isinstance(content, type) and hasattr(content, "__relay_data__"):
        constructor = each.convert.unit.data.constructor(content, each.span)
        return _apply(each, each.in_order(field_names(content), content.__name__), constructor)
    if isinstance(content, Path):
        return _path(each, content)
    if isinstance(content, DType) or (isinstance(content, type) and _is_dtype(content)):
        return _converted(each, content)
    if hasattr(content, "tensor"):
        return _method(each, content)
    if isinstance(content, FunctionType):
        raise undecorated(content.__name__, each.span)
    return call_builtin(each, content)


def _linked(each: Invocation, module: Module) -> Value:
    """Return the call of another module's `main`, a model that was loaded, say."""
    values = each.in_order([param.name for param in module.main.params], "the model")
    callee = each.convert.unit.link(module, "model", each.span)
    return _apply(each, values, callee, resize=True)


def _apply(
    each: Invocation, values: Sequence[Value], callee: Expr, *, resize: bool = False
) -> Value:
    """Return the call of an expression whose type is that of a function."""
    given = [_as_function(each.convert, value) for value in values]
    return apply(each.convert, callee, given, each.span, resize=resize)


def _defaults(original: FunctionType, params: Sequence[str], span: Span) -> dict[str, Value]:
    """Return what the last parameters are where a call leaves them out."""
    given: Sequence[object] = original.__defaults__ or ()
    last = params[len(params) - len(given) :]
    return {name: outside(each, span) for name, each in zip(last, given, strict=True)}


def _path(each: Invocation, path: Path) -> Value:
    """Return the call of a function of `relay`, `numpy` or `math`."""
    if path.is_relay:
        return _operator(each, path)
    if not any(map(_is_known_late, (*each.args, *each.keywords.values()))):
        if path.name in _MAKERS:
            return operators.numpy_constant(path.name, each.args, each.keywords, each.span)
        numbers = [arg.number for arg in each.args if isinstance(arg, Static)]
        if None not in numbers and len(numbers) == len(each.args) and not each.keywords:
            return operators.plain_number(path.name, numbers, each.span)
    return _operator(each, path)


def _operator(each: Invocation, path: Path) -> Value:
    """Return the call of an operator, or of a function that is written with some."""
    function = composed(path)
    if function is not None and (not path.is_relay or path.name not in OPERATORS):
        return compose(function, each.args, each.keywords, each.span)
    keywords = dict(each.keywords)
    if path.name == "concatenate" and not path.is_relay and len(each.args) == 1:
        keywords.setdefault("axis", Static(0))
    return operators.call(path, each.args, keywords, each.span)


def _is_known_late(value: Value) -> bool:
    """Whether a value is known only when the program runs."""
    if isinstance(value, Group):
        return any(map(_is_known_late, value.items))
    return not isinstance(value, Static)


def _is_dtype(content: type) -> bool:
    return content in (bool, int, float) or issubclass(content, np.generic)


def _converted(each: Invocation, content: Any) -> Value:
    """Return `np.float32(x)`, `int(x)`, …: the value in that element type."""
    named: Mapping[object, object] = {bool: "bool", int: "int32", float: "float32"}
    given: Any = named.get(content, content)
    dtype = to_dtype(given)
    (value,) = each.in_order(["x"], str(dtype))
    if isinstance(value, Static) and value.number is not None:
        number = int(value.number) if dtype.is_integer else value.number
        return constant(number, dtype, each.span)
    (operand,) = together([value], each.span)
    return cast(operand, dtype, each.span)


def _method(each: Invocation, method: Any) -> Value:
    """Return the call of a tensor's method: that of the function with the tensor before it."""
    name, args = str(method.name), list(each.args)
    if name in _OF_LISTS:
        raise mistake("F116", f"a tensor has no {name}", each.span, _OF_LISTS[name])
    if name in ("reshape", "transpose") and args and not isinstance(args[0], Group):
        args = [Group(tuple(args))]
    path = Path({"astype": "cast", "flatten": "ravel"}.get(name, name), is_relay=False)
    whole = [method.tensor, *args]
    return _operator(Invocation(each.convert, each.callee, whole, each.keywords, each.span), path)
