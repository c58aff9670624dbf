"""Annotations of Python functions as types, such as `Tensor["n", 128, float32]`."""

import collections.abc
import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Union, cast, get_args, get_origin

import numpy as np

from relay.frontend.python.errors import mistake
from relay.ir.dims import Dim, DimVar, Symbolic
from relay.ir.types import UNIT, FuncType, TensorType, TupleType, Type, scalar_type
from relay.support.dtype import DType, float32, int32
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import RelayError
from relay.support.span import Span

_FORMS = (
    "Tensor[3, 'n', float32], float32, int32, bool, tuple[A, B], Callable[[A], B] or @relay.data"
)

if TYPE_CHECKING:

    class Tensor(Any, Protocol):
        """To a type checker: anything. What is between the brackets is for the frontend."""

        def __class_getitem__(cls, parts: object) -> Any: ...

else:

    class Tensor:
        """The annotation of a tensor: its dimensions, then its element type (float32 if none).

        A dimension is an integer, or a name for a size that is known when the function is called.

        >>> Tensor["n", 128, float32]
        Tensor[(n, 128), float32]
        """

        def __class_getitem__(cls, parts: object) -> TensorType:
            listed = parts if isinstance(parts, tuple) else (parts,)
            *dims, last = listed
            if _is_dimension(last):
                return TensorType(tuple(map(_dimension, listed)), float32)
            return TensorType(tuple(map(_dimension, dims)), to_dtype(last))


class DataTypes(Protocol):
    """What knows the data types of a program."""

    def type_of_classes(self, classes: tuple[type, ...], span: Span | None) -> Type:
        """Return the data type that has these classes as its constructors."""
        ...


class Annotations:
    """Turns annotations into types, with names looked up in one namespace."""

    def __init__(self, names: Mapping[str, object], data: DataTypes) -> None:
        self._names = names
        self._data = data

    def type_of(self, annotation: object, span: Span | None) -> Type:
        """Return the type; recursion is bounded by the annotation. Raises `F105`."""
        if isinstance(annotation, str):
            return self.type_of(self._evaluate(annotation, span), span)
        match annotation:
            case TensorType() | TupleType() | FuncType():
                return annotation
            case DType():
                return scalar_type(annotation)
            case None:
                return UNIT
            case _:
                return self._compound(annotation, span)

    def _compound(self, annotation: object, span: Span | None) -> Type:
        origin: Any = get_origin(annotation)
        args: tuple[object, ...] = get_args(annotation)
        if origin is tuple:
            if Ellipsis in args:
                raise _unknown(annotation, span)
            return TupleType(tuple(self.type_of(arg, span) for arg in args))
        if origin is collections.abc.Callable and isinstance(args[0], list):
            listed = cast("list[object]", args[0])
            params = tuple(self.type_of(arg, span) for arg in listed)
            return FuncType(params, self.type_of(args[1], span))
        if origin in (Union, types.UnionType):
            found = [self._evaluate(_name(arg), span) for arg in args]
            return self._classes(tuple(found), annotation, span)
        if isinstance(annotation, type):
            return self._class(cast("type[object]", annotation), span)
        raise _unknown(annotation, span)

    def _class(self, annotation: type[object], span: Span | None) -> Type:
        if annotation in (bool, int, float):
            return scalar_type({bool: "bool", int: int32, float: float32}[annotation])
        if np.generic in annotation.__mro__:
            try:
                return scalar_type(to_dtype(annotation))
            except RelayError:
                raise _unknown(annotation, span) from None
        return self._classes((annotation,), annotation, span)

    def _classes(self, found: tuple[object, ...], whole: object, span: Span | None) -> Type:
        classes = tuple(each for each in found if isinstance(each, type))
        if len(classes) < len(found) or not all(
            hasattr(each, "__relay_data__") for each in classes
        ):
            raise _unknown(whole, span)
        return self._data.type_of_classes(classes, span)

    def _evaluate(self, text: object, span: Span | None) -> object:
        if not isinstance(text, str):
            return text
        try:
            return eval(text, dict(self._names))  # noqa: S307 - the user's own annotation
        except RelayError as error:
            raise error.at(span) from None
        except Exception as error:  # noqa: BLE001 - whatever it raises, it is no type
            raise mistake(
                "F105", f"the annotation {text} has no meaning: {error}", span, _HELP
            ) from None


_HELP = f"write {_FORMS}"


def _name(arg: object) -> object:
    """Return what a forward reference says."""
    return getattr(arg, "__forward_arg__", arg)


def _unknown(annotation: object, span: Span | None) -> RelayError:
    shown = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return mistake("F105", f"{shown} is not a type of Relay", span, _HELP)


def _is_dimension(part: object) -> bool:
    if isinstance(part, str):
        try:
            to_dtype(part)
        except RelayError:
            return True
        return False
    return isinstance(part, int | Symbolic) and not isinstance(part, DType)


def _dimension(part: object) -> Dim:
    if isinstance(part, str):
        return DimVar(part)
    if isinstance(part, int | Symbolic):
        return part
    raise mistake(
        "F105", f"{part!r} is not a dimension", None, "use an integer or a name in quotes"
    )
