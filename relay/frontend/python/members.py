"""What data has behind a point: fields, and methods, properties and constants of its classes."""

from functools import cached_property
from types import FunctionType

from relay.frontend.python import calls
from relay.frontend.python.attributes import OfClass, Receiver
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.fields import field_names, is_written
from relay.frontend.python.forms import by_form
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.operations import outside
from relay.frontend.python.unit import is_method
from relay.frontend.python.values import Static, Value
from relay.ir.expr import Constructor, Expr
from relay.ir.types import TypeCall
from relay.support.node import node
from relay.support.span import Span


@node
class _Member:
    """What a class has under a name; `found` is None for a field."""

    cls: type
    found: object


def member_of_data(convert: Conversion, whole: Expr, ty: TypeCall, name: str, span: Span) -> Value:
    """Return a field, a property, a method or a constant of data.

    Raises `F132` where no form has it; a form that has it not stops the program, as in Python.
    """
    forms = convert.unit.data.alternatives(ty.head)
    members = {form: _member(convert, form, name) for form in forms}
    if all(each is None or each.found is None for each in members.values()):
        return convert.field(whole, name, span)
    methods = _methods(members)
    if methods:
        return Static(Receiver(name, whole, methods))

    def value(each: _Member, data: Expr) -> Value:
        return _value(convert, each, data, name, span)

    return by_form(convert, whole, members, value, name, span)


def special_method(convert: Conversion, value: Value, name: str) -> bool:
    """Whether a value is data that has a method such as `__add__`."""
    ty = value.ty if isinstance(value, Expr) else None
    if not isinstance(ty, TypeCall) or ty.head.name not in convert.unit.data.types:
        return False
    forms = convert.unit.data.alternatives(ty.head)
    unit = convert.unit
    found = [unit.of_class(unit.data.classes[form], name) for form in forms]
    return any(map(is_written, found))


def _member(convert: Conversion, form: Constructor, name: str) -> _Member | None:
    cls = convert.unit.data.classes[form]
    if name in field_names(cls):
        return _Member(cls, None)
    found = convert.unit.of_class(cls, name)
    return None if found is None else _Member(cls, found)


def _methods(members: "dict[Constructor, _Member | None]") -> dict[Constructor, OfClass | None]:
    """Return the methods of the forms; none where one of them has something else."""
    methods: dict[Constructor, OfClass | None] = {}
    for form, each in members.items():
        if each is None:
            methods[form] = None
        elif is_method(each.found):
            methods[form] = OfClass(each.cls, each.found)
        else:
            return {}
    return methods


def _value(convert: Conversion, member: _Member, whole: Expr, name: str, span: Span) -> Value:
    found = member.found
    getter = found.fget if isinstance(found, property) else found
    getter = getter.func if isinstance(getter, cached_property) else getter
    if found is None:
        return convert.field(whole, name, span)
    if isinstance(getter, FunctionType):
        method = Static(OfClass(member.cls, getter))
        return calls.called(Invocation(convert, method, [whole], {}, span))
    constant = convert.unit.look(lambda: getattr(member.cls, name))
    return convert.unit.memory.lent(outside(constant, span))
