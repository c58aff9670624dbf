"""Errors for misspelt names of options, which name the nearest option.

Python does the same for its own functions from version 3.13 on, in these words.
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def options_of(function: Callable[..., object]) -> frozenset[str]:
    """Return the names of a function's parameters that can be passed by name."""
    by_name = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    parameters = signature(function).parameters.values()
    return frozenset(each.name for each in parameters if each.kind in by_name)


def check_options(function: str, given: Iterable[str], known: frozenset[str]) -> None:
    """Raise a `TypeError` if a given name is not a known option of a function."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            advice = f"Did you mean '{near[0]}'?" if near else f"Its options: {_list(known)}"
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'. {advice}")


def suggests_options(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that suggests the nearest option to callers who misspell one.

    >>> @suggests_options
    ... def run(model, threads=1): ...
    >>> run(None, threds=2)
    Traceback (most recent call last):
    TypeError: run() got an unexpected keyword argument 'threds'. Did you mean 'threads'?
    """
    known = options_of(function)

    @wraps(function)
    def call(*args: _P.args, **options: _P.kwargs) -> _R:
        if not options.keys() <= known:
            check_options(function.__qualname__, options, known)
        return function(*args, **options)

    return call


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
