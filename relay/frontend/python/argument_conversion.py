"""Convert arguments and results of Relay programs from and to Python objects."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from relay.frontend.python.data_types.data_classes import DataTypes
from relay.frontend.python.values.data_class_fields import field_names
from relay.ir.expr import Constructor
from relay.ir.module import TypeData
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.numpy.errors import mistake
from relay.runtime.code.interface_types import Data as CompiledData
from relay.semantics.evaluator_values import Data, Value
from relay.support.error_codes import ErrorCode
from relay.support.trampoline import Task, run


class Interop:
    """Converts Python objects to values of a program's types, and back, at any nesting depth."""

    def __init__(self, data: DataTypes, types: Mapping[str, TypeData]) -> None:
        self._data, self._types = data, types
        forms = (form for each in types.values() for form in each.constructors)
        self._by_name = {form.name: data.class_of(form) for form in forms}

    def to_value(self, argument: object, ty: Type, name: str) -> Value:
        """Convert an argument to a value of type `ty`; raises `F140` if its type differs."""
        return run(self._into(argument, ty, name))

    def to_python(self, value: Value) -> Any:
        """Convert a value to arrays, NumPy scalars, tuples and data class objects."""
        return run(self._back(value))

    def objects(self, found: Any) -> Any:
        """Convert the data values in a compiled program's result to data class objects."""
        return run(self._objects(found))

    @property
    def has_other_names(self) -> bool:
        """Whether constructors have other names than the classes: compiled programs take theirs."""
        pairs = ((name, cls) for name, cls in self._by_name.items() if cls is not None)
        return any(name != cls.__name__ and cls is not type(None) for name, cls in pairs)

    def passed(self, value: Any, ty: Type) -> Any:
        """Return an argument of type `ty` as compiled programs take it: objects become `Data`.

        In tangents, everything but floats is `()`.
        """
        return run(self._passed(value, ty))

    def _passed(self, value: Any, ty: Type) -> Task[Any]:
        parts: list[Any] = []
        match ty:
            case TupleType(()):
                return ()
            case TupleType(fields) if isinstance(value, tuple):
                given = cast("tuple[Any, ...]", value)
                if len(given) == len(fields):
                    for pair in zip(given, fields, strict=True):
                        parts.append((yield self._passed(*pair)))  # noqa: PERF401 - yields
                    return tuple(parts)
            case TypeCall(head):
                forms = self._types[head.name].constructors
                form = next((each for each in forms if self._makes(each, value)), None)
                if form is not None:
                    for pair in zip(_fields(value), self._data.fields(form, ty), strict=True):
                        parts.append((yield self._passed(*pair)))  # noqa: PERF401 - yields
                    return CompiledData(form.name, tuple(parts))
            case _:
                pass
        return cast("object", value)

    def _makes(self, form: Constructor, value: object) -> bool:
        """Whether a value was made by the constructor `form`."""
        if isinstance(value, CompiledData):
            return value.constructor == form.name
        return type(value) is self._data.class_of(form)  # no class that inherits

    def _objects(self, found: Any) -> Task[Any]:
        if not isinstance(found, CompiledData | tuple):
            return found
        parts: list[Any] = []
        for part in found.fields if isinstance(found, CompiledData) else cast("Any", found):
            parts.append((yield self._objects(part)))  # noqa: PERF401 - yields
        if isinstance(found, tuple):
            return tuple(parts)
        cls = self._by_name.get(found.constructor)
        if cls is None:
            return CompiledData(found.constructor, tuple(parts))
        return cls(**dict(zip(field_names(cls), parts, strict=True)))

    def _into(self, argument: object, ty: Type, name: str) -> Task[Value]:
        given = type(argument).__name__
        match ty:
            case TensorType():
                return _array(argument, ty, name)
            case TupleType(fields) if isinstance(argument, tuple):
                parts = cast("tuple[object, ...]", argument)
                if len(parts) == len(fields):
                    values: list[Value] = []
                    for part, field in zip(parts, fields, strict=True):
                        values.append((yield self._into(part, field, name)))
                    return tuple(values)
            case TypeCall(head):
                for each in self._types[head.name].constructors:
                    if self._makes(each, argument):
                        fields = _fields(argument)
                        inner: list[Value] = []
                        types = self._data.fields(each, ty)
                        for part, field in zip(fields, types, strict=True):
                            inner.append((yield self._into(part, field, name)))
                        return Data(each, tuple(inner))
            case _:
                pass
        what = f"argument {name}: expected {ty!r}, found {given}"
        advice = (
            "call the function inside the program: Python functions cannot be arguments"
            if callable(cast("object", argument))
            else f"pass a value of that type, or change the annotation of {name}"
        )
        raise mistake(ErrorCode.F140, what, None, advice)

    def _back(self, value: Value) -> Task[Any]:
        match value:
            case np.ndarray():
                return value[()]
            case tuple():
                parts: list[Any] = []
                for part in value:
                    parts.append((yield self._back(part)))  # noqa: PERF401 - yields
                return tuple(parts)
            case Data(constructor, fields):
                found: list[Any] = []
                for field in fields:
                    found.append((yield self._back(field)))  # noqa: PERF401 - yields
                made = self._data.class_of(constructor)
                if made is None:
                    return CompiledData(constructor.name, tuple(found))
                return made(**dict(zip(field_names(made), found, strict=True)))
            case _:
                return value


def _fields(argument: object) -> Sequence[object]:
    if isinstance(argument, CompiledData):
        return argument.fields
    return [getattr(argument, name) for name in field_names(type(argument))]


def _array(argument: object, ty: TensorType, name: str) -> Value:
    """Return an argument as an array of `ty`; raises `F140` if its element type or shape differs.

    Python numbers take the element type of `ty` if it can represent them.
    """
    array = np.asarray(argument)
    exact = not isinstance(argument, bool | int | float | complex)
    fits = array.dtype == ty.dtype.numpy if exact else _holds(array, ty)
    sizes = zip(array.shape, ty.shape, strict=False)
    shaped = array.ndim == ty.rank and all(not isinstance(d, int) or n == d for n, d in sizes)
    if not fits or not shaped:
        found = f"an array of shape {array.shape} and type {array.dtype}"
        shape = f"({', '.join(map(str, ty.shape))}{',' * (ty.rank == 1)})"
        advice = (
            f"pass an array of shape {shape}, or change the annotation of {name}"
            if not shaped
            else f"convert it: np.asarray({name}, np.{ty.dtype})"
            if array.dtype.kind in "biufc" and exact
            else f"pass a number that {ty.dtype} represents"
        )
        raise mistake(
            ErrorCode.F140, f"argument {name}: expected {ty!r}, found {found}", None, advice
        )
    return array.astype(ty.dtype.numpy, copy=False)


def _holds(array: Any, ty: TensorType) -> bool:
    return ty.dtype.has_derivatives or bool(array.astype(ty.dtype.numpy) == array)
