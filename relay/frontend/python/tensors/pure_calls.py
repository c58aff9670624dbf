"""Decide which library functions have no side effects, so that Python may call them in a trace."""

from types import ModuleType
from typing import Any, cast

import numpy as np

from relay.frontend.python.values.error_suggestions import is_foreign

_PURE = frozenset({
    "functools", "_functools", "itertools", "operator", "_operator", "collections", "copy",
    "dataclasses", "enum", "math", "typing", "types", "string", "abc", "numbers", "builtins",
    "fractions", "numpy", "relay", "statistics", "bisect", "_bisect", "heapq", "_heapq",
    "inspect",
})  # fmt: skip
_OF_OBJECTS = frozenset({
    "builtins", "collections", "numpy", "relay", "dataclasses", "types",
})  # fmt: skip
_IMPURE = frozenset({
    "print", "input", "open", "eval", "exec", "compile", "globals", "locals", "vars", "dir", "id",
    "hash", "breakpoint", "help", "iter", "next", "super", "__import__", "exit", "quit",
})  # fmt: skip


def is_pure(function: Any) -> bool:
    """Whether a call of a library function only returns a value, without side effects."""
    if isinstance(function, np.ufunc):
        return True
    owner: Any = getattr(function, "__self__", None)
    if isinstance(function, type) or isinstance(owner, type):
        cls: Any = cast("Any", function if isinstance(function, type) else owner)
        return _is_known(cls.__module__, _PURE) or not is_foreign(cls)
    if owner is not None and not isinstance(owner, ModuleType):
        return _is_known(owner.__class__.__module__, _OF_OBJECTS) or not is_foreign(owner.__class__)
    of: Any = getattr(function, "__objclass__", owner.__class__)
    home = getattr(function, "__module__", None) or of.__module__
    return _is_known(home, _PURE) and getattr(function, "__name__", "") not in _IMPURE


def _is_known(home: str, known: frozenset[str]) -> bool:
    return home.partition(".")[0] in known and "random" not in home
