"""Containers in arguments and results, which are tuples in the program.

Lists, tuples, dictionaries and objects of data classes are containers. Values that no program
computes, such as a string, a function or None, are fixed: the function is traced for each of them.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import Any, TypeAlias, cast

import numpy as np

from relay.frontend.python.values.data_class_fields import (
    attributes_of,
    is_data_class,
    is_model,
    object_of,
)
from relay.frontend.python.values.traced_values import (
    Traced,
    TracedSize,
    expr_of,
    is_list,
    is_mapping,
    is_object,
    is_part_by_part,
    is_plain,
    is_tuple,
)
from relay.ir.types import TensorType, TupleType, Type, scalar_type
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import default_dtype
from relay.runtime.dlpack import array_of, exports
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.node import Value
from relay.support.node import value as value_class

Annotation: TypeAlias = "Type | type | Container | Fixed | MoreAxes | GenericInstance"
Shape: TypeAlias = "Container | Fixed | None"
"""The nesting of containers in a value; None for a value that is not a container."""


_OF_NUMPY = np.sum.__class__  # that of functions which dispatch on their arguments
_FUNCTIONS = (FunctionType, BuiltinFunctionType, np.ufunc, _OF_NUMPY, type)

UNKNOWN = object()
"""Marks that the containers in a result are not known yet."""


@value_class
class Container(Value):
    """A kind of container, with the annotations or shapes of its items."""

    kind: type
    keys: tuple[Any, ...]
    items: tuple[Any, ...]

    def made(self, parts: Sequence[Any]) -> Any:
        """Create a container of this kind with the given items."""
        kind: Any = self.kind
        if kind is dict:
            return dict(zip(self.keys, parts, strict=True))
        if is_data_class(kind):
            return object_of(kind, dict(zip(self.keys, parts, strict=True)))
        return kind._make(parts) if is_named_tuple(kind) else kind(parts)


@value_class
class Fixed(Value):
    """A part of a container that is known when the function is traced."""

    value: Any


@value_class
class MoreAxes(Value):
    """The annotation of data whose tensors have `count` more leading axes than its classes declare.

    `of` is the annotation of such data without these axes.
    """

    of: "Annotation"
    count: int


@value_class
class GenericInstance(Value):
    """The annotation of data of a generic class, with type arguments."""

    of: type
    args: tuple[Type, ...]


DataAnnotation: TypeAlias = Callable[[object], "Annotation | None"]
"""A function that returns the annotation of a value of an algebraic data type; None for others."""


def is_named_tuple(kind: object) -> bool:
    """Whether an object is a named tuple class."""
    return isinstance(kind, type) and tuple in kind.__mro__ and hasattr(kind, "_fields")


def is_fixed(value: object) -> bool:
    """Whether a value is of a kind that no program computes: None, a string or an enum member."""
    return value is None or isinstance(value, str | Enum)


def opened_up(value: Any) -> tuple[Container, Sequence[Any]] | None:
    """Return the kind and the items of a container; None for a value that is not a container."""
    if is_mapping(value):
        return Container(dict, tuple(value), ()), list(value.values())
    if is_list(value):
        return Container(list, (), ()), list(value)
    if is_tuple(value):
        kind = type(cast("object", value))
        return Container(kind if is_named_tuple(kind) else tuple, (), ()), value
    if is_object(value):
        held = attributes_of(value)
        return Container(type(value), tuple(held), ()), list(held.values())
    return None


def mapped(value: Any, convert: Callable[[Any], Any]) -> Any:
    """Return a value with each part that is not a container converted, at any nesting depth."""
    found = opened_up(value)
    if found is None:
        return convert(value)
    return found[0].made([mapped(each, convert) for each in found[1]])


def _is_setting(value: object) -> bool:
    """Whether a part of a model is fixed: a number or a function, such as an activation."""
    return is_plain(value) or _is_function(value)


def _is_function(value: object) -> bool:
    """Whether a value is a function or a class, and not a value of the program."""
    return callable(value) and not (isinstance(value, Traced) or is_object(value))


def _is_stateless(value: object) -> bool:
    """Whether a value is a function or class; methods and other callables may have other state."""
    return isinstance(value, _FUNCTIONS)


def annotation_of(
    given: object, name: str, of_data: DataAnnotation, *, in_model: bool = False
) -> Annotation:
    """Return the type of an argument; recursion follows its nesting. Raises `F140`.

    Objects for which `of_data` returns an annotation are values of algebraic data types, not
    containers.
    """
    if type(given) is np.ndarray and given.dtype.kind in "biufc":  # at each call, mostly
        return TensorType(given.shape, dtype(given.dtype))
    if is_plain(given):
        return scalar_type(default_dtype(cast("Any", given)))
    if isinstance(given, Traced | TracedSize):
        return expr_of(given).type
    if is_fixed(given) or _is_stateless(given) or getattr(given, "__relay_fixed__", False):
        return Fixed(given)
    kind = type(given)
    if is_data_class(kind) and (data := of_data(given)) is not None:
        return data
    found = opened_up(given)
    if found is not None:
        in_model = in_model or is_model(given)
        items = tuple(_item(each, name, of_data, in_model) for each in found[1])
        types = [each for each in items if isinstance(each, Type)]
        if found[0].kind is tuple and len(types) == len(items):
            return TupleType(tuple(types))
        return Container(found[0].kind, found[0].keys, items)
    if isinstance(given, np.ndarray | np.generic) or exports(given):
        array = array_of(cast("Any", given))
        if array.dtype.kind in "biufcV":
            return TensorType(array.shape, dtype(array.dtype))
    what = f"the argument {name} is of the Python type {kind.__name__}, which Relay does not accept"
    help_ = (
        "pass arrays, numbers, strings, functions, objects of data classes, and lists or "
        "dictionaries of them"
    )
    if in_model:
        help_ = "give the model's tensors values: relay.layers.initialize(model, seed)"
    raise mistake(ErrorCode.F140, what, None, help_)


def _item(given: object, name: str, of_data: DataAnnotation, in_model: bool) -> Annotation:
    if is_fixed(given) or (in_model and _is_setting(given)):
        return Fixed(given)
    return annotation_of(given, name, of_data, in_model=in_model)


def opened(annotation: object, value: Any) -> Any:
    """Convert a tuple of the program to the kind of container that the argument was."""
    if isinstance(annotation, Fixed):
        return annotation.value
    if not isinstance(annotation, Container):
        return cast("object", value)
    return annotation.made([opened(*each) for each in zip(annotation.items, value, strict=True)])


def flattened(
    value: Any, shape: Shape = None, name: str = "an argument", rule: str | None = None
) -> Any:
    """Convert containers to tuples.

    Objects that `shape` does not describe as containers are data. `name` names the value in the
    error `F140` for another number of items, and `rule` says what determines the right number.
    """
    if isinstance(value, np.ndarray):
        return cast("object", value)
    if isinstance(shape, Fixed):
        return ()
    found = None if shape is None and is_object(value) else opened_up(value)
    if found is None:
        return cast("object", value)
    inner = [None] * len(found[1]) if shape is None else shape.items
    if len(inner) != len(found[1]):
        given, wanted = len(found[1]), len(inner)
        what = f"{name}: expected {wanted} items, found {given}"
        advice = "pass one item for each item of the parameter's type"
        raise mistake(ErrorCode.F140, what, None, rule or advice)
    within = name if name.startswith("an item of ") else f"an item of {name}"
    pairs = zip(found[1], inner, strict=True)
    return tuple(flattened(each, part, within, rule) for each, part in pairs)


_OF_DERIVATIVES = (
    "pass a tangent with the items of its parameter, and d_result with the items that the function "
    "returns"
)


def flatten_arguments(
    values: Sequence[Any], shapes: Mapping[str, Shape], count: int
) -> Sequence[Any]:
    """Convert the containers in arguments to tuples.

    `shapes` has the nesting of containers for each parameter: first the `count` parameters of the
    function, then those that its derivative also takes. Captured arrays may follow.
    """
    known: list[tuple[str, Shape]] = [*shapes.items()]
    known += [("(captured)", None)] * (len(values) - len(known))
    rules = [None] * count + [_OF_DERIVATIVES] * (len(known) - count)
    rows = zip(values, known, rules, strict=False)
    return [
        flattened(value, shape, f"argument {name}", rule) for value, (name, shape), rule in rows
    ]


def shape_of(value: Any, is_data: Callable[[type], bool], *, in_model: bool = False) -> Shape:
    """Return the nesting of containers in a result; None for a value that is not a container."""
    if in_model and _is_setting(value):
        return Fixed(value)
    found = None if is_object(value) and is_data(value.__class__) else opened_up(value)
    if found is None:
        return None
    kind = found[0]
    in_model = in_model or is_model(value)
    items = [
        Fixed(each) if is_fixed(each) else shape_of(each, is_data, in_model=in_model)
        for each in found[1]
    ]
    return Container(kind.kind, kind.keys, tuple(items))


class ResultShape:
    """The nesting of containers in a result, which is the same on all paths."""

    def __init__(self, is_data: Callable[[type], bool], shape: Any = UNKNOWN) -> None:
        self._is_data, self._known = is_data, shape

    @property
    def shape(self) -> Shape:
        """Return the nesting; None if no path returns."""
        return None if self._known is UNKNOWN else self._known

    def flattened(self, value: Any) -> Any:
        """Convert a result to tuples; raises `F113` if paths return other containers."""
        shape = shape_of(value, self._is_data)
        if self._known not in (UNKNOWN, shape):
            what = "one path returns different lists or dictionaries than another"
            raise mistake(
                ErrorCode.F113,
                what,
                None,
                "return the same lists, dictionaries and keys on all paths",
            )
        self._known = shape
        return flattened(value, shape)


def shape_of_annotation(annotation: object) -> Shape:
    """Return the nesting of containers in an argument with this annotation."""
    match annotation:
        case Container(kind, keys, items):
            return Container(kind, keys, tuple(map(shape_of_annotation, items)))
        case TupleType(fields):
            return Container(tuple, (), tuple(map(shape_of_annotation, fields)))
        case Fixed():
            return annotation
        case _:
            return None


def nested(outer: Shape, inner: Shape) -> Shape:
    """Return `outer` with `inner` in place of each value that is not a container."""
    match outer:
        case None:
            return inner
        case Container(kind, keys, items):
            return Container(kind, keys, tuple(nested(each, inner) for each in items))
        case Fixed():
            return outer


def restored(shape: Shape, found: Any) -> Any:
    """Convert a result of the program to the containers that `shape` describes."""
    if isinstance(shape, Fixed):
        return shape.value
    if shape is None:
        return found
    if shape.items and not len(found):  # the gradient by a container without floats
        found = [()] * len(shape.items)
    return shape.made([restored(*each) for each in zip(shape.items, found, strict=True)])


def changeable_in(value: Any) -> list[Any]:
    """Return the mutable containers in a value; recursion follows its nesting."""
    found = opened_up(value)
    if found is None:
        return []
    own = [value] if is_list(value) or is_mapping(value) or is_part_by_part(value) else []
    return [*own, *(each for part in found[1] for each in changeable_in(part))]
