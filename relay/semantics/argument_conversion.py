"""Conversion of a Python argument to a value of the evaluator, guided by the parameter's type.

A value of a data type may be passed as a value of the evaluator, as one that an executable has
returned, or as a dataclass instance. A list may be a Python list, and an option its content or
None.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from relay.ir.dims import ANY, Dim
from relay.ir.expr import Constructor
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    substitute_types,
)
from relay.runtime.arguments import ArgumentChecker
from relay.runtime.code.check_values import (
    UNPARTED,
    around_field,
    misfit,
    no_variant,
    parts_of_tuple,
)
from relay.runtime.code.interface_types import parts_of
from relay.runtime.program import Signature, TensorSpec
from relay.semantics.evaluator_values import Argument, Closure, Data, Reference, Value, to_value
from relay.support.errors import RunError
from relay.support.trampoline import Task, run

_Known: TypeAlias = dict[str, tuple[Constructor, tuple[Type, ...]]]


def convert_argument(module: Module, name: str, ty: Type | None, given: Argument) -> Value:
    """Convert the argument `given` for the parameter `name`; shared parts of it stay shared.

    Raises `R003` to `R006` for a tensor that does not fit its type, and `R051` for any other value
    that does not match its type.
    """
    conversion = _ArgumentConversion(module, name)
    try:
        return run(conversion.value(ty, given))
    except RunError as error:
        error.notes = (*error.notes, *around_field(conversion.around))
        raise


class _ArgumentConversion:
    def __init__(self, module: Module, name: str) -> None:
        self._module = module
        self._name = name
        self.around: list[str] = []  # the constructors whose fields are being converted
        self._made: dict[tuple[Type, int], Value] = {}
        self._begun: set[tuple[Type, int]] = set()
        self._alive: list[Any] = []  # keeps objects alive, so that identities stay unique

    def value(self, ty: Type | None, given: Argument) -> Task[Value]:
        match ty:
            case TensorType():
                return self._tensor(ty, given)
            case TupleType(fields):
                parts = parts_of_tuple(self._name, len(fields), given)
                return (yield self._parts(fields, parts))
            case TypeCall(head) if isinstance(given, Data) and given.constructor.belongs_to is head:
                return given
            case TypeCall():
                return (yield self._once(ty, given))
            case FuncType() if not isinstance(given, Closure | Constructor):
                raise self._unmade(ty, given)
            case RefType() if not isinstance(given, Reference):
                raise self._unmade(ty, given)
            case _:
                return to_value(given)

    def _tensor(self, ty: TensorType, given: Argument) -> Value:
        shape = tuple(_as_checked(dim, axis) for axis, dim in enumerate(ty.shape))
        spec = TensorSpec(self._name, shape, ty.dtype)
        (array,) = ArgumentChecker(Signature((spec,), ())).admit((given,), {})
        return array

    def _parts(self, types: Sequence[Type], given: Sequence[Argument]) -> Task[tuple[Value, ...]]:
        found: list[Value] = []
        for ty, each in zip(types, given, strict=True):
            found.append((yield self.value(ty, each)))
        return tuple(found)

    def _once(self, ty: TypeCall, given: Argument) -> Task[Value]:
        """Convert an object to a value of a data type.

        An object that occurs twice gives one value.
        """
        key = ty, id(given)
        if key in self._begun:
            raise misfit(self._name, UNPARTED, given)
        if key not in self._made:
            self._begun.add(key)
            self._alive.append(given)
            self._made[key] = yield self._data(ty, given)
            self._begun.remove(key)
        return self._made[key]

    def _data(self, ty: TypeCall, given: Any) -> Task[Value]:
        known, taken = self._constructors(ty), parts_of(given)
        around = [taken[0]] if taken else []
        match {name: inputs for name, (_, inputs) in known.items()}:
            case {"Nil": (), "Cons": (item, _)} if isinstance(given, list):
                items = cast("list[Argument]", given)
                return _chain(known, (yield self._parts([item] * len(items), items)))
            case {"None": (), "Some": (_,)} if taken is None:
                taken = ("None", ()) if given is None else ("Some", (given,))
            case _:
                pass
        constructor, inputs = known.get(taken[0], (None, ())) if taken else (None, ())
        if taken is None or constructor is None or len(taken[1]) != len(inputs):
            counts = {name: len(inputs) for name, (_, inputs) in known.items()}
            raise no_variant(self._name, ty.head.name, counts, given)
        self.around += around
        fields = yield self._parts(inputs, taken[1])
        del self.around[len(self.around) - len(around) :]
        return Data(constructor, fields)

    def _constructors(self, ty: TypeCall) -> _Known:
        """Return the constructors of a data type by name, with the types of their fields."""
        found: _Known = {}
        for each in self._module.alternatives(ty.head):
            bindings: dict[Type, Type] = dict(zip(each.type_params, ty.args, strict=True))
            found[each.name] = each, tuple(substitute_types(t, bindings) for t in each.inputs)
        return found

    def _unmade(self, ty: Type, given: Argument) -> RunError:
        help_ = "pass a value that the evaluator returned"
        return misfit(self._name, f"a value of type {ty!r}", given, help_)


def _as_checked(dim: Dim, axis: int) -> int | str:
    """Return a dimension as a number or a name; each `?` gets a name of its own."""
    if isinstance(dim, int):
        return dim
    return f"?{axis}" if dim is ANY else str(dim)


def _chain(known: _Known, items: Sequence[Value]) -> Data:
    found = Data(known["Nil"][0], ())
    for item in reversed(items):
        found = Data(known["Cons"][0], (item, found))
    return found
