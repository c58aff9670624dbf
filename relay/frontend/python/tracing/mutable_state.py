"""Snapshots of mutable state: variables, containers, objects and the memory of arrays."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import BuiltinMethodType, CellType, FunctionType, MethodType, ModuleType
from typing import Any, NoReturn, cast

from relay.frontend.python.values.chosen_functions import Choice
from relay.frontend.python.values.data_class_fields import attributes_of, is_model, set_attributes
from relay.frontend.python.values.traced_values import (
    Box,
    GrowingList,
    Traced,
    is_mapping,
    is_set,
    is_tuple,
)


class _Nothing:
    """The content of a variable that has no value."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Nothing()


class State:
    """A snapshot of the contents of all objects reachable from `roots` but not in `outside`."""

    def __init__(self, roots: Iterable[object], outside: Mapping[int, object]) -> None:
        self.held: dict[int, tuple[Any, Any]] = {}
        stack: list[Any] = list(roots)
        while stack:
            each = stack.pop()
            if id(each) in self.held or id(each) in outside:
                continue
            found, inner = _content(each)
            if found is not MISSING:
                self.held[id(each)] = each, found
            stack += inner

    def restore(self) -> None:
        """Restore the contents of all places in the snapshot."""
        for each, held in self.held.values():
            _restore(each, held)

    def slots(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield each place, as a container and a key, with its content."""
        for each, held in self.held.values():
            if isinstance(each, list | deque):
                yield each, None, tuple(held)
            elif isinstance(each, set | Box | CellType):
                yield each, None, held
            elif is_mapping(held):
                for key, value in held.items():
                    yield each, key, value


def _content(each: Any) -> tuple[Any, list[Any]]:
    """Return the content of an object to record, and the objects reachable from it."""
    if isinstance(each, CellType):
        try:
            return each.cell_contents, [each.cell_contents]
        except ValueError:
            return MISSING_CONTENT, []
    if isinstance(each, Box):
        return each.expr, []
    if isinstance(each, Traced):
        return None, [each.box, *each.options, *([each.base] if each.base is not None else [])]
    if isinstance(each, Choice):
        return None, [each.number, *each.options]
    if isinstance(each, GrowingList):
        return None, [each.rows, each.count]
    if isinstance(each, list | deque):
        items = list(cast("Iterable[Any]", each))
        return items, items
    if is_tuple(each):
        return None, list(each)
    if is_set(each):
        return set(each), list(each)
    if is_mapping(each):
        return dict(each), list(each.values())
    if isinstance(each, FunctionType):
        return None, list(each.__closure__ or ())
    if isinstance(each, MethodType | BuiltinMethodType):
        return None, [each.__self__]
    if isinstance(each, partial):
        return None, [each.func, *each.args, *each.keywords.values()]
    if isinstance(each, type | ModuleType) or _is_foreign(each):
        return MISSING, []
    own = attributes_of(each)
    return own, list(own.values())


class _Empty:
    """The content of a closure variable that has not been assigned."""


MISSING_CONTENT = _Empty()


def _is_foreign(each: object) -> bool:
    home = type(each).__module__.partition(".")[0]
    libraries = ("builtins", "relay", "numpy", "functools", "operator", "itertools", "types")
    return home in libraries and not is_model(each)


def _restore(each: Any, held: Any) -> None:
    match each:
        case Box():
            each.expr = held
        case CellType():
            if held is MISSING_CONTENT:
                with suppress(ValueError):  # it is empty
                    del each.cell_contents
            else:
                each.cell_contents = held
        case list() | deque():
            each.clear()
            each.extend(held)
        case set():
            each.clear()
            each.update(held)
        case dict():
            each.clear()
            each.update(held)
        case _ if is_mapping(held):
            set_attributes(each, held)
        case _:
            pass


def refuse_change(held: Any, call: Callable[[], Any], refuse: Callable[[], NoReturn]) -> Any:
    """Return the result of a call; if it modifies container `held`, undo that and call `refuse`."""
    before = _content(held)[0]
    made = call()
    now = _content(held)[0]
    kept = now == before if is_set(held) else _are(now, before)
    if not kept:
        _restore(held, before)
        refuse()
    return made


def _are(now: Any, before: Any) -> bool:
    """Whether two lists or dictionaries contain the same objects."""
    keys = list(now) == list(before) if is_mapping(now) else len(now) == len(before)
    one, other = (list(each.values()) if is_mapping(each) else each for each in (now, before))
    return keys and all(a is b for a, b in zip(one, other, strict=True))


Place = tuple[Any, Any]
"""A container and a key in it; the key is None for memory, closure variables and whole lists."""
Key = tuple[int, Any]


def changed(before: State, after: State) -> dict[Key, Place]:
    """Return the places whose content differs between two states of the same containers.

    A place that only `after` has, such as a new key of a dictionary, counts as different.
    """
    old = {(id(each), key): (each, key, value) for each, key, value in before.slots()}
    new = {(id(each), key): value for each, key, value in after.slots()}
    found: dict[Key, Place] = {}
    for place, (each, key, value) in old.items():
        if place[0] in after.held and not same(new.get(place, MISSING_CONTENT), value):
            found[place] = each, key
    for owner, key in new:
        if (owner, key) not in old and owner in before.held and key is not None:
            found[owner, key] = before.held[owner][0], key
    return found


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same object, or equal Python numbers or strings of one type."""
    if a is b:
        return True
    if is_tuple(a) and is_tuple(b):
        return len(a) == len(b) and all(map(same, a, b))
    return same_type(a, b) and isinstance(a, bool | int | float | str) and repr(a) == repr(b)


def same_type(a: object, b: object) -> bool:
    """Whether two objects have the same class."""
    return type(a) is type(b)


def get(place: Any, key: Any) -> Any:
    """Return the content at a key of a container; for a list, a tuple of all its items."""
    if isinstance(place, Box):
        return place.expr
    if isinstance(place, CellType):
        try:
            return place.cell_contents
        except ValueError:
            return MISSING_CONTENT
    if isinstance(place, list | deque):
        return tuple(cast("Iterable[Any]", place))
    if is_set(place):
        return set(place)
    return _entries(place).get(key, MISSING_CONTENT)


def _entries(place: Any) -> dict[Any, Any]:
    """Return the entries of a dictionary or the attributes of an object."""
    return dict(place) if is_mapping(place) else attributes_of(place)


def put(place: Any, key: Any, value: Any) -> None:
    """Set the content at key `key` of container `place`; the key is None for all of it."""
    if isinstance(place, Box | CellType | list | deque | set):
        _restore(place, value)
        return
    held = _entries(place)
    if value is MISSING_CONTENT:
        held.pop(key, None)
    else:
        held[key] = value
    _restore(place, held)
