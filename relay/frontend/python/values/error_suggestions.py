"""Suggest replacements for code that no program can contain: output, clocks, strings, sets."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import cast

import numpy as np

from relay.frontend.python.values.traced_values import DynamicList, Traced, TracedSize, expr_of
from relay.ir.expr import Expr
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

_OUTPUT = "return the value and print it in Python, or run f.python, which is plain Python"
_DATA = "use a @relay.data class, a tuple, or a tensor with a row for each item"
_TEXT = "strings exist only in Python: format the result after the call"
_RANDOM = "draw random numbers in Python, and pass them to the function"
_KNOWN = "remove the test, or make it in Python before the call"
_AROUND = "compute it in Python, and pass the result to the function"
_OPERATORS = "call an operator, a @relay.function, a @relay.data class or a lambda instead"

_BY_NAME: Mapping[str, str] = {
    **dict.fromkeys(("breakpoint", "help", "print"), _OUTPUT),
    **dict.fromkeys(("dict", "frozenset", "zip_longest"), _DATA),
    **dict.fromkeys(("ascii", "bytes", "chr", "format", "ord", "repr", "str"), _TEXT),
    **dict.fromkeys(("callable", "hash", "id", "issubclass"), _KNOWN),
    **dict.fromkeys(("delattr", "getattr", "hasattr", "setattr"), "write the name: x.field"),
    **dict.fromkeys(("eval", "exec", "compile", "globals", "locals", "vars", "dir"), _AROUND),
    "complex": "keep the real and the imaginary part as two numbers",
    "filter": "write np.where(condition, x, 0), or a recursive function over a list",
    "float": "write x.astype(np.float32)",
    "input": "pass the input to the function as an argument",
    "isinstance": "use a match statement for objects; a number always has its annotated type",
    "iter": "loop with for over a tensor or range(…)",
    "map": "write an operation on the whole tensor, or a recursive function over a list",
    "next": "loop with for over a tensor or range(…)",
    "open": "read files in Python, and pass arrays to the function",
    "reduce": "write a loop: for x in rows: total = f(total, x)",
    "set": "test with a tuple, x in (1, 2), or mark the seen values in a tensor of bools",
    "slice": "write the slice between brackets: x[a:b]",
    "sorted": "write np.sort(x), or np.argsort(x) for the order",
    "super": "define @relay.data classes and functions over them",
    "type": "use x.dtype and x.shape: they are known before the program runs",
    "vectorize": "call the function on the whole tensor, or loop over its elements",
}

_HOMES = ("_functools", "_io", "io", "_sitebuiltins", "builtins", "functools", "itertools", "numpy")
_BY_MODULE: Mapping[str, str] = {
    "collections": "use a list, rows = [*rows, row], or fill a tensor: out[i] = row",
    "datetime": "measure the time in Python, around the call",
    "itertools": "write the loops: for i in range(n), for j in range(m)",
    "logging": _OUTPUT,
    "operator": "write the operator itself: a + b, a < b, x[i]",
    "_operator": "write the operator itself: a + b, a < b, x[i]",
    "random": _RANDOM,
    "re": _TEXT,
    "time": "measure the time in Python, around the call",
    "warnings": _OUTPUT,
}


def describe(value: object) -> str:
    """Describe a value for an error message; recursion follows its nesting."""
    match value:
        case Expr():
            return repr(value.ty)
        case Traced():
            return repr(expr_of(value).ty)
        case TracedSize():
            return "int32"
        case DynamicList(tensor=tensor):
            return f"a list of {tensor.tensor_type.dtype}"
        case np.ndarray():
            return f"an array of shape {value.shape}"
        case tuple() | list():
            return f"({', '.join(map(describe, cast('Sequence[object]', value)))})"
        case FunctionType():
            return f"the function {value.__name__}"
        case _:
            named = getattr(value, "__name__", None)
            return f"{type(value).__name__} {named}" if named else repr(value)


def not_callable(content: object, span: Span) -> RelayError:
    """Return the error `F117` for an object that a program cannot call, with a replacement."""
    name = str(getattr(content, "__name__", ""))
    advice = _instead(content, name)
    what = f"{name or describe(content)} cannot be called inside a Relay function"
    if advice is _OUTPUT:
        what = (
            f"{name} cannot be called inside a Relay function, which has no output but its result"
        )
    return mistake(ErrorCode.F117, what, span, advice)


def undecorated(function: FunctionType, span: Span) -> RelayError:
    """Return the error `F117` for a call of a library function, whose source is never traced."""
    name = function.__name__
    what, advice = (
        f"{name} is a function of a Python library, which a Relay function cannot call",
        _instead(function, name),
    )
    return mistake(ErrorCode.F117, what, span, _AROUND if advice is _OPERATORS else advice)


def _instead(content: object, name: str) -> str:
    """Return the suggested replacement of a call, by the function's name or its module."""
    home = _home(content)
    if name in _BY_NAME and home in _HOMES:
        return _BY_NAME[name]
    if "random" in home.split("."):
        return _RANDOM
    if isinstance(getattr(content, "__self__", None), str):
        return _TEXT
    if isinstance(content, type) and home not in sys.stdlib_module_names:
        return f"make it data: @relay.data above class {name}, and annotate its fields"
    found = _BY_MODULE.get(home.partition(".")[0])
    return found or (_AROUND if home in sys.stdlib_module_names - {"builtins"} else _OPERATORS)


def _home(content: object) -> str:
    """Return the module of a function or of the object whose method it is."""
    home = getattr(content, "__module__", None)
    return str(home or type(getattr(content, "__self__", None)).__module__)


def is_of_a_library(function: FunctionType) -> bool:
    """Whether a function belongs to Python's standard library or to an installed package.

    A function that `exec` defines without a `__name__` has no module, and belongs to neither.
    """
    file = Path(function.__code__.co_filename)
    return "site-packages" in file.parts or function.__module__ in sys.stdlib_module_names


def is_foreign(given: object) -> bool:
    """Whether a module, a class or an object belongs to a library."""
    home = given.__name__ if isinstance(given, ModuleType) else _home(given)
    if isinstance(given, type):
        home = given.__module__
    elif not isinstance(given, ModuleType | FunctionType):
        home = type(given).__module__
    first = home.partition(".")[0]
    return first in ("relay", "numpy") or (first in sys.stdlib_module_names and first != "__main__")
