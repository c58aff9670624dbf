"""Poison: values, or elements of tensors, that depend on a trap and are therefore unknown."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from relay.ir.expr import Array, Constructor
from relay.ir.types import TensorType, TupleType, Type
from relay.semantics.evaluator_values import Closure, Data, Reference, Value
from relay.support.node import node


@node
class Poison:
    """A poisoned value, which depends on a trap: a tensor with such elements, or a whole value.

    `mask` marks the poisoned elements of the tensor, whose numbers in `content` are arbitrary. Both
    are None if the shape is unknown.
    """

    content: Array | None = None
    mask: Array | None = None

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Return the shape of a poisoned tensor; None if unknown."""
        return None if self.content is None else self.content.shape


EVERYTHING = Poison()
"""Poison of unknown type and shape."""


def poison_of(ty: Type | None, shape_of: Callable[[TensorType], Sequence[int] | None]) -> Value:
    """Return a value of the type `ty` that is unknown everywhere because of a trap.

    `shape_of` returns the shape of a tensor, or None if it is unknown.
    """
    match ty:
        case TensorType():
            shape = shape_of(ty)
            if shape is None:
                return cast("Value", EVERYTHING)
            content = np.zeros(shape, ty.dtype.numpy)
            return cast("Value", Poison(content, np.ones(content.shape, np.bool_)))
        case TupleType(fields):
            return tuple(poison_of(field, shape_of) for field in fields)
        case _:
            return cast("Value", EVERYTHING)


def is_poisoned(value: object) -> bool:
    """Whether a tensor, or a tuple at any depth, contains an element that depends on a trap."""
    if isinstance(value, tuple):
        return any(map(is_poisoned, cast("tuple[object, ...]", value)))
    return isinstance(value, Poison)


def is_shapeless(value: object) -> bool:
    """Whether a value is poison of unknown shape, or a tuple that contains it at any depth."""
    if isinstance(value, tuple):
        return any(map(is_shapeless, cast("tuple[object, ...]", value)))
    return isinstance(value, Poison) and value.content is None


def with_dependent_poison(compute: Callable[[Callable[[Any], Any]], Value]) -> Value:
    """Return the result of `compute`, with poison in elements that depend on poisoned operands.

    `compute` is called several times, with functions that fill the poisoned elements of an operand
    in different ways. Elements in which the results differ depend on poison (noninterference).
    """
    first, *others = (compute(partial(_filled, way=way)) for way in range(_WAYS))
    for other in others:
        first = merged(first, other)
    return first


_WAYS = 4


def _filled(value: Any, way: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(each, way) for each in cast("tuple[Any, ...]", value))
    if not isinstance(value, Poison):
        return value
    assert value.content is not None, "a tensor of a known shape"
    assert value.mask is not None, "a tensor of a known shape"
    return np.where(value.mask, _elements(value.content, way), value.content)


def _elements(like: Array, way: int) -> Array:
    """Return an array to fill in for poisoned elements; each number `way` gives another one."""
    least = 0 if like.dtype.kind == "u" else -99
    numbers = np.random.default_rng(way).integers(least, 100, like.shape)
    if like.dtype == np.bool_:
        return numbers % 2 == 0 if way > 1 else np.full(like.shape, way == 0)
    if way < 2:
        numbers = np.full(like.shape, way)
    return (numbers if like.dtype.kind in "iu" else numbers * 0.75 - 0.5).astype(like.dtype)


def merged(a: Value, b: Value) -> Value:
    """Merge two values: elements or parts in which they differ become poison."""
    match a, b:
        case (tuple(), tuple()) if len(a) == len(b):
            return tuple(map(merged, a, b))
        case (Data(one, fields), Data(other, others)) if one.name == other.name:
            return Data(one, tuple(map(merged, fields, others)))
        case (Closure(), Closure()) if a.function is b.function and a.frame is b.frame:
            return a
        case (Constructor(), Constructor()) if a.name == b.name:
            return a
        case (Reference(), Reference()) if a is b:
            return a
        case _:
            return _merged_tensors(a, b)


def _merged_tensors(a: Any, b: Any) -> Value:
    parts = [_content_and_mask(each) for each in (a, b)]
    (x, one), (y, other) = parts
    if x is None or y is None or x.shape != y.shape or x.dtype != y.dtype:
        return cast("Value", EVERYTHING)
    mask = (x != y) & ~((x != x) & (y != y)) | one | other  # noqa: PLR0124 - NaN is not itself
    return cast("Value", Poison(x, np.asarray(mask))) if np.any(mask) else x


def _content_and_mask(value: Any) -> tuple[Array | None, Any]:
    if isinstance(value, Poison):
        return value.content, value.mask
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(cast("Any", value)), np.False_
    return None, np.False_
