"""The fields of data classes as Python has them, and classes that are more than their fields."""

import dataclasses
import inspect
import sys
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


def field_names(cls: type) -> tuple[str, ...]:
    """Return the names of a data class's fields, in order."""
    return tuple(field.name for field in dataclasses.fields(cls))


def fields_of(given: object) -> tuple[Any, ...]:
    """Return the fields of an object of a data class, in order."""
    cls: Any = type(given)
    return tuple(getattr(given, name) for name in field_names(cls))


def home_of(cls: type, field: str) -> Mapping[str, object]:
    """Return the names around the class that declares a field: it, or one that it inherits from."""
    owner = next(each for each in cls.__mro__ if field in vars(each).get("__annotations__", {}))
    return {**vars(sys.modules[owner.__module__]), owner.__name__: owner}


def is_written(method: object) -> bool:
    """Whether a method stands in a file: `dataclass` makes some of its own."""
    return isinstance(method, FunctionType) and method.__code__.co_filename != "<string>"


def refuse_making(cls: type, span: Span | None) -> None:
    """Raise `F136` for a class whose objects are something else than the values of its fields."""
    why, advice = _making(cls)
    if why:
        what = f"{cls.__name__} {why}, so its objects are not just their fields"
        raise mistake(ErrorCode.F136, what, span, advice)


def _making(cls: type) -> tuple[str, str]:
    """Return what makes the objects of a class in another way, and what to write instead."""
    outside = "write a function, or a @classmethod, that computes the fields and returns the object"
    if hasattr(cls, "__post_init__"):
        return "has __post_init__", outside
    for name in ("__init__", "__new__"):
        if is_written(getattr(cls, name)):
            return f"has its own {name}", outside
    taken = set(list(inspect.signature(cls.__init__).parameters)[1:])
    for name in field_names(cls):
        if name not in taken:
            return f"has the field {name} with init=False", f"leave {name} out, or make it a method"
    for name in taken - set(field_names(cls)):
        return f"has {name} as an InitVar", outside
    return "", ""
