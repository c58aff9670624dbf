"""Convert values and nodes to the JSON of a file and back, by the declarations of their fields.

An object of a class is a JSON object with its fields. Where a field may hold objects of several
classes, such as instructions or kinds of registers, it is a list: the name of the class, then the
fields. For example, `["RunKernel", 0, [1, 2], [3]]` is an instruction. Bytes are stored as sections
of the file. A new class or field needs no change here.
"""

from collections.abc import Collection, Iterable
from enum import Enum, EnumType
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from relay.runtime.artefact import Container, Packer, Section
from relay.runtime.json_fields import LARGEST, MOST_AXES, malformed
from relay.support.dtype import DType, dtype
from relay.support.errors import RelayTypeError

Json = Any

_Class = TypeVar("_Class")

_PLAIN = frozenset((int, str, bool, NoneType))
"""The types whose values are JSON."""

_ARRAYS = (np.ndarray, get_origin(NDArray[Any]))
"""The origins of types of arrays: NumPy's alias has its own from Python 3.12 and NumPy 2.5 on."""


def encoded(hint: Any, given: Any, packer: Packer) -> Json:
    """Return a value of the declared type `hint` as JSON; bytes become sections of `packer`."""
    if given.__class__ in _PLAIN:
        return given
    match given:
        case DType():
            return str(given)
        case Enum():
            return given.value
        case bytes() | np.ndarray():
            return packer.add(cast("bytes | Section", given))
        case tuple() | frozenset():
            return _parts_to_json(hint, cast("Collection[Any]", given), packer)
        case _:
            return _object_to_json(hint, given, packer)


def _parts_to_json(hint: Any, parts: Collection[Any], packer: Packer) -> Json:
    if isinstance(parts, frozenset):
        return sorted(parts)  # files must be reproducible
    item = _item_hint(hint)
    if item is None:
        pairs = zip(get_args(hint), parts, strict=True)
        return [encoded(each, part, packer) for each, part in pairs]
    return [*parts] if item in _PLAIN else [encoded(item, part, packer) for part in parts]


def _object_to_json(hint: Any, given: Any, packer: Packer) -> Json:
    cls = cast("type[Any]", type(given))
    hints = _hints(cls)
    fields = [encoded(each, getattr(given, name), packer) for name, each in hints.items()]
    is_choice = hint is not cls and len(_classes(hint)) > 1
    return [cls.__name__, *fields] if is_choice else dict(zip(hints, fields, strict=True))


def fields_to_json(given: Any, packer: Packer) -> dict[str, Json]:
    """Return an object as a JSON object with its fields."""
    return encoded(type(given), given, packer)


def fields_from_json(cls: type[_Class], given: Json, container: Container) -> _Class:
    """Return the object that `fields_to_json` encoded; raises `A006` for other JSON."""
    try:
        return decoded(cls, given, container)
    except RecursionError:
        raise malformed("its description is nested too deeply") from None


def decoded(hint: Any, given: Json, container: Container, name: str = "body") -> Any:
    """Decode JSON to a value of type `hint`; raises `A006` if it does not have that type.

    `name` is the field that holds the value, for the message.
    """
    if hint in _PLAIN:
        return _plain(hint, given, name)
    origin = get_origin(hint)
    if hint is DType:
        return _element_type(given, name)
    if hint is bytes or origin in _ARRAYS:
        section = container.section(_plain(int, given, name))
        return section.tobytes() if hint is bytes else section
    if origin is tuple:
        return tuple(_parts(hint, given, container, name))
    if origin is frozenset:
        return frozenset(_parts(hint, given, container, name))
    if isinstance(hint, EnumType):
        return _member(hint, given)
    return _one_of(hint, given, container, name)


def _plain(hint: type, given: Json, name: str) -> Any:
    is_valid = type(given) is hint
    if is_valid and hint is int:
        is_valid = 0 <= given < LARGEST
    if is_valid and hint is str:  # without unpaired surrogates
        is_valid = given.isascii() or given == given.encode(errors="replace").decode()
    if not is_valid:
        raise _misfit(given, name, hint.__name__)
    return given


def _element_type(given: Json, name: str) -> DType:
    try:
        return dtype(_plain(str, given, name))
    except RelayTypeError as error:
        raise malformed(f"{name}: {error.message}") from error


def _member(hint: EnumType, given: Json) -> Any:
    try:
        return hint(given)
    except ValueError as error:
        raise malformed(str(error)) from error


def _parts(hint: Any, given: Json, container: Container, name: str) -> Iterable[Any]:
    if not isinstance(given, list):
        raise _misfit(given, name, "list")
    items = cast("list[Json]", given)
    item = _item_hint(hint)
    if item is not None:
        if item == (int | str) and len(items) > MOST_AXES:
            raise malformed(f"{name}: a tensor has at most {MOST_AXES} axes")
        return [decoded(item, each, container, name) for each in items]
    hints = get_args(hint)
    if len(hints) != len(items):
        raise malformed(f"{name} has {len(items)} parts, not {len(hints)}")
    return [decoded(each, part, container, name) for each, part in zip(hints, items, strict=True)]


@cache
def _item_hint(hint: Any) -> Any:
    """Return the type of all parts of a tuple or a set, or None if they have different types."""
    hints = get_args(hint)
    return None if get_origin(hint) is tuple and hints[-1] is not Ellipsis else hints[0]


def _one_of(hint: Any, given: Json, container: Container, name: str) -> Any:
    """Decode an object of a class, or a value of one of several types."""
    is_union = get_origin(hint) in (Union, UnionType)
    if is_union and type(given) in _PLAIN and type(given) in get_args(hint):
        return None if given is None else _plain(cast("type[Any]", type(given)), given, name)
    classes = _classes(hint)
    if len(classes) != 1:
        return _tagged(hint, given, container, name)
    (cls,) = classes.values()
    if not isinstance(given, dict):
        raise _misfit(given, name, cls.__name__)
    found = cast("dict[str, Json]", given)
    return cls(*(decoded(each, found.get(n), container, n) for n, each in _hints(cls).items()))


def _tagged(hint: Any, given: Json, container: Container, name: str) -> Any:
    classes = _classes(hint)
    items = cast("list[Json]", given) if isinstance(given, list) else [None]
    cls = classes.get(items[0]) if items and isinstance(items[0], str) else None
    hints = {} if cls is None else _hints(cls)
    if cls is None or len(hints) != len(items) - 1:
        raise _misfit(given, name, " or ".join(sorted(classes)[:3]) or str(hint))
    pairs = zip(hints.items(), items[1:], strict=True)
    return cls(*(decoded(each, item, container, n) for (n, each), item in pairs))


def _misfit(given: Json, name: str, expected: str) -> Exception:
    return malformed(f"{name} is {given!r:.60}, not of type {expected}")


@cache
def _classes(hint: Any) -> dict[str, type[Any]]:
    """Return the concrete classes of a type hint, by class name."""
    if get_origin(hint) in (Union, UnionType):
        return {name: c for each in get_args(hint) for name, c in _classes(each).items()}
    found: dict[str, type[Any]] = {}
    pending: list[type[Any]] = [hint]
    while pending:
        cls = pending.pop()
        pending += cls.__subclasses__()
        if cls.__dict__.keys() >= {"__match_args__", "__slots__"}:  # a dataclass with slots
            found[cls.__name__] = cls
    return found


@cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    """Return the declared types of the fields of a class, in order."""
    known = get_type_hints(cls)
    return {name: known[name] for name in cls.__match_args__}
