"""Calls in Python: operators, constructors, functions of the program, conversions, builtins."""

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from relay.frontend.python import operators
from relay.frontend.python.applying import apply
from relay.frontend.python.conversion import Conversion, undecorated
from relay.frontend.python.data import field_names
from relay.frontend.python.errors import mistake
from relay.frontend.python.operations import cast, constant, describe, together
from relay.frontend.python.operators import Path
from relay.frontend.python.scope import Scope
from relay.frontend.python.unit import Decorated
from relay.frontend.python.values import Group, Local, Size, Static, Template, Value
from relay.ir.expr import Expr
from relay.ir.types import FuncType, dim_variables
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import RelayError
from relay.support.node import node
from relay.support.span import Span


class Translator(Protocol):
    """What translates expressions."""

    conversion: Conversion

    def value(self, at: ast.expr, scope: Scope) -> Value:
        """Return what an expression stands for."""
        ...


@node
class _Call:
    """One call: what is called, with which arguments, where."""

    convert: Conversion
    callee: Value
    args: Sequence[Value]
    keywords: Mapping[str, Value]
    span: Span

    def in_order(self, params: Sequence[str], what: str) -> list[Value]:
        """Return the arguments in the order of the parameters; raises `F118` if they do not fit."""
        found = dict(zip(params, self.args, strict=False))
        doubled = [key for key in self.keywords if key in found or key not in params]
        found |= self.keywords
        if doubled or len(self.args) > len(params) or len(found) != len(params):
            given = len(self.args) + len(self.keywords)
            raise mistake(
                "F118",
                f"{what} takes {len(params)} arguments, not {given}"
                if given != len(params)
                else f"{what} has no place for {doubled[0]}",
                self.span,
                f"call it as {what}({', '.join(params)})",
            )
        return [found[name] for name in params]

    def apply(self, values: Sequence[Value], callee: Expr, *, resize: bool = False) -> Value:
        """Return the call of an expression whose type is that of a function."""
        given = [_as_function(self.convert, value) for value in values]
        return apply(self.convert, callee, given, self.span, resize=resize)


def call(translator: Translator, at: ast.Call, scope: Scope) -> Value:
    """Return the value of a call; raises `F117` for what cannot be called."""
    callee = translator.value(at.func, scope)
    args = [translator.value(arg, scope) for arg in at.args]
    keywords = {key.arg or "**": translator.value(key.value, scope) for key in at.keywords}
    return _called(_Call(translator.conversion, callee, args, keywords, scope.span(at)))


def _called(each: _Call) -> Value:
    match each.callee:
        case Static(content):
            return _static(each, content)
        case Template(name, params, expand):
            return expand(each.in_order(params, name), each.span)
        case Local(expr, params):
            return each.apply(each.in_order(params, "the function"), expr)
        case Expr(ty=FuncType(params)):
            names = [f"argument {i + 1}" for i in range(len(params))]
            return each.apply(each.in_order(names, "the function"), each.callee)
        case _:
            raise _not_callable(each)


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
        return _called(_Call(convert, value, values, {}, span))

    return Template(describe(value), tuple(names), expand, {})


def _varies(convert: Conversion, original: FunctionType) -> bool:
    """Whether a function of the program is for several types."""
    ty = convert.unit.declaration(original).type
    return ty is not None and bool(ty.type_params or dim_variables(ty))


def _not_callable(each: _Call) -> RelayError:
    what = f"{describe(each.callee)} cannot be called"
    advice = "call operators, @relay.function functions, @relay.data classes and lambdas"
    return mistake("F117", what, each.span, advice)


def _static(each: _Call, content: object) -> Value:
    if isinstance(content, Decorated):
        declaration = each.convert.unit.declaration(content.original)
        values = each.in_order(declaration.params, content.original.__name__)
        callee = each.convert.unit.reference(content.original, each.span)
        return each.apply(values, callee, resize=True)
    if isinstance(content, type) and hasattr(content, "__relay_data__"):
        constructor = each.convert.unit.data.constructor(content, each.span)
        return each.apply(each.in_order(field_names(content), content.__name__), constructor)
    if isinstance(content, Path):
        return _path(each, content)
    if isinstance(content, DType) or (isinstance(content, type) and _is_dtype(content)):
        return _converted(each, content)
    if hasattr(content, "tensor"):
        return _method(each, content)
    if isinstance(content, FunctionType):
        raise undecorated(content.__name__, each.span)
    name: object = getattr(content, "__name__", None)
    if name in _BUILTINS and callable(content):
        return _BUILTINS[str(name)](each)
    raise _not_callable(each)


def _path(each: _Call, path: Path) -> Value:
    known = not any(isinstance(arg, Expr) for arg in each.args)
    makers = ("array", "asarray", "arange", "eye", "zeros", "ones", "full", "linspace", "identity")
    known = known and not any(_mentions_size(arg) for arg in each.args)
    if known and not path.is_relay and path.name in makers:
        return operators.numpy_constant(path.name, each.args, each.keywords, each.span)
    keywords = dict(each.keywords)
    if (
        not path.is_relay
        and "axis" not in keywords
        and path.name in ("argmax", "argmin", "concatenate")
    ):
        keywords |= {} if path.name != "concatenate" else {"axis": Static(0)}
    return operators.call(path, each.args, keywords, each.span)


def _mentions_size(value: Value) -> bool:
    if isinstance(value, Group):
        return any(map(_mentions_size, value.items))
    return not isinstance(value, Static)


def _is_dtype(content: type) -> bool:
    return content in (bool, int, float) or issubclass(content, np.generic)


def _converted(each: _Call, content: Any) -> Value:
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


def _method(each: _Call, method: Any) -> Value:
    name, args = str(method.name), list(each.args)
    if name in ("reshape", "transpose") and args and not isinstance(args[0], Group):
        args = [Group(tuple(args))]
    keywords, path = dict(each.keywords), Path("cast" if name == "astype" else name, is_relay=False)
    if name == "flatten":
        path, args = Path("reshape", is_relay=True), [Group((Static(-1),))]
    return operators.call(path, [method.tensor, *args], keywords, each.span)


def _folded(name: str) -> Callable[[_Call], Value]:
    """Return the rule of `max(a, b, …)` and `min(a, b, …)`."""

    def rule(each: _Call) -> Value:
        if len(each.args) == 1:
            return operators.call(Path(name[:3], is_relay=True), each.args, {}, each.span)
        result, *others = each.args
        for other in others:
            result = operators.call(Path(name, is_relay=True), [result, other], {}, each.span)
        return result

    return rule


def _abs(each: _Call) -> Value:
    (value,) = each.in_order(["x"], "abs")
    if isinstance(value, Static) and value.number is not None:
        return Static(abs(value.number))
    return operators.call(Path("abs", is_relay=True), [value], {}, each.span)


def _len(each: _Call) -> Value:
    (value,) = each.in_order(["x"], "len")
    if isinstance(value, Group):
        return Static(len(value.items))
    (tensor,) = together([value], each.span)
    dim = tensor.tensor_type.shape[0]
    return Static(dim) if isinstance(dim, int) else Size(dim, tensor, 0)


_BUILTINS: Mapping[str, Callable[[_Call], Value]] = {
    "abs": _abs,
    "len": _len,
    "max": _folded("maximum"),
    "min": _folded("minimum"),
}
