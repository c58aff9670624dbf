"""Fields and attributes of data classes, and checks that objects are determined by their fields."""

import dataclasses
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from types import FunctionType
from typing import Any, TypeGuard, cast

from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


def is_data_class(given: object) -> TypeGuard[type]:
    """Whether an object is a user's data class, made by `@dataclass` or `@relay.data`, or a layer.

    Relay's other data classes are not values of programs.
    """
    return isinstance(given, type) and _is_data_class(cast("type[object]", given))


@cache
def _is_data_class(cls: type) -> bool:
    is_of_relay = cls.__module__.partition(".")[0] == "relay"
    return dataclasses.is_dataclass(cls) and (not is_of_relay or is_model(cls))


def is_model(given: object) -> bool:
    """Whether an object is a layer, or other data whose numbers and functions are fixed."""
    return hasattr(given, "__relay_model__")


def is_declared(given: object) -> bool:
    """Whether an object is a class made by `@relay.data`, or an instance of one."""
    return hasattr(given, "__relay_data__")


@cache
def field_names(cls: type) -> tuple[str, ...]:
    """Return the names of a data class's fields in order; empty for the class of None."""
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return tuple(field.name for field in fields)


@cache
def _slots(cls: type) -> tuple[str, ...]:
    """Return the names of the slots of a class's objects."""
    listed: list[Any] = [vars(each).get("__slots__", ()) for each in cls.__mro__]
    names = [name for each in listed for name in ((each,) if isinstance(each, str) else each)]
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def attributes_of(given: object) -> dict[str, Any]:
    """Return the attributes of an object, by name."""
    slots = {name: getattr(given, name) for name in _slots(type(given)) if hasattr(given, name)}
    return {**slots, **getattr(given, "__dict__", {})}


def set_attributes(given: object, held: Mapping[str, Any]) -> None:
    """Replace all attributes of an object, bypassing the methods of its class."""
    own: dict[str, Any] = getattr(given, "__dict__", {})
    own.clear()
    for name in _slots(type(given)):
        if hasattr(given, name) and name not in held:
            object.__delattr__(given, name)
    for name, each in held.items():
        if name in _slots(type(given)):
            object.__setattr__(given, name, each)
        else:
            own[name] = each


def object_of(cls: type, held: Mapping[str, Any]) -> Any:
    """Create an object with these attributes without calling `__init__`."""
    made: Any = object.__new__(cast("type[Any]", cls))
    set_attributes(made, held)
    return made


def can_change(given: object) -> bool:
    """Whether the attributes of a data class's objects can be assigned: it is not frozen."""
    return not getattr(given, "__dataclass_params__").frozen  # noqa: B009 - every data class has it


def home_of(cls: type, field: str) -> Mapping[str, object]:
    """Return the namespace of the class that declares a field, which may be a base class."""
    owner = next(each for each in cls.__mro__ if field in vars(each).get("__annotations__", {}))
    return {**vars(sys.modules[owner.__module__]), owner.__name__: owner}


def is_written(method: object) -> bool:
    """Whether a method was written in a file, unlike those that `dataclass` generates."""
    return isinstance(method, FunctionType) and method.__code__.co_filename != "<string>"


def refuse_making(cls: type, span: Span | None) -> None:
    """Raise `F136` for a class whose objects depend on more than the values of their fields."""
    why, advice = _making(cls)
    if why:
        what = f"the class {cls.__name__} {why}, which @relay.data does not support"
        raise mistake(ErrorCode.F136, what, span, advice)


def _making(cls: type) -> tuple[str, str]:
    """Return how a class customises the creation of its objects, and what to write instead.

    Both strings are empty if it does not.
    """
    outside = "write a function, or a @classmethod, that computes the fields and returns the object"
    if hasattr(cls, "__post_init__"):
        return "has __post_init__", outside
    for name in ("__init__", "__new__"):
        if is_written(getattr(cls, name)):
            return f"has its own {name}", outside
    taken = set(list(inspect.signature(cls.__init__).parameters)[1:])
    for name in field_names(cls):
        if name not in taken:
            return (
                f"has the field {name} with init=False",
                f"remove the field {name}, or make it a method",
            )
    for name in taken - set(field_names(cls)):
        return f"has {name} as an InitVar", outside
    return "", ""
