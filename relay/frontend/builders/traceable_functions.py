"""Decorators that mark functions of this library which traced Python functions may call.

A function that is marked by `builds_expressions` takes and returns expressions. A trace calls it
with the expressions of its values, and arrays become constants. The mark of a class's `__call__`
applies to its objects, and their fields are converted, too. The source of a function that is marked
by `traced_inline` is traced like that of a user's function.
"""

from collections.abc import Callable
from inspect import getattr_static
from typing import Any, TypeVar

_Marked = TypeVar("_Marked", bound=Callable[..., Any])

_BUILDS, _INLINE = "__relay_builds_expressions__", "__relay_traced_inline__"


def builds_expressions(function: _Marked) -> _Marked:
    """Mark a function, a method or the constructor of a class as one that takes expressions.

    >>> is_builder(builds_expressions(lambda x: x + 1.0))
    True
    """
    setattr(function, _BUILDS, True)
    return function


def traced_inline(function: _Marked) -> _Marked:
    """Mark a function as one whose source a trace rewrites, as it does with users' functions."""
    setattr(function, _INLINE, True)
    return function


def is_builder(function: Any) -> bool:
    """Whether a call takes expressions: of a marked function, or an object that has a marked one.

    The mark of a class belongs to its constructor, not to calls of its objects.
    """
    return hasattr(_callee(function), _BUILDS)


def is_traced_inline(function: Any) -> bool:
    """Whether a function, or an object's `__call__`, is marked by `traced_inline`."""
    return hasattr(_callee(function), _INLINE)


def takes_expressions(function: Any) -> bool:
    """Whether a function or object is marked by `builds_expressions` or `traced_inline`."""
    return is_builder(function) or is_traced_inline(function)


def _callee(function: Any) -> Any:
    """Return a function, bound method or class itself; for another object, its `__call__`."""
    if hasattr(function, "__name__"):
        return function
    cls: type[Any] = function.__class__
    return getattr_static(cls, "__call__", None)
