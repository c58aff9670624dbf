"""Dataclasses as algebraic data types: one class is one constructor, a union has several."""

import dataclasses
import sys
import types
from collections.abc import Mapping
from typing import Any, TypeVar, Union, dataclass_transform, get_args, get_origin

from relay.frontend.python.annotations import Annotations
from relay.frontend.python.errors import mistake
from relay.ir.expr import Constructor
from relay.ir.module import TypeData
from relay.ir.types import GlobalTypeVar, Type, TypeCall
from relay.support.span import Span

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(frozen_default=True)
def data(cls: _Class) -> _Class:
    """Make a class a dataclass that Relay knows as a constructor of a data type.

    The type is the class itself, or a union in the same module that has it: `Tree = Leaf | Node`.
    A field may name a type that comes later in quotes: `left: "Tree"`.
    """
    declare: Any = dataclasses.dataclass(frozen=True)
    made: Any = cls if dataclasses.is_dataclass(cls) else declare(cls)
    made.__relay_data__ = True
    return made


class DataTypes:
    """The data types of one program, and the classes that stand for them."""

    def __init__(self, names: Mapping[str, object]) -> None:
        self.types: dict[str, TypeData] = {}
        self.classes: dict[Constructor, type] = {}
        self._names = names
        self._constructors: dict[type, Constructor] = {}

    def constructor(self, cls: type, span: Span | None) -> Constructor:
        """Return the constructor that a class stands for."""
        if cls not in self._constructors:
            name, classes = self._home(cls)
            self._declare(name, classes, span)
        return self._constructors[cls]

    def type_of_classes(self, classes: tuple[type, ...], span: Span | None) -> Type:
        """Return the data type whose constructors are these classes, or that has this one."""
        if len(classes) > 1 and not any(cls in self._constructors for cls in classes):
            self._declare(self._home(classes[0], set(classes))[0], classes, span)
        found = {self.constructor(cls, span).belongs_to for cls in classes}
        (head, *others) = sorted(found, key=lambda each: each.name)
        if others or (len(classes) > 1 and len(self.types[head.name].constructors) != len(classes)):
            listed = " | ".join(cls.__name__ for cls in classes)
            raise mistake(
                "F106",
                f"{listed} is not the union that these classes belong to",
                span,
                "a class belongs to one union: give it a name, Tree = Leaf | Node, and use that",
            )
        return TypeCall(head, ())

    def alternatives(self, head: GlobalTypeVar) -> tuple[Constructor, ...]:
        """Return the constructors of a data type."""
        return self.types[head.name].constructors

    def _home(self, cls: type, wanted: set[type] | None = None) -> tuple[str, tuple[type, ...]]:
        """Return the name and members of the union around a class, or those of the class."""
        members = tuple(wanted or (cls,))
        for name, found in {**vars(sys.modules[cls.__module__]), **self._names}.items():
            parts = get_args(found) if get_origin(found) in (Union, types.UnionType) else ()
            if cls in parts and wanted in (None, set(parts)):
                return name, parts
        return "_".join(each.__name__ for each in members), members

    def _declare(self, name: str, classes: tuple[type, ...], span: Span | None) -> None:
        head = GlobalTypeVar(self._free_name(name))
        for index, cls in enumerate(classes):  # known before the fields, which may be recursive
            self._constructors[cls] = Constructor(cls.__name__, (), head, (), index)
        self.types[head.name] = TypeData(
            head, (), tuple(map(self._constructors.__getitem__, classes))
        )
        fields = [self._fields(cls, span) for cls in classes]
        for index, (cls, inputs) in enumerate(zip(classes, fields, strict=True)):
            found = Constructor(cls.__name__, inputs, head, (), index)
            self._constructors[cls] = found
            self.classes[found] = cls
        constructors = tuple(map(self._constructors.__getitem__, classes))
        self.types[head.name] = TypeData(head, (), constructors, span)

    def _free_name(self, name: str) -> str:
        return name if name not in self.types else f"{name}_{len(self.types)}"

    def _fields(self, cls: type, span: Span | None) -> tuple[Type, ...]:
        outside = {**self._names, **vars(sys.modules[cls.__module__]), cls.__name__: cls}
        annotations = Annotations(outside, self)
        return tuple(annotations.type_of(f.type, span) for f in dataclasses.fields(cls))


def field_names(cls: type) -> tuple[str, ...]:
    """Return the names of a data class's fields, in order."""
    return tuple(field.name for field in dataclasses.fields(cls))
