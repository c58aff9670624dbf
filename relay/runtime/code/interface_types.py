"""Interface types: the types of a program's inputs and result as its caller sees them.

`Data` is a value of an algebraic data type, such as a list or a tree, outside of a program.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from relay.runtime.code.register_kinds import OBJECT, BlockLayout, Kind, Scalar, Tensor
from relay.runtime.program import Dimension
from relay.support.dtype import DType
from relay.support.missing_member import MissingMember
from relay.support.node import Value, value


@value
class TensorField(Value):
    """A field that is a tensor; symbolic sizes may differ between values."""

    shape: tuple[Dimension, ...]
    dtype: DType

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the register kinds of the field in a heap block."""
        if not self.shape:
            return (Scalar(self.dtype),)
        sizes = tuple(None if isinstance(size, str) else size for size in self.shape)
        return (Tensor(sizes, self.dtype),)


@value
class DataField(Value):
    """A field that is a value of the data type with index `type` in the signature."""

    type: int

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the register kinds of the field in a heap block."""
        return (OBJECT,)


@value
class TupleField(Value):
    """A field that is a tuple, whose parts are stored inline in the heap block."""

    fields: "tuple[Field, ...]"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the register kinds of the parts in a heap block."""
        return tuple(kind for field in self.fields for kind in field.kinds)


@value
class OpaqueField(Value):
    """A field that callers cannot read: a function or a mutable reference."""

    type: str

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the register kinds of the field in a heap block."""
        return (OBJECT,)


Field: TypeAlias = TensorField | DataField | TupleField | OpaqueField


def leaves_of(field: Field) -> Iterator[Field]:
    """Yield a field that is not a tuple, or recursively the fields of a tuple."""
    if isinstance(field, TupleField):
        for inner in field.fields:
            yield from leaves_of(inner)
    else:
        yield field


@value
class Variant(Value):
    """A constructor of a data type: its name and its fields."""

    name: str
    fields: tuple[Field, ...]

    @property
    def layout(self) -> BlockLayout:
        """Return the layout of heap blocks of this constructor."""
        return BlockLayout(tuple(kind for field in self.fields for kind in field.kinds))


@value
class DataType(Value):
    """A data type as callers see it: its constructors, in the order of their tags.

    `args` are the type arguments, such as the `float32` of `List[float32]`.
    """

    name: str
    variants: tuple[Variant, ...]
    args: tuple[Field, ...] = ()


SHOWN = 4
"""How many levels of nested data a `repr` shows: lists may have any length."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Data:
    """A value of a data type outside of a program: the constructor's name, and the fields.

    >>> Data("Cons", (1, Data("Nil"))).fields[1]
    Data(constructor='Nil', fields=())
    """

    constructor: str
    fields: tuple[Any, ...] = ()
    tag = MissingMember("compare the field constructor, which is the constructor's name")

    def plain(self) -> Any:
        """Return a list as a Python list, and an option as its content or None.

        Other values are returned unchanged.

        >>> Data("Cons", (1, Data("Cons", (2, Data("Nil"))))).plain()
        [1, 2]
        """
        match self.constructor:
            case "None":
                return None
            case "Some":
                return _plain(self.fields[0])
            case "Nil" | "Cons":
                return [_plain(each) for each in self._items()]
            case _:
                return self

    def _items(self) -> "Iterator[Any]":
        rest = self
        while rest.constructor == "Cons":
            item, rest = rest.fields
            yield item

    def __repr__(self) -> str:
        return _shown(self, SHOWN)


def _plain(given: Any) -> Any:
    return given.plain() if isinstance(given, Data) else given


def _shown(given: object, depth: int) -> str:
    """Return the `repr` of a value with `depth` levels of data in it.

    >>> print(_shown(Data("Some", (Data("Some", (Data("None"),)),)), 1))
    Data(constructor='Some', fields=(…))
    """
    if not isinstance(given, Data):
        return repr(given)
    if depth == 0 and given.fields:
        return "…"
    inner = ", ".join(_shown(each, depth - 1) for each in given.fields)
    return f"Data(constructor={given.constructor!r}, fields=({inner}))"


def parts_of(given: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Return the constructor name and the fields of a value; None if it has no constructor.

    It may be a `Data`, a value of the evaluator, or an object of a dataclass.
    """
    constructor = getattr(given, "constructor", None)
    if constructor is not None and hasattr(given, "fields"):
        return getattr(constructor, "name", constructor), tuple(given.fields)
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        names = (field.name for field in dataclasses.fields(given))
        return type(given).__name__, tuple(getattr(given, name) for name in names)
    return None


def tensors_in(given: Any) -> Iterator[Any]:
    """Yield the tensors in a result in order, also those nested in tuples and data.

    >>> list(tensors_in((1, Data("Cons", (2, Data("Cons", (3, Data("Nil"))))))))
    [1, 2, 3]
    """
    pending = [given]
    while pending:
        top = pending.pop()
        match top:
            case tuple():
                pending += reversed(cast("tuple[Any, ...]", top))
            case Data(fields=fields):
                pending += reversed(fields)
            case Opaque():
                continue
            case _:
                yield top


def constructors_in(given: Any) -> Iterator[str]:
    """Yield the names of the constructors in a result in order, those of a value before its parts.

    >>> list(constructors_in((1, Data("Some", (Data("None"),)))))
    ['Some', 'None']
    """
    pending = [given]
    while pending:
        top = pending.pop()
        match top:
            case tuple():
                pending += reversed(cast("tuple[Any, ...]", top))
            case Data(constructor=constructor, fields=fields):
                yield constructor
                pending += reversed(fields)
            case _:
                continue


@value
class ExternalTypes(Value):
    """The types of a program's named inputs and of its result, as callers see them."""

    types: tuple[DataType, ...]
    inputs: tuple[tuple[str, Field], ...]
    result: Field


@dataclasses.dataclass(frozen=True, slots=True)
class Opaque:
    """A part of a result that callers cannot read: a function or a mutable reference."""

    type: str
