"""Convert data classes to algebraic data types: a class is a constructor, a union has several."""

import dataclasses
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, Union, dataclass_transform, get_args, get_origin

from relay.autodiff.public_gradient_form import primal_names
from relay.frontend.python.data_types.annotations import Annotations, Form
from relay.frontend.python.data_types.mapped_data_types import MappedTypes
from relay.frontend.python.data_types.object_annotations import axes_in, object_annotation
from relay.frontend.python.rewriting.field_locations import field_span
from relay.frontend.python.values.containers import Annotation, Container, Fixed, MoreAxes
from relay.frontend.python.values.data_class_fields import (
    home_of,
    is_data_class,
    is_declared,
    refuse_making,
)
from relay.ir.expr import Constructor
from relay.ir.fresh_names import free_name
from relay.ir.module import TypeData
from relay.ir.types import (
    GlobalTypeVar,
    TupleType,
    Type,
    TypeCall,
    substitute_types,
)
from relay.ir.types import TypeVar as Variable
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import node
from relay.support.span import Span

_Class = TypeVar("_Class", bound=type)
_NONE = types.NoneType


@dataclass_transform(frozen_default=True)
def data(cls: _Class) -> _Class:
    """Make a class a data class that is a constructor of a Relay data type.

    The data type is the class alone, or the union in the same module that contains it: `Tree = Leaf
    | Node`. The annotation of a field may name a later class in quotes: `left: "Tree"`.
    """
    _require_class(cls)
    made: Any = cls if "__dataclass_fields__" in vars(cls) else _declared(cls)
    refuse_making(made, None)
    made.__relay_data__ = True
    return made


def _require_class(given: object) -> None:
    if not isinstance(given, type):
        raise mistake(
            ErrorCode.F136,
            f"@relay.data expects a class, not {given!r}",
            None,
            "write @relay.data directly above a class definition",
        )


def _declared(cls: type) -> Any:
    """Make a class a frozen data class.

    Raises `F136` if Python refuses, because of its bases, say.
    """
    declare: Any = dataclasses.dataclass(frozen=True)
    try:
        return declare(cls)
    except (TypeError, ValueError) as error:
        raise mistake(
            ErrorCode.F136, f"{cls.__name__}: {error}", None, _advice(cls, error)
        ) from None


def _advice(cls: type, error: Exception) -> str:
    """Return what to change in a class of which Python cannot make a data class."""
    if isinstance(error, ValueError):  # a default that all objects would share, and may change
        return "create the default for each object: = dataclasses.field(default_factory=lambda: …)"
    bases: list[Any] = [each for each in cls.__mro__[1:] if dataclasses.is_dataclass(each)]
    if any(not each.__dataclass_params__.frozen for each in bases):
        return "write @relay.data above the base classes, too"
    return "give every field a type, and put the fields that have defaults last"


@node
class Member:
    """A class in a union; `variables` are the union's names for the class's type variables."""

    cls: type
    variables: tuple[TypeVar, ...]


_Home = tuple[str, Sequence[Member]]
"""The name of a union, and its members."""


def _members(parts: Sequence[Any]) -> list[Member]:
    """Return the classes of a union, with their type arguments or their own type variables."""
    found: list[Member] = []
    for each in parts:
        cls: Any = get_origin(each) or each
        variables = get_args(each) if get_origin(each) else getattr(each, "__parameters__", ())
        found.append(Member(cls, variables))
    return found


