"""Functions that call methods, partial functions, objects and functions of expressions."""

import linecache
from collections.abc import Callable
from functools import partial
from inspect import Parameter, getattr_static, signature
from itertools import count
from types import FunctionType, MethodType
from typing import Any, cast

from relay.frontend.builders.expression_builders import takes_expressions

_NUMBERS = count()


def as_function(called: Callable[..., Any]) -> FunctionType:
    """Return a function with the parameters of a callable, which calls it; a function as it is.

    For a function of expressions, such as a loss, or a layer, optional parameters are left out.

    >>> as_function(partial(pow, 2))(3)
    8
    """
    is_builder = takes_expressions(called)
    if isinstance(called, FunctionType) and not is_builder:
        return called
    params = list(signature(called).parameters.values())
    if is_builder:
        params = [_untyped(each) for each in params if each.default is each.empty]
    name = str(getattr(called, "__name__", ""))
    name = name if name.isidentifier() else "called"
    text = (
        "def make(_called):\n"
        f"    def {name}({_declared(params)}):\n"
        f"        return _called({', '.join(map(_passed, params))})\n"
        f"    return {name}\n"
    )
    file = f"<relay callable {next(_NUMBERS)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), _globals(called), scope)  # noqa: S102 - built from names
    made: FunctionType = scope["make"](called)
    defaults = {each.name: each.default for each in params if each.default is not each.empty}
    placed = [each.name for each in params if each.kind is not each.KEYWORD_ONLY]
    made.__defaults__ = tuple(defaults.pop(each) for each in placed if each in defaults) or None
    made.__kwdefaults__ = defaults or None
    made.__annotations__ = {
        each.name: each.annotation for each in params if each.annotation is not each.empty
    }
    return made


def _untyped(param: Parameter) -> Parameter:
    """Return a parameter whose type a call determines."""
    return param.replace(annotation=Parameter.empty)


def _declared(params: Any) -> str:
    """Return the declaration of parameters; their default values are set later."""
    listed = [_prefix(each) + each.name for each in params]
    last = [each.kind is Parameter.POSITIONAL_ONLY for each in params].count(True)
    if last:
        listed.insert(last, "/")
    kinds = [each.kind for each in params]
    if Parameter.KEYWORD_ONLY in kinds and Parameter.VAR_POSITIONAL not in kinds:
        listed.insert(kinds.index(Parameter.KEYWORD_ONLY) + bool(last), "*")
    return ", ".join(listed)


def _passed(param: Parameter) -> str:
    named = param.kind is Parameter.KEYWORD_ONLY
    return f"{param.name}={param.name}" if named else _prefix(param) + param.name


def _prefix(param: Parameter) -> str:
    return {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}.get(param.kind, "")


def _globals(called: Any) -> dict[str, Any]:
    """Return the namespace in which annotations of a callable are evaluated."""
    while isinstance(called, partial):
        called = called.func
    plain: Any = called.__func__ if isinstance(called, MethodType) else called
    if not isinstance(plain, FunctionType):
        plain = getattr_static(type(cast("object", called)), "__call__", None)
    return getattr(plain, "__globals__", {})
