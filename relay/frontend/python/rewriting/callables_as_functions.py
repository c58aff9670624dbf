"""Wrap callables (methods, partial functions, objects, library functions) in plain functions."""

import linecache
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, getattr_static, signature
from itertools import count
from types import FunctionType, MethodType
from typing import Any, cast

from relay.frontend.builders.traceable_functions import takes_expressions
from relay.frontend.python.tensors.function_lookup import path_of
from relay.frontend.python.transformed_functions import is_python
from relay.runtime.executable import Executable
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

_NUMBERS = count()


def is_of_library(called: Callable[..., Any]) -> bool:
    """Whether a trace builds operators for a callable, instead of tracing its Python code.

    >>> is_of_library(abs), is_of_library(lambda x: abs(x))
    (True, False)
    """
    if isinstance(called, partial):
        return is_of_library(called.func)
    return takes_expressions(called) or path_of(called) is not None or not is_python(called)


def require_not_compiled(called: object) -> None:
    """Raise `U003` for a compiled program, which cannot be transformed any more."""
    if isinstance(called, Executable):
        raise UsageError(
            ErrorCode.U003,
            "expected a program or a function, not one that is already compiled",
            help="transform the function first, and compile the result: "
            "relay.compile(relay.grad(function))",
        )


def as_function(called: Callable[..., Any]) -> FunctionType:
    """Return a function that calls a callable and has its parameters; a function stays unchanged.

    For a function of a library, such as NumPy's, an operator, a loss or a layer, optional
    parameters are left out. Raises `U003` for a compiled program.

    >>> as_function(partial(pow, 2))(3)
    8
    """
    require_not_compiled(called)
    params = _params(called)
    if params is None:
        return cast("FunctionType", called)
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


def _params(called: Callable[..., Any]) -> Sequence[Parameter] | None:
    """Return the parameters of the function that calls `called`; None if `called` is a function."""
    if is_of_library(called):
        try:
            params = list(signature(called).parameters.values())
        except ValueError:  # Python does not know the signature of some built-in functions
            params = []
        required = [_untyped(each) for each in params if each.default is each.empty]
        return required or [Parameter("args", Parameter.VAR_POSITIONAL)]
    if isinstance(called, FunctionType):
        return None
    return list(signature(called).parameters.values())


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
    """Return the namespace in which annotations of a callable are evaluated.

    Its `__name__` says to which library a function belongs; one that calls a library has its own.
    """
    if is_of_library(called):
        return {"__name__": "<relay callable>"}
    while isinstance(called, partial):
        called = called.func
    plain: Any = called.__func__ if isinstance(called, MethodType) else called
    if not isinstance(plain, FunctionType):
        plain = getattr_static(type(cast("object", called)), "__call__", None)
    return getattr(plain, "__globals__", {})
