"""Access to attributes of data values: fields, methods, properties and class constants."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from inspect import getattr_static
from types import FunctionType
from typing import Any

from relay.frontend.python.tensors.arithmetic import BINARY, binary
from relay.frontend.python.tracing.blocks import Block, Split, Stop
from relay.frontend.python.tracing.regions import ENDED, Ended, Region
from relay.frontend.python.values.data_class_fields import field_names, is_written
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import Traced, expr_of
from relay.frontend.python.values.traps import stopped
from relay.ir.expr import Constructor, Expr
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternWildcard
from relay.ir.types import Type, TypeCall

_FIELD = object()
"""Marks an attribute name that is a field of the class."""


class Members:
    """Looks up attributes of data values, whose class (constructor) is known only at run time."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace

    def attribute(self, whole: Traced, name: str) -> Any:
        """Return an attribute of `whole`, looked up in the class of its constructor."""
        trace, held = self.trace, expr_of(whole)
        ty, data = held.ty, trace.unit.data
        assert isinstance(ty, TypeCall), "data"
        owner = f"a part of an immutable value of type {describe(whole)}"
        members = {
            form: self._member(data.classes[form], name) for form in data.alternatives(ty.head)
        }
        if all(each is None or each[1] is _FIELD for each in members.values()):
            return trace.python(trace.convert.field(held, name, trace.span), owner)
        if not any(_is_method(each[1]) for each in members.values() if each is not None):
            return self._by_form(held, members, name, (), {})
        return partial(self._call, held, members, name)

    def _call(
        self, held: Expr, members: Mapping[Constructor, Any], name: str, /, *args: Any, **named: Any
    ) -> Any:
        return self._by_form(held, members, name, args, named)

    def _member(self, cls: type, name: str) -> tuple[type, Any] | None:
        if name in field_names(cls):
            return cls, _FIELD
        found = self.trace.unit.look(lambda: getattr_static(cls, name, None))
        return None if found is None else (cls, found)

    def _by_form(
        self,
        held: Expr,
        members: Mapping[Constructor, Any],
        name: str,
        args: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        """Return member `name` of a value, looked up in the class of its constructor at run time.

        `members` has the member of each class, None where a class lacks it. A method is called with
        `args` and `named`.
        """
        trace, span = self.trace, self.trace.span
        known = {form: each for form, each in members.items() if each is not None}
        if not known:
            head = next(iter(members)).belongs_to
            trace.refuse(
                "F132",
                f"the data class {head} has no attribute {name}",
                f"define {name} in each class of the union",
            )
        held = trace.emit(held, "data")
        if len(members) == 1:
            cls, member = next(iter(known.values()))
            return self._of_form(held, cls, member, name, args, named)
        region = Region(trace, [*args, *named.values()], "call")
        block, arms = trace.block, [Block(region.root) for _ in members]
        wild = [tuple(PatternWildcard() for _ in form.inputs) for form in members]
        patterns = list(map(PatternConstructor, members, wild))

        def combine(exprs: Sequence[Expr], ty: Type) -> Expr:
            return Match(held, tuple(map(Clause, patterns, exprs)), ty=ty, span=span)

        block.end = Split(arms, combine)
        for form, arm in zip(members, arms, strict=True):
            region.before.restore()
            trace.block = arm
            if form not in known:
                why = f"AttributeError: {form.name} has no attribute {name}"
                arm.end = Stop(partial(stopped, why=why, span=span))
                continue
            found = trace.hooks.run(self._of_form, held, *known[form], name, args, named)
            if found is not ENDED:
                trace.leave(region, found)
        value = region.close()
        if value is ENDED:
            raise Ended
        return value

    def _of_form(
        self,
        held: Expr,
        cls: type,
        found: Any,
        name: str,
        args: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        trace = self.trace
        if found is _FIELD:
            return trace.python(
                trace.convert.field(held, name, trace.span), "a field of an immutable object"
            )
        getter = (
            found.fget
            if isinstance(found, property)
            else found.func
            if isinstance(found, cached_property)
            else None
        )
        whole = trace.python(held, "an immutable object")
        if getter is not None:
            return self._of_class(cls, getter, (whole,), {})
        if _is_method(found):
            bound = () if isinstance(found, staticmethod | classmethod) else (whole,)
            return self._of_class(cls, found, (*bound, *args), named)
        trace.unit.look(lambda: getattr(cls, name))
        return trace.calls.outside(getattr(cls, name))

    def _of_class(
        self, cls: type, found: Any, args: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Return the call of a method with all of its arguments, including `self`."""
        trace, unit = self.trace, self.trace.unit
        function = unit.method(cls, found)
        given = unit.without_class(function)
        if not unit.is_annotated(function):
            plain = found if isinstance(found, FunctionType) else found.__func__
            return trace.calls.traced(
                plain, (cls, *args) if isinstance(found, classmethod) else args, named
            )
        values = trace.calls.in_order(given, args, named)
        made = apply(trace, unit.reference(function, trace.span), values, trace.span)
        return trace.calls.result(made, values, function.__name__, is_new=unit.makes_new(function))

    def special_method(
        self, one: Traced, name: str, other: Any = None, swapped: bool = False
    ) -> Any:
        """Return the result of an operator on data whose classes define its special method."""
        trace = self.trace
        held, data = expr_of(one), trace.unit.data
        ty = held.ty
        assert isinstance(ty, TypeCall), "data"
        method = (
            f"__r{name}__"
            if swapped and name not in ("eq", "ne", "lt", "le", "gt", "ge")
            else f"__{name}__"
        )
        forms = data.alternatives(ty.head)
        if any(is_written(getattr_static(data.classes[form], method, None)) for form in forms):
            args = () if name in ("neg", "pos", "invert", "abs") else (other,)
            return self.attribute(one, method)(*args)
        if name in BINARY or name == "matmul":
            pair = (other, one) if swapped else (one, other)
            binary(name, trace.value(pair[0]), trace.value(pair[1]), trace.span)
        return trace.tensor(one)


def _is_method(found: Any) -> bool:
    return isinstance(found, FunctionType | staticmethod | classmethod)
