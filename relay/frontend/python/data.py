"""Dataclasses as algebraic data types: one class is one constructor, a union has several."""

import dataclasses
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Union, dataclass_transform, get_args, get_origin

from relay.frontend.python.annotations import Annotations, Form
from relay.frontend.python.fields import home_of, refuse_making
from relay.ir.expr import Constructor
from relay.ir.module import TypeData
from relay.ir.types import GlobalTypeVar, Type, TypeCall, substitute_types
from relay.ir.types import TypeVar as Variable
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import node
from relay.support.span import Span

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(frozen_default=True)
def data(cls: _Class) -> _Class:
    """Make a class a dataclass that Relay knows as a constructor of a data type.

    The type is the class itself, or a union in the same module that has it: `Tree = Leaf | Node`.
    A field may name a type that comes later in quotes: `left: "Tree"`.
    """
    _require_class(cls)
    made: Any = cls if "__dataclass_fields__" in vars(cls) else _declared(cls)
    refuse_making(made, None)
    made.__relay_data__ = True
    return made


def _require_class(given: object) -> None:
    if not isinstance(given, type):
        raise mistake(
            ErrorCode.F136, f"{given!r} is not a class", None, "write @relay.data above a class"
        )


def _declared(cls: type) -> Any:
    """Return a class as a dataclass; raises `F136` for what Python refuses, such as its bases."""
    declare: Any = dataclasses.dataclass(frozen=True)
    try:
        return declare(cls)
    except (TypeError, ValueError) as error:
        raise mistake(
            ErrorCode.F136, f"{cls.__name__}: {error}", None, _advice(cls, error)
        ) from None


def _advice(cls: type, error: Exception) -> str:
    """Return what to write where Python makes no dataclass of a class."""
    if isinstance(error, ValueError):  # a default that all objects would share, and may change
        return "make one for each object: = dataclasses.field(default_factory=lambda: …)"
    bases: list[Any] = [each for each in cls.__mro__[1:] if dataclasses.is_dataclass(each)]
    if any(not each.__dataclass_params__.frozen for each in bases):
        return "bases are frozen, as data does not change: write @relay.data above them"
    return "every field has a type, and those with defaults come last"


@node
class Member:
    """A class as one form of a data type; the union's `variables` stand for those of the class."""

    cls: type
    variables: tuple[TypeVar, ...]


