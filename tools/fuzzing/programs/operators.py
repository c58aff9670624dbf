"""Calls of operators that return a tensor of a given type.

Values stay finite and small: growing results are clipped, roots and logarithms get operands in
their domain, and nothing divides. Integers wrap around.
"""

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any, TypeAlias

from relay.ir.dims import is_static
from relay.ir.expr import Expr, Tuple, TupleGetItem
from relay.ir.types import BOOL, TensorType, Type
from relay.ops.functions import core, nn
from relay.support.dtype import DType, bool_, float32, int32

op: Any = core
"""Its members are generated; only its stub has their types."""

Operand: TypeAlias = Callable[[Type], Expr]
"""A function that returns an operand of a type."""

Maker: TypeAlias = Callable[[Operand], Expr]
"""A function that builds a call from operands that it requests."""

LARGEST = 64.0


@cache
def makers(ty: TensorType) -> tuple[Maker, ...]:
    """Return the builders of a tensor of that type."""
    if ty.dtype is bool_:
        found = _truths(ty)
    else:
        found = (_floats if ty.dtype.is_float else _integers)(ty) + _numbers(ty)
    return tuple(found + (_shapes(ty) if is_static(ty.shape) else []))


def bounded(ty: TensorType, value: Expr) -> Expr:
    """Return a value whose floats are clipped."""
    return op.clip(value, -LARGEST, LARGEST) if ty.dtype.is_float else value


def _like(ty: TensorType, dtype: DType) -> TensorType:
    return TensorType(ty.shape, dtype)


def _truths(ty: TensorType) -> list[Maker]:
    numbers, counts = _like(ty, float32), _like(ty, int32)
    return [
        lambda at: op.less(at(numbers), at(numbers)),
        lambda at: op.greater_equal(at(numbers), at(TensorType((), float32))),
        lambda at: op.equal(at(counts), at(counts)),
        lambda at: op.logical_not(at(ty)),
        lambda at: op.logical_and(at(ty), at(ty)),
        lambda at: op.logical_or(at(ty), at(BOOL)),
    ]


def _numbers(ty: TensorType) -> list[Maker]:
    """Return the builders that work on integers and on floats."""
    scalar = TensorType((), ty.dtype)
    return [
        lambda at: bounded(ty, op.add(at(ty), at(ty))),
        lambda at: bounded(ty, op.subtract(at(ty), at(scalar))),
        lambda at: bounded(ty, op.multiply(at(scalar), at(ty))),
        lambda at: op.maximum(at(ty), at(ty)),
        lambda at: op.minimum(at(ty), at(scalar)),
        lambda at: op.where(at(_like(ty, bool_)), at(ty), at(ty)),
        lambda at: op.zeros_like(at(ty)),
        lambda at: op.cast(at(_like(ty, bool_)), ty.dtype),
    ]


def _floats(ty: TensorType) -> list[Maker]:
    return [
        lambda at: op.tanh(at(ty)),
        lambda at: op.negative(at(ty)),
        lambda at: nn.relu(at(ty)),
        lambda at: op.sigmoid(at(ty)),
        lambda at: op.sqrt(op.abs(at(ty))),
        lambda at: op.floor(at(ty)),
        lambda at: op.exp(op.clip(at(ty), -4.0, 2.0)),
        lambda at: op.clip(at(ty), -0.5, 1.5),
        lambda at: op.cast(op.clip(at(_like(ty, int32)), -9.0, 9.0), ty.dtype),
    ]


def _integers(ty: TensorType) -> list[Maker]:
    return [
        lambda at: op.negative(at(ty)),
        lambda at: op.bitwise_and(at(ty), at(ty)),
        lambda at: op.cast(op.abs(op.clip(at(_like(ty, float32)), -9.0, 9.0)), ty.dtype),
    ]


def _shapes(ty: TensorType) -> list[Maker]:
    """Return the builders that move, join and reduce elements."""
    shape, element = ty.static_shape, ty.dtype
    wider = TensorType((*shape, 2), element)
    stacked = TensorType((3, *shape), element)
    flat = TensorType((prod(shape),), element)
    found: list[Maker] = [
        lambda at: op.take(at(stacked), at(TensorType((), int32)), axis=0),
        lambda at: op.take(at(stacked), _near(at(TensorType((), int32))), axis=0, mode="raise"),
        lambda at: op.reshape(at(flat), shape, allowzero=True),
        lambda at: op.broadcast_to(at(TensorType((), element)), shape),
    ]
    reduced: list[Maker] = [
        lambda at: bounded(ty, op.sum(at(wider), axis=-1)),
        lambda at: op.max(at(wider), axis=-1),
    ]
    found += [] if element is bool_ else reduced
    return found + (_with_axes(ty) if shape else [])


def _near(index: Expr) -> Expr:
    """Return an index within an axis of 3 elements, which no analysis can prove."""
    return op.clip(index, -3.0, 2.0)


def _with_axes(ty: TensorType) -> list[Maker]:
    shape, element = ty.static_shape, ty.dtype
    turned = TensorType(tuple(reversed(shape)), element)
    twice = TensorType((*shape[:-1], 2 * shape[-1]), element)
    first = TensorType((*shape[:-1], 1), element)
    rest = TensorType((*shape[:-1], shape[-1] - 1), element) if shape[-1] > 1 else None
    found: list[Maker] = [
        lambda at: op.transpose(at(turned)),
        lambda at: op.reverse(at(ty), axis=0),
        lambda at: TupleGetItem(op.split(at(twice), 2, axis=-1), 1),
        lambda at: op.strided_slice(at(twice), [0] * len(shape), list(shape)),
    ]
    if rest is not None:
        found.append(lambda at: op.concatenate(Tuple((at(first), at(rest))), axis=-1))
    if element.is_float:
        found.append(lambda at: nn.softmax(at(ty)))
    if element.is_float and len(shape) == 2:
        left, right = TensorType((shape[0], 2), element), TensorType((shape[1], 2), element)
        found.append(lambda at: bounded(ty, nn.dense(at(left), at(right), units=shape[1])))
    return found
