"""Convert annotations of Python functions, such as `Tensor["n", 128, float32]`, to types."""

import ast
import collections.abc
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from relay.frontend.python.values.containers import (
    Container,
    Fixed,
    GenericInstance,
    MoreAxes,
    is_named_tuple,
)
from relay.frontend.python.values.data_class_fields import is_data_class
from relay.ir.dims import ANY, Dim, DimVar, Symbolic
from relay.ir.types import (
    UNIT,
    FuncType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    scalar_type,
)
from relay.ir.types import TypeVar as Variable
from relay.numpy.errors import mistake
from relay.support.dtype import DType, float32, int32
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import node
from relay.support.span import Span

_SIGNS: Mapping[type[ast.operator], Callable[[Any, Any], Dim]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_OPEN = "?"
"""How an unknown size is written, as in Relay's text format."""

_FORMS = (
    "Tensor[3, 'n', float32], float32, int32, bool, tuple[A, B], Callable[[A], B] or a data class"
)

if TYPE_CHECKING:

    class Tensor(Any, Protocol):
        """To a type checker: anything. What is between the brackets is for the frontend."""

        def __class_getitem__(cls, parts: object) -> Any: ...

else:

    class Tensor:
        """The annotation of a tensor: its dimensions, then its element type (float32 if none).

        A dimension is an integer, a name for a size that is known when the function is called, a
        formula of those, such as "2 * n", or "?" for a size that the program computes.

        >>> Tensor["n", 128, float32]
        Tensor[(n, 128), float32]
        >>> Tensor[()]
        float32
        """

        def __class_getitem__(cls, parts: object) -> TensorType:
            listed = parts if isinstance(parts, tuple) else (parts,)
            if not listed:
                return TensorType((), float32)
            *dims, last = listed
            odd = [each for each in dims if not _is_dimension(each)]
            odd += [each for each in listed if isinstance(each, int) and each < 0]
            odd += [last] if isinstance(last, float) else []
            if odd:
                what = f"{odd[0]!r} is not a valid tensor size"
                raise mistake(
                    ErrorCode.F105,
                    what,
                    None,
                    'a size must be an integer that is not negative, or a name in quotes: "n"',
                )
            if _is_dimension(last):
                return TensorType(tuple(map(_dimension, listed)), float32)
            return TensorType(tuple(map(_dimension, dims)), to_dtype(last))


@node
class Form:
    """A data class that is a constructor, and its type arguments, in an annotation: `Cons[T]`."""

    cls: type
    args: tuple[Type, ...]


class DataTypes(Protocol):
    """The interface to the data types of a program."""

    def type_of_forms(self, forms: Sequence[Form], span: Span | None) -> Type:
        """Return the data type whose constructors are these classes."""
        ...

    def with_axes(self, ty: Type, count: int) -> Type:
        """Return the data type `ty`, with `count` more axes in all of its tensors."""
        ...


def with_variables(names: Mapping[str, object]) -> Mapping[str, object]:
    """Return a namespace with a definition's own variables in place of `typing`'s."""
    own = {name: Variable(name) for name, each in names.items() if isinstance(each, TypeVar)}
    return {**names, **own}


class Annotations:
    """Converts annotations to types; names are looked up in one namespace."""

    def __init__(self, names: Mapping[str, object], data: DataTypes) -> None:
        self._names = names
        self._data = data

    def type_of(self, annotation: object, span: Span | None) -> Type:
        """Return the type of an annotation; raises `F105` for an unsupported annotation."""
        if isinstance(annotation, str):
            return self.type_of(self.resolved(annotation, span), span)
        match annotation:
            case Container(items=items):
                return TupleType(tuple(self.type_of(each, span) for each in items))
            case Fixed():
                return UNIT
            case GenericInstance(of, args):
                return self._data.type_of_forms([Form(of, args)], span)
            case MoreAxes(of, count):
                return self._data.with_axes(self.type_of(of, span), count)
            case TensorType() | TupleType() | FuncType() | Variable() | TypeCall():
                return annotation
            case TypeVar(__name__=name):
                return self._variable(name, span)
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
            return self._data_type([self.resolved(_name(arg), span) for arg in args], span)
        if is_named_tuple(annotation):
            return self.type_of(as_container(annotation), span)
        if isinstance(annotation, type) and not is_data_class(annotation):
            return self._scalar(cast("type[object]", annotation), span)
        return self._data_type([annotation], span)

    def _scalar(self, annotation: type[object], span: Span | None) -> Type:
        if annotation in (bool, int, float):
            return scalar_type({bool: "bool", int: int32, float: float32}[annotation])
        if np.generic not in annotation.__mro__:
            raise _unknown(annotation, span)
        try:
            return scalar_type(to_dtype(annotation))
        except RelayError:
            raise _unknown(annotation, span) from None

    def _data_type(self, parts: Sequence[object], span: Span | None) -> Type:
        """Return the data type of a class or union, whose members may have type arguments."""
        forms: list[Form] = []
        classes: list[Any] = [get_origin(part) or part for part in parts]
        if types.NoneType in classes and not all(map(is_data_class, {*classes} - {types.NoneType})):
            advice = "define a union of two @relay.data classes: Maybe = Found | Missing"
            what = "an annotation X | None needs a @relay.data class as X, not a number or a tensor"
            raise mistake(ErrorCode.F105, what, span, advice)
        for cls, part in zip(classes, parts, strict=True):
            if not (is_data_class(cls) or cls is types.NoneType):
                raise _unknown(part, span)
            forms.append(Form(cls, tuple(self.type_of(arg, span) for arg in get_args(part))))
        return self._data.type_of_forms(forms, span)

    def _variable(self, name: str, span: Span | None) -> Type:
        found = self._names.get(name)
        if not isinstance(found, Variable):
            advice = f'write {name} = TypeVar("{name}") at the top of the file'
            raise mistake(
                ErrorCode.F105,
                f"the type variable {name} is not defined in this file",
                span,
                advice,
            )
        return found

    def resolved(self, text: object, span: Span | None) -> object:
        """Return the object that an annotation given as text evaluates to."""
        if not isinstance(text, str):
            return text
        try:
            return eval(text, dict(self._names))  # noqa: S307 - the user's own annotation
        except RelayError as error:
            raise error.at(span) from None
        except Exception as error:  # noqa: BLE001 - whatever it raises, it is not a type
            raise mistake(
                ErrorCode.F105,
                f"Python cannot evaluate the annotation {text}: {error}",
                span,
                _HELP,
            ) from None


_HELP = f"write {_FORMS}"


def as_container(annotation: object) -> object:
    """Return a named tuple class as a container description; other annotations unchanged."""
    if not is_named_tuple(annotation):
        return annotation
    kind: Any = annotation
    types_of: Mapping[str, object] = kind.__annotations__
    return Container(kind, (), tuple(as_container(types_of.get(each)) for each in kind._fields))


def _name(arg: object) -> object:
    """Return the text of a forward reference."""
    return getattr(arg, "__forward_arg__", arg)


def _unknown(annotation: object, span: Span | None) -> RelayError:
    shown = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    of_list = list in (annotation, get_origin(annotation))
    advice = (
        (
            'write Tensor["n", float32] for a list of numbers, or define a recursive @relay.data '
            "class"
        )
        if of_list
        else _HELP
    )
    return mistake(
        ErrorCode.F105, f"the annotation {shown} is not a type that Relay supports", span, advice
    )


def _is_dimension(part: object) -> bool:
    if isinstance(part, str):
        try:
            to_dtype(part)
        except RelayError:
            return True
        return False
    return isinstance(part, int | Symbolic) and not isinstance(part, DType)


def _computed(text: str) -> Dim:
    """Return a size given as text: a symbol, or `+ - * // %` of symbols and numbers."""
    try:
        found = _size(ast.parse(text, mode="eval").body)
    except SyntaxError:
        found = None
    if found is None:
        advice = (
            'a size is a number, a name "n", an expression with + - * // % such as "2 * n", or "?"'
        )
        raise mistake(ErrorCode.F105, f"{text!r} is not a valid tensor size", None, advice)
    return found


def _size(at: ast.expr) -> Dim | None:
    match at:
        case ast.Name(id=name):
            return DimVar(name)
        case ast.Constant(value=int() as number):
            return number
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
            parts = _size(left), _size(right)
            return None if None in parts else _SIGNS[type(sign)](*parts)
        case _:
            return None


def _dimension(part: object) -> Dim:
    if isinstance(part, str):
        return ANY if part == _OPEN else _computed(part)
    if isinstance(part, int | Symbolic):
        return part
    raise mistake(
        ErrorCode.F105,
        f"{part!r} is not a valid size in the tensor annotation",
        None,
        'write an integer, or a name in quotes: Tensor[3, "n", float32]',
    )
