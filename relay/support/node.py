"""The decorators for data classes: `@value` compares by content, `@node` by identity.

A *value* (a type, a shape, an operator with its attributes) is defined by its content: two values
with equal fields are the same object, so `==` and `hash` are as cheap as `is` and `id`. A *node*
(an expression) is defined by its identity: two nodes with equal fields are different, because
whether a subexpression is shared matters to the meaning of a program.

Both kinds have slots and are immutable to the type checker. At run time they are frozen only when
the environment requests it (`RELAY_FREEZE_NODES=1`, as the tests do): freezing every node costs a
third of the time to build it.
"""

import dataclasses
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from operator import attrgetter
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform
from weakref import ref

T = TypeVar("T")
_Class = TypeVar("_Class", bound=type)

FREEZE = os.environ.get("RELAY_FREEZE_NODES") == "1"


def _exact(field: Any) -> Any:
    """Return a key for a field's value, which distinguishes 0.0 from -0.0, and 1 from True."""
    exact = _EXACT.get(field.__class__)
    return field if exact is None else exact(field)


_EXACT: dict[type, Callable[[Any], Any]] = {
    float: float.hex,
    tuple: lambda fields: tuple(map(_exact, fields)),
    bool: lambda field: (bool, field),
}


class _Entry(ref[Any]):
    """A weak reference to an interned value, with its key in the table."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


class _Interning(type):
    """The metaclass of values, which interns them: one live object for each class and content.

    References to finalised values are collected, and removed from the table when the next value is
    created: the collection, a C function, may happen at any time.
    """

    _table: dict[tuple[Any, ...], _Entry] = {}
    _finalised = deque[_Entry]()
    _lock = threading.Lock()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        fresh: Any = type.__call__(cls, *args, **kwargs)  # faster than `super()`
        declared: Any = cls  # values are dataclasses, which a metaclass cannot declare
        content = declared.interned_fields(fresh)
        key = (cls, *(content if declared.is_exact else map(_exact, content)))
        with _Interning._lock:
            return _Interning._interned(key, fresh)

    @staticmethod
    def _interned(key: tuple[Any, ...], fresh: Any) -> Any:
        table, finalised = _Interning._table, _Interning._finalised
        while finalised:
            gone = finalised.popleft()
            if table.get(gone.key) is gone:
                del table[gone.key]
        known = table.get(key)
        found = None if known is None else known()
        if found is None:
            entry = table[key] = _Entry(fresh, finalised.append)
            entry.key = key
            return fresh
        return found


class Value(metaclass=_Interning):
    """The base of all classes declared with `@value`."""

    __slots__ = ("__weakref__",)
    __match_args__: tuple[str, ...] = ()
    is_exact: ClassVar[bool] = False
    """Whether no field can hold a float or a bool, which `==` would identify with other numbers."""

    @staticmethod
    def interned_fields(holder: Any) -> tuple[Any, ...]:
        """Return the fields of a value in order; `@value` replaces it in classes with fields."""
        del holder
        return ()

    def __copy__(self) -> "Value":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Value":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


class Alias(Generic[T]):
    """A second name of a field, for reading it and as a keyword argument of the constructor.

    >>> @node
    ... class Branch:
    ...     then: int
    ...     true_branch = Alias[int]("then")
    >>> Branch(true_branch=1).then, Branch(2).true_branch
    (1, 2)
    """

    def __init__(self, field: str) -> None:
        self.field = field

    def __get__(self, holder: object, cls: type) -> T:
        """Return the field's value; when accessed on the class, return the field's descriptor."""
        return getattr(cls if holder is None else holder, self.field)


def _declare(cls: _Class) -> _Class:
    has_repr = "__repr__" in cls.__dict__
    declare: Any = dataclasses.dataclass  # the annotation of `dataclass` loses the class
    declared = declare(cls, slots=True, eq=False, repr=not has_repr, frozen=FREEZE)
    members = [member for base in cls.__mro__ for member in vars(base).items()]
    names = {name: each.field for name, each in members if isinstance(each, Alias)}
    if names:
        _accept(declared, names)
    return declared


def _accept(cls: Any, names: Mapping[str, str]) -> None:
    """Make the constructor of `cls` accept other names of fields; `names` maps them to fields."""
    init = cls.__init__

    @wraps(init)
    def accept(self: object, *args: Any, **named: Any) -> None:
        if named and not names.keys().isdisjoint(named):
            own = {name: given for name, given in named.items() if name not in names}
            named = own | {names[name]: named[name] for name in named.keys() & names.keys()}
        init(self, *args, **named)

    cls.__init__ = accept


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
def value(cls: _Class) -> _Class:
    """Declare a class whose objects are defined by their content; it must inherit from `Value`.

    Fields must be hashable (tuples, not lists): `__post_init__` may normalise them with
    `set_field`. Constructing a value with the content of an existing one returns the existing
    object:

    >>> @value
    ... class Point(Value):
    ...     x: int
    ...     y: int
    >>> Point(1, 2) is Point(1, 2)
    True
    >>> Point(1, 2) is Point(1, True)
    False
    """
    declared: Any = _declare(cls)
    declared.interned_fields = staticmethod(_reader(declared.__match_args__))
    return declared


def _reader(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that reads attributes; one written in C where there are several."""
    if len(names) > 1:
        return attrgetter(*names)

    def read(holder: Any) -> tuple[Any, ...]:
        return tuple(getattr(holder, name) for name in names)

    return read


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
def node(cls: _Class) -> _Class:
    """Declare a data class whose objects are compared by identity.

    >>> @node
    ... class Leaf:
    ...     name: str
    >>> Leaf("a") == Leaf("a")
    False
    """
    return _declare(cls)


set_field = object.__setattr__
"""Set a field of a frozen object; for normalising fields in `__post_init__` only."""


def replace(obj: Any, **changes: Any) -> Any:
    """Return a copy of `obj` with changed fields, or `obj` itself if no field really changes."""
    if all(getattr(obj, name) is new for name, new in changes.items()):
        return obj
    return dataclasses.replace(obj, **changes)
