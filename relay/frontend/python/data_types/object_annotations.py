"""The annotations of data class objects, derived from the values in their fields.

1. The tensors in an object may have more leading axes than its class declares (`MoreAxes`).
2. The fields of an object of a generic class determine its type arguments, whose sizes stay open.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from relay.frontend.python.data_types.mapped_data_types import MappedTypes
from relay.frontend.python.values.containers import Annotation, GenericInstance, MoreAxes
from relay.frontend.python.values.data_class_fields import field_names, is_data_class
from relay.frontend.python.values.traced_values import (
    Traced,
    expr_of,
    is_array_of_numpy,
    is_plain,
    is_tuple,
)
from relay.ir.dims import ANY
from relay.ir.expr import Constructor
from relay.ir.types import TensorType, TupleType, Type, TypeCall, TypeVar, scalar_type
from relay.numpy.tensor_conversion import default_dtype
from relay.support.dtype import dtype
from relay.support.span import Span


class Classes(Protocol):
    """The interface to the data types of a program, by class."""

    mapped: MappedTypes

    def is_type(self, cls: type) -> bool:
        """Whether a class can be a data type."""
        ...

    def constructor(self, cls: type, span: Span | None) -> Constructor:
        """Return the constructor that represents a class."""
        ...

    def fields(self, constructor: Constructor, ty: TypeCall) -> tuple[Type, ...]:
        """Return the field types of a constructor in a data type."""
        ...

    def variables(self, cls: type) -> tuple[TypeVar, ...]:
        """Return the type variables of a class, as its data type names them."""
        ...


def object_annotation(given: object, data: Classes) -> Annotation:
    """Return the annotation of an object whose class is a data type."""
    cls = type(given)
    if data.variables(cls):  # case 2
        return _generic(given, data)
    count = axes_in(given, data)  # case 1
    return MoreAxes(cls, count) if count > 0 else cls


def axes_in(given: object, data: Classes) -> int:
    """Return how many more axes the first tensor in an object has than its class declares."""
    for part, ty in _parts(given, data):
        match ty:
            case TypeCall():
                return data.mapped.axes_of([(expr_of(part).type, ty)])
            case TensorType():
                return _rank(part) - ty.rank
            case _:
                pass
    return 0


def _generic(given: object, data: Classes) -> Annotation:
    """Return a generic class with type arguments, or the class alone if an object lacks some."""
    cls, known = type(given), dict[Type, Type]()
    variables = data.variables(cls)
    for part, ty in _parts(given, data):
        for variable, found in _determined_types(part, ty):
            known.setdefault(variable, found)
        if all(each in known for each in variables):
            return GenericInstance(cls, tuple(known[each] for each in variables))
    return cls


def _determined_types(part: Any, ty: Type) -> Iterator[tuple[Type, Type]]:
    """Yield the type variables in a value's declared type, with the types that it determines."""
    match ty:
        case TypeVar():
            found = _type_of(part)
            if found is not None:
                yield ty, found
        case TypeCall(args=args):
            own = expr_of(part).type
            given = own.args if isinstance(own, TypeCall) else ()
            yield from (pair for pair in zip(args, given, strict=False) if pair[0] in args)
        case _:
            pass


def _parts(given: object, data: Classes) -> Iterator[tuple[Any, Type]]:
    """Yield the tensors and the data type values in an object, with their declared types."""
    head = data.constructor(type(given), None).belongs_to
    params = data.constructor(type(given), None).type_params
    stack: list[tuple[Any, Type]] = [(given, TypeCall(head, params))]
    while stack:
        part, ty = stack.pop()
        cls: type = part.__class__
        match ty:
            case TypeCall() if is_data_class(cls):
                fields: Sequence[Any] = [getattr(part, name) for name in field_names(cls)]
                if data.is_type(cls):
                    own = data.fields(data.constructor(cls, None), ty)
                    stack += reversed([*zip(fields, own, strict=True)])
            case TupleType(inner) if is_tuple(part):
                stack += reversed([*zip(part, inner, strict=False)])
            case TensorType() | TypeVar():
                yield part, ty
            case TypeCall() if isinstance(part, Traced):
                yield part, ty
            case _:
                pass


def _rank(part: Any) -> int:
    """Return the number of axes of a tensor, or 0 for other values."""
    if isinstance(part, Traced):
        ty = expr_of(part).type
        return ty.rank if isinstance(ty, TensorType) else 0
    return int(getattr(part, "ndim", 0))


def _type_of(part: Any) -> Type | None:
    """Return the type of a tensor, or of a tuple of them; None for other values."""
    if isinstance(part, Traced):
        ty = expr_of(part).type
        return TensorType((ANY,) * ty.rank, ty.dtype) if isinstance(ty, TensorType) else ty
    if is_plain(part):
        return scalar_type(default_dtype(part))
    if is_array_of_numpy(part):
        return TensorType((ANY,) * part.ndim, dtype(part.dtype))
    if not is_tuple(part):
        return None
    fields = tuple(found for found in map(_type_of, part) if found is not None)
    return TupleType(fields) if len(fields) == len(part) else None