class DataTypes:
    """The data types of one program, and the classes that stand for them."""

    def __init__(self, names: Mapping[str, object]) -> None:
        self.types: dict[str, TypeData] = {}
        self.classes: dict[Constructor, type] = {}
        self._names = names
        self._constructors: dict[type, Constructor] = {}
        self._variables: dict[type, tuple[Variable, ...]] = {}

    def constructor(self, cls: type, span: Span | None) -> Constructor:
        """Return the constructor that a class stands for."""
        if cls not in self._constructors:
            self._declare(*self._home(cls), span)
        return self._constructors[cls]

    def type_of_forms(self, forms: Sequence[Form], span: Span | None) -> Type:
        """Return the data type whose constructors are these classes, or that has this one.

        Raises `F105` where types are missing, and `F106` for classes of another union.
        """
        classes = [form.cls for form in forms]
        if len(classes) > 1 and not any(cls in self._constructors for cls in classes):
            self._declare(*self._home(classes[0], set(classes)), span)
        found = {self.constructor(cls, span).belongs_to for cls in classes}
        (head, *others) = sorted(found, key=lambda each: each.name)
        if others or (len(classes) > 1 and len(self.alternatives(head)) != len(classes)):
            raise _mixed(" | ".join(cls.__name__ for cls in classes), span)
        given = {
            variable: arg
            for form in forms
            for variable, arg in zip(self._variables[form.cls], form.args, strict=False)
        }
        missing = [each.name for each in self._params(head) if each not in given]
        if missing:
            what = f"{head.name} needs types for {', '.join(missing)}"
            advice = f"write {head.name}[float32], or another type in the brackets"
            raise mistake(ErrorCode.F105, what, span, advice)
        return TypeCall(head, tuple(given[each] for each in self._params(head)))

    def alternatives(self, head: GlobalTypeVar) -> tuple[Constructor, ...]:
        """Return the constructors of a data type."""
        return self.types[head.name].constructors

    def fields(self, constructor: Constructor, ty: TypeCall) -> tuple[Type, ...]:
        """Return the types of a constructor's fields in a data type with these arguments."""
        given: dict[Type, Type] = dict(zip(constructor.type_params, ty.args, strict=True))
        return tuple(substitute_types(each, given) for each in constructor.inputs)

    def _params(self, head: GlobalTypeVar) -> tuple[Variable, ...]:
        return self.types[head.name].type_params

    def _home(self, cls: type, wanted: set[type] | None = None) -> tuple[str, Sequence[Member]]:
        """Return the name and members of the union around a class, or those of the class."""
        for name, found in {**vars(sys.modules[cls.__module__]), **self._names}.items():
            parts = get_args(found) if get_origin(found) in (Union, types.UnionType) else ()
            members = [Member(get_origin(part) or part, get_args(part)) for part in parts]
            classes = {member.cls for member in members}
            if cls in classes and wanted in (None, classes):
                return name, members
        alone = sorted(wanted or {cls}, key=lambda each: each.__name__)
        own = [Member(each, getattr(each, "__parameters__", ())) for each in alone]
        return "_".join(each.__name__ for each in alone), own

    def own_type(self, cls: type, span: Span | None) -> tuple[TypeCall, dict[str, Variable]]:
        """Return the type that a class is a form of, and what its type variables are there."""
        head = self.constructor(cls, span).belongs_to
        names = (each.__name__ for each in getattr(cls, "__parameters__", ()))
        return TypeCall(head, self._params(head)), dict(
            zip(names, self._variables[cls], strict=False)
        )

    def _declare(self, name: str, members: Sequence[Member], span: Span | None) -> None:
        for member in members:
            refuse_making(member.cls, span)
            _refuse_forms(member.cls, [each.cls for each in members], span)
        head = GlobalTypeVar(self._free_name(name))
        listed = dict.fromkeys(each for member in members for each in member.variables)
        own = {each: Variable(each.__name__) for each in listed}
        params = tuple(own.values())

        def define(fields: Sequence[tuple[Type, ...]]) -> None:
            for index, (member, inputs) in enumerate(zip(members, fields, strict=True)):
                made = Constructor(member.cls.__name__, inputs, head, params, index)
                self._constructors[member.cls] = made
            known = tuple(self._constructors[member.cls] for member in members)
            self.types[head.name] = TypeData(head, params, known, span)

        define([()] * len(members))  # known before the fields, which may be recursive
        for member in members:
            self._variables[member.cls] = tuple(own[each] for each in member.variables)
        define([self._fields(member.cls, span) for member in members])
        self.classes |= {self._constructors[member.cls]: member.cls for member in members}

    def _free_name(self, name: str) -> str:
        return name if name not in self.types else f"{name}_{len(self.types)}"

    def _fields(self, cls: Any, span: Span | None) -> tuple[Type, ...]:
        names = [each.__name__ for each in getattr(cls, "__parameters__", ())]
        own = dict(zip(names, self._variables[cls], strict=False))

        def type_of(field: Any) -> Type:
            outside = {**self._names, **home_of(cls, field.name), cls.__name__: cls, **own}
            return Annotations(outside, self).type_of(field.type, span)

        return tuple(map(type_of, dataclasses.fields(cls)))


def _refuse_forms(cls: type, others: Sequence[type], span: Span | None) -> None:
    """Raise `F106` where a form inherits from another one, whose patterns would fit it, too."""
    for each in others:
        if each is not cls and issubclass(cls, each):
            what = f"{cls.__name__} inherits from {each.__name__}, and both are forms of one union"
            advice = "let both inherit from a class that is outside of the union"
            raise mistake(ErrorCode.F106, what, span, advice)


def _mixed(listed: str, span: Span | None) -> RelayError:
    what = f"{listed} is not the union that these classes belong to"
    advice = "a class belongs to one union: give it a name, Tree = Leaf | Node, and use that"
    return mistake(ErrorCode.F106, what, span, advice)


def is_data(content: object) -> bool:
    """Whether something is a data class, or a union or a generic form of some."""
    parts = get_args(content) if get_origin(content) is not None else (content,)
    origins = (get_origin(content), *parts)
    return any(isinstance(each, type) and hasattr(each, "__relay_data__") for each in origins)