class DataTypes:
    """The data types of one program, and the Python classes of their constructors."""

    def __init__(self, names: Mapping[str, object]) -> None:
        self.types: dict[str, TypeData] = {}
        self.classes: dict[Constructor, type] = {}
        self.mapped = MappedTypes(self)
        self._names = names
        self._constructors: dict[type, Constructor] = {}
        self._homes: dict[tuple[type, frozenset[type] | None], _Home] = {}
        self._variables: dict[type, tuple[Variable, ...]] = {}

    def with_axes(self, ty: Type, count: int) -> Type:
        """Return a data type with `count` more axes in its tensors; see `MappedTypes`."""
        return self.mapped.with_axes(ty, count)

    def constructor_in(self, ty: Type | None, cls: type, span: Span | None) -> Constructor:
        """Return the constructor for a class in the data type `ty`, or in the class's own type."""
        own = self.constructor(cls, span)
        if isinstance(ty, TypeCall) and self.mapped.origin(ty.head)[0] == own.belongs_to:
            return self.alternatives(ty.head)[own.index]
        return own

    def constructor_for(self, given: object, wanted: Type | None, span: Span | None) -> Constructor:
        """Return the constructor for an object: in the data type `wanted`, if it has one there.

        Otherwise, the type has as many axes as the tensors in the object.
        """
        own = self.constructor(type(given), span)
        if isinstance(wanted, TypeCall) and self.mapped.origin(wanted.head)[0] == own.belongs_to:
            return self.alternatives(wanted.head)[own.index]
        ty = self.with_axes(TypeCall(own.belongs_to, own.type_params), axes_in(given, self))
        return self.constructor_in(ty, type(given), span)

    def data_annotation(self, given: object) -> "Annotation | None":
        """Return the annotation of a value of an algebraic data type; None for other objects."""
        cls = type(given)
        if not self.is_data(cls):
            return None
        return object_annotation(given, self) if self.is_type(cls) else cls

    def variables(self, cls: type) -> tuple[Variable, ...]:
        """Return the type variables of a class, as its data type names them."""
        self.constructor(cls, None)
        return self._variables[cls]

    def constructor(self, cls: type, span: Span | None) -> Constructor:
        """Return the constructor that represents a class."""
        if cls not in self._constructors:
            self._declare(*self._home(cls), span)
        return self._constructors[cls]

    def type_of_forms(self, forms: Sequence[Form], span: Span | None) -> Type:
        """Return the data type whose constructors are these classes; for one class, its data type.

        Raises `F105` for missing type arguments and `F106` for classes of different unions.
        """
        classes = [form.cls for form in forms if form.cls is not _NONE]
        wanted = frozenset(form.cls for form in forms)
        if len(forms) > 1 and not any(cls in self._constructors for cls in classes):
            self._declare(*self._home(classes[0], wanted), span)
        found = {self.constructor(cls, span).belongs_to for cls in classes}
        (head, *others) = sorted(found, key=lambda each: each.name)
        known = {self.classes[each] for each in self.alternatives(head)}
        if others or (len(forms) > 1 and {*wanted, _NONE} != {*known, _NONE}) or wanted - known:
            raise _mixed(" | ".join(form.cls.__name__ for form in forms), span)
        given = {
            variable: arg
            for form in forms
            for variable, arg in zip(self._variables[form.cls], form.args, strict=False)
        }
        missing = [each.name for each in self._params(head) if each not in given]
        if missing:
            what = f"the generic class {head.name} is used without a type for {', '.join(missing)}"
            advice = f"write {head.name}[float32], or another type in the brackets"
            raise mistake(ErrorCode.F105, what, span, advice)
        return TypeCall(head, tuple(given[each] for each in self._params(head)))

    def alternatives(self, head: GlobalTypeVar) -> tuple[Constructor, ...]:
        """Return the constructors of a data type."""
        return self.types[head.name].constructors

    def class_of(self, constructor: Constructor) -> type | None:
        """Return the class whose objects a constructor makes; also of a derived data type.

        The constructors of gradients and of mapped data are named after those of the program.
        """
        if constructor in self.classes:
            return self.classes[constructor]
        named = {each.name: cls for each, cls in self.classes.items()}
        return next((named[each] for each in primal_names(constructor.name) if each in named), None)

    def adopt(self, types: Mapping[str, TypeData]) -> None:
        """Add data types that a transformation derived from those of the program."""
        for name, data in types.items():
            classes = {form: self.class_of(form) for form in data.constructors}
            known = {form: cls for form, cls in classes.items() if cls is not None}
            if name not in self.types and len(known) == len(classes):
                self.types[name] = data
                self.classes |= known

    def annotation(self, shape: Any, ty: Type) -> Any:
        """Return the annotation of a value, given its structure and its type in the program."""
        match shape, ty:
            case Container(kind, keys, items), TupleType(fields) if len(items) == len(fields):
                return Container(kind, keys, tuple(map(self.annotation, items, fields)))
            case Fixed(), _:
                return shape
            case _, TypeCall(head):
                classes = tuple(self.classes[each] for each in self.alternatives(head))
                union: Any = Union[classes]  # noqa: UP007 - computed
                _, count = self.mapped.origin(head)
                return MoreAxes(union, count) if count else union
            case _:
                return ty

    def none(self, ty: Type | None) -> Constructor | None:
        """Return the constructor that represents None in a data type, if it has one."""
        forms = self.alternatives(ty.head) if isinstance(ty, TypeCall) else ()
        return next((each for each in forms if self.classes.get(each) is _NONE), None)

    def is_data(self, cls: type) -> bool:
        """Whether a class is an algebraic data type of the program even without an annotation.

        This holds for classes made by `@relay.data`, and for members of a union of several classes.
        """
        return is_declared(cls) or (len(self._home(cls)[1]) > 1 and self.is_type(cls))

    def is_type(self, cls: type) -> bool:
        """Whether all fields of a class have Relay types, so that it can be a data type."""
        try:
            self.constructor(cls, None)
        except RelayError:
            return False
        return True

    def is_open(self, annotation: object) -> bool:
        """Whether an annotation leaves the type open: `Any`, or a data class without a data type.

        A data class has none if it has fields whose types Relay does not have.
        """
        found = self._names.get(annotation) if isinstance(annotation, str) else annotation
        if found is Any:
            return True
        return is_data_class(found) and not is_declared(found) and not self.is_type(found)

    def fields(self, constructor: Constructor, ty: TypeCall) -> tuple[Type, ...]:
        """Return the field types of a constructor in the data type `ty`."""
        given: dict[Type, Type] = dict(zip(constructor.type_params, ty.args, strict=True))
        return tuple(substitute_types(each, given) for each in constructor.inputs)

    def _params(self, head: GlobalTypeVar) -> tuple[Variable, ...]:
        return self.types[head.name].type_params

    def _home(self, cls: type, wanted: frozenset[type] | None = None) -> _Home:
        """Return the name and members of the union that contains a class, or of the class alone.

        `wanted` restricts the members. `None` is added as a member if any union contains it.
        """
        if (cls, wanted) not in self._homes:
            unions = [(name, _members(parts)) for name, parts in self._unions(cls)]
            known = [{each.cls for each in members} for _, members in unions]
            first = next((each for each in known if cls in each), {cls})
            base = ({*wanted} if wanted else first) - {_NONE}
            full = base | {_NONE} if base | {_NONE} in (*known, wanted) else base
            alone = sorted(base, key=lambda each: each.__name__)
            name, members = "_".join(each.__name__ for each in alone), _members(alone)
            for (union, found), classes in reversed([*zip(unions, known, strict=True)]):
                if classes - {_NONE} == base:
                    name, members = union, [each for each in found if each.cls is not _NONE]
            none = [Member(_NONE, ())] if full != base else []
            self._homes[cls, wanted] = name, [*members, *none]
        return self._homes[cls, wanted]

    def _unions(self, cls: type) -> Iterator[tuple[str, Sequence[Any]]]:
        """Yield unions of data classes, by name, from the class's module and its field types."""
        names = {**vars(sys.modules[cls.__module__]), **self._names, cls.__name__: cls}
        classes = dict.fromkeys(each for each in names.values() if is_data_class(each))
        own = [each for each in classes if each.__module__ == cls.__module__]
        fields = [("", field.type) for each in own for field in dataclasses.fields(each)]
        for name, found in (*names.items(), *fields):
            given = found if name else _evaluated(found, names)
            parts = get_args(given) if get_origin(given) in (Union, types.UnionType) else ()
            inner = [_evaluated(getattr(each, "__forward_arg__", each), names) for each in parts]
            if parts and all(is_data_class(get_origin(p) or p) or p is _NONE for p in inner):
                shown = (each.__name__ for each in inner if each is not _NONE)
                yield name or "_".join(sorted(shown)), inner

    def own_type(self, cls: type, span: Span | None) -> tuple[TypeCall, dict[str, Variable]]:
        """Return a class's data type, and the data type's names for the class's type variables."""
        head = self.constructor(cls, span).belongs_to
        names = (each.__name__ for each in getattr(cls, "__parameters__", ()))
        return TypeCall(head, self._params(head)), dict(
            zip(names, self._variables[cls], strict=False)
        )

    def _declare(self, name: str, members: Sequence[Member], span: Span | None) -> None:
        for member in members:
            if member.cls is not _NONE:
                refuse_making(member.cls, span)
            _refuse_forms(member.cls, [each.cls for each in members], span)
        head = GlobalTypeVar(free_name(name, self.types))
        listed = dict.fromkeys(each for member in members for each in member.variables)
        own = {each: Variable(each.__name__) for each in listed}
        before = dict(self.types), dict(self.classes), dict(self._constructors)
        params = tuple(own.values())

        classes = [member.cls for member in members]
        named = [self._name_of(each) for each in classes]

        def define(fields: Sequence[tuple[Type, ...]]) -> None:
            rows = enumerate(zip(named, fields, strict=True))
            known = tuple(Constructor(name, each, head, params, i) for i, (name, each) in rows)
            self._constructors |= {c: k for c, k in zip(classes, known, strict=True) if c != _NONE}
            self.types[head.name] = TypeData(head, params, known, span)
            self.classes |= dict(zip(known, classes, strict=True))

        define([()] * len(members))  # known before the fields, which may be recursive
        for member in members:
            self._variables[member.cls] = tuple(own[each] for each in member.variables)
        try:
            define([self._fields(each, span) for each in classes])
        except RelayError:
            self.types, self.classes, self._constructors = before
            raise

    def _name_of(self, cls: type) -> str:
        """Return the constructor name of a class; further constructors for None are numbered."""
        taken = {form.name for each in self.types.values() for form in each.constructors}
        return cls.__name__ if cls is not _NONE else free_name("None", taken)

    def _fields(self, cls: Any, span: Span | None) -> tuple[Type, ...]:
        names = [each.__name__ for each in getattr(cls, "__parameters__", ())]
        own = dict(zip(names, self._variables[cls], strict=False))

        def type_of(field: Any) -> Type:
            outside = {**self._names, **home_of(cls, field.name), cls.__name__: cls, **own}
            try:
                return Annotations(outside, self).type_of(field.type, span)
            except RelayError as error:
                if error.span is span:
                    error.span = field_span(cls, field.name) or span
                    note = f"this is the annotation of the field {field.name} of {cls.__name__}"
                    error.notes = (*error.notes, note)
                raise

        return () if cls is _NONE else tuple(map(type_of, dataclasses.fields(cls)))


