"""Lists, tuples and dictionaries as arguments and results: programs have tuples in their place."""

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from relay.frontend.python.arrays import (
    Traced,
    TracedSize,
    expr_of,
    is_list,
    is_mapping,
    is_sequence,
)
from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType, Type, scalar_type
from relay.numpy.errors import mistake
from relay.numpy.tensors import default_dtype
from relay.runtime.dlpack import array_of, exports
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.node import value as value_class

Annotation: TypeAlias = "Type | type | Container"


@value_class
class Container:
    """A list, a tuple or a dictionary, and what is in it: annotations, or such shapes."""

    kind: type
    keys: tuple[str, ...]
    items: tuple[Any, ...]

    def made(self, parts: Sequence[Any]) -> Any:
        """Return such a container of these parts."""
        return dict(zip(self.keys, parts, strict=True)) if self.kind is dict else self.kind(parts)


def _parts(value: Any) -> tuple[type, tuple[str, ...], Sequence[Any]]:
    """Return the kind of a container, its keys in order, and what is in it."""
    if is_mapping(value):
        keys = tuple(sorted(value, key=str))
        return dict, keys, [value[key] for key in keys]
    return (list if is_list(value) else tuple), (), cast("Sequence[Any]", value)


def annotation_of(given: object, name: str) -> Annotation:
    """Return the type of an argument; recursion follows its nesting. Raises `F140`."""
    if isinstance(given, bool | int | float) and not isinstance(given, np.generic):
        return scalar_type(default_dtype(given))
    if isinstance(given, Traced | TracedSize):
        return expr_of(given).type
    if is_sequence(given) or is_mapping(given):
        kind, keys, parts = _parts(given)
        items = tuple(annotation_of(each, name) for each in parts)
        types = [each for each in items if isinstance(each, Type)]
        if kind is tuple and len(types) == len(items):
            return TupleType(tuple(types))
        return Container(kind, keys, items)
    kind_of: Any = type(given)
    if isinstance(given, np.ndarray | np.generic) or exports(given):
        array = array_of(cast("Any", given))
        if array.dtype.kind in "biufV":
            return TensorType(array.shape, dtype(array.dtype))
    if hasattr(kind_of, "__relay_data__"):
        return kind_of
    what = f"{name} is {kind_of.__name__}, which has no type in a program"
    help_ = "pass arrays, numbers, @relay.data objects, and lists or dictionaries of them"
    raise mistake(ErrorCode.F140, what, None, help_)


def opened(annotation: object, value: Any) -> Any:
    """Return a tuple of the program as the container that an argument was."""
    if not isinstance(annotation, Container):
        return cast("object", value)
    return annotation.made([opened(*each) for each in zip(annotation.items, value, strict=True)])


def flattened(value: Any) -> Any:
    """Return containers as tuples, dictionaries in the order of their keys."""
    if not (is_sequence(value) or is_mapping(value)):
        return cast("object", value)
    return tuple(map(flattened, _parts(value)[2]))


def shape_of(value: Any) -> Container | None:
    """Return the containers in a result; None for what is none."""
    if not (is_sequence(value) or is_mapping(value)):
        return None
    kind, keys, parts = _parts(value)
    return Container(kind, keys, tuple(map(shape_of, parts)))


def shape_of_annotation(annotation: object) -> Container | None:
    """Return the containers in an argument of that annotation."""
    if isinstance(annotation, Container):
        items = tuple(map(shape_of_annotation, annotation.items))
        return Container(annotation.kind, annotation.keys, items)
    return None


def restored(shape: Container | None, found: Any) -> Any:
    """Return a result of the program as the containers that Python had."""
    if shape is None:
        return found
    return shape.made([restored(*each) for each in zip(shape.items, found, strict=True)])


def first_of(value: Any) -> Any:
    """Return a value like the first of those that an argument holds along its first axis."""
    if is_sequence(value) or is_mapping(value):
        kind, keys, parts = _parts(value)
        return Container(kind, keys, ()).made([first_of(each) for each in parts])
    if isinstance(value, np.ndarray) or exports(value):
        array: Array = array_of(cast("Any", value))
        made: Array = np.empty(array.shape[1:], array.dtype)
        return made if array.ndim else array
    return cast("object", value)
