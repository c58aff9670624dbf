"""Calls of functions that build programs: those of NumPy, of `math`, and of `relay`."""

from collections.abc import Callable, Mapping, Sequence
from inspect import isfunction, signature
from types import ModuleType
from typing import Any

import relay.numpy
from relay.frontend.python import math_functions
from relay.frontend.python.operations import group_of
from relay.frontend.python.operators import Path, attribute
from relay.frontend.python.values import Group, Series, Static, Value
from relay.ir.expr import Call, Expr
from relay.numpy.arguments import shown
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.ops.functions import core, image, nn, vision
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.support.span import Span

_MODULES: Mapping[str, Any] = {"": core, "nn": nn, "image": image, "vision": vision}
_HOMES: Mapping[str, ModuleType] = {
    "": relay.numpy,
    "linalg": relay.numpy.linalg,
    "fft": relay.numpy.fft,
}
_OF_MATH = {
    "atan2": "arctan2", "cbrt": "cbrt", "copysign": "copysign", "degrees": "rad2deg",
    "exp2": "exp2", "expm1": "expm1", "hypot": "hypot", "log1p": "log1p", "radians": "deg2rad",
}  # fmt: skip


def composed(path: Path) -> Callable[..., Any] | None:
    """Return the function of that name which builds a program, if there is one."""
    prefix, _, name = path.name.rpartition(".")
    if path.is_relay:
        return _own(_MODULES.get(prefix), name)
    if prefix == "math":
        return _own(math_functions, name) or _own(relay.numpy, _OF_MATH.get(name, ""))
    return _own(_HOMES.get(prefix), name)


def _own(home: ModuleType | None, name: str) -> Callable[..., Any] | None:
    """Return a function that a module has."""
    found: Any = None if home is None else vars(home).get(name)
    return found if isfunction(found) and not name.startswith("_") else None


def compose(
    function: Callable[..., Any], args: Sequence[Value], named: Mapping[str, Value], span: Span
) -> Value:
    """Return what a function builds; raises `F118` for arguments that do not fit."""
    given = [_object(each, span) for each in args]
    options = {name: _object(each, span) for name, each in named.items()}
    try:
        made = function(*given, **options)
    except RelayError as error:
        raise error.at(span) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        name = function.__name__
        help_ = f"it is {name}{shown(signature(function))}"
        raise mistake(ErrorCode.F118, f"{name}: {error}", span, help_) from None
    if isinstance(made, Call) and made.span is None:
        made = replace(made, span=span)
    return _value(made, span)


def _value(made: Any, span: Span) -> Value:
    """Return what a function gives as a value: tensors, several of them, or what is known."""
    if isinstance(made, tuple):
        return Group(tuple(_value(each, span) for each in made))  # pyright: ignore[reportUnknownVariableType] - of what functions give
    if isinstance(made, Expr):
        return group_of(made, span) or made
    return Static(made)


def _object(value: Value, span: Span) -> Any:
    """Return what functions take: expressions, and Python objects for what is known."""
    match value:
        case Expr() | Size():
            return value
        case Series(tensor):
            return tensor
        case Group(items):
            return [_object(item, span) for item in items]
        case _:
            return attribute(value, span)