def _refuse_forms(cls: type, others: Sequence[type], span: Span | None) -> None:
    """Raise `F106` if a class inherits from another member of its union."""
    for each in others:
        if each is not cls and issubclass(cls, each):
            what = (
                f"a union cannot contain both the class {cls.__name__} and its base class "
                f"{each.__name__}"
            )
            advice = "let both classes inherit from a third class that is not in the union"
            raise mistake(ErrorCode.F106, what, span, advice)


def _mixed(listed: str, span: Span | None) -> RelayError:
    what = f"the classes of the union {listed} already belong to another union"
    advice = (
        "define the union once, Tree = Leaf | Node, and write Tree everywhere: a class can belong "
        "to one union only"
    )
    return mistake(ErrorCode.F106, what, span, advice)


def _evaluated(content: Any, names: Mapping[str, object]) -> Any:
    """Evaluate the text of an annotation; None if it cannot be evaluated yet."""
    if not isinstance(content, str):
        return content
    try:
        return eval(content, dict(names))  # noqa: S307 - the user's own annotation
    except Exception:  # noqa: BLE001 - whatever it raises, it is not a union
        return None


def is_data(content: object) -> bool:
    """Whether an object is a data class, a union of data classes, or a generic instance of one."""
    parts = get_args(content) if get_origin(content) is not None else (content,)
    return any(map(is_data_class, (get_origin(content), *parts)))
