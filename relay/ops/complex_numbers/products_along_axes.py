"""The rules of products along axes of complex tensors.

Along an axis of a known size, the halves of the axis are multiplied. A loop multiplies along other
axes: its steps keep the shape, and each of them doubles the number of factors of an element.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay.ir.types import FuncType, TupleType, scalar_type
from relay.opdef.complex_rules import ComplexTensor, Operand, complex_rule
from relay.ops.binary import add, subtract
from relay.ops.comparison import Less
from relay.ops.complex_numbers import arithmetic
from relay.ops.complex_numbers.elementwise_rules import converted
from relay.ops.complex_numbers.tensor_rules import each_part
from relay.ops.creation import OnesLike
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Prod, Sum
from relay.ops.tensor import concat_and_split, reshape
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import length, numbered
from relay.ops.tensor.scan import Cumprod
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import int64
from relay.support.node import replace


@complex_rule(Prod)
def _prod(op: Prod, x: ComplexTensor) -> Operand:
    """Return the products along each axis in turn."""
    rank = x.tensor_type.rank
    for axis in op.axes(rank):
        size = x.tensor_type.shape[axis]
        x = _product(x, axis, size) if isinstance(size, int) else _product_of_any(x, axis)
    if op.keepdims or not op.axes(rank):
        return x
    return cast("ComplexTensor", each_part(reshape.Squeeze(op.axes(rank)), x))


def _product(x: ComplexTensor, axis: int, size: int) -> ComplexTensor:
    """Return the product along an axis of a known size, which keeps size 1."""
    if size == 0:
        return _ones(x, axis)
    while size > 1:
        half = size // 2
        first, second = (_slice(x, axis, at, at + half) for at in (0, half))
        halves = arithmetic.product(first, second)
        if size % 2:
            last = _slice(x, axis, size - 1, size)
            halves = _concatenated([halves, last], axis)
        x, size = halves, half + size % 2
    return x


def _product_of_any(x: ComplexTensor, axis: int) -> ComplexTensor:
    """Return the product along an axis of an unknown size, with a factor 1 in front."""
    found = _running_products(_concatenated([_ones(x, axis), x], axis), axis)
    last = Call(reshape.Reshape((1,)), (length(x.real, axis),))
    return ComplexTensor(*(Call(Take(axis=axis), (part, last)) for part in found.parts))


@complex_rule(Cumprod)
def _cumprod(op: Cumprod, x: Expr | ComplexTensor) -> Operand:
    """Return products of ever more elements: a step doubles their number."""
    x = x if op.dtype is None else converted(x, op.dtype)
    if isinstance(x, Expr):
        return Call(replace(op, dtype=None), (x,))
    x = x if op.axis is not None else cast("ComplexTensor", each_part(reshape.Reshape((-1,)), x))
    axis = (op.axis or 0) % x.tensor_type.rank
    size = x.tensor_type.shape[axis]
    if not isinstance(size, int):
        one = Constant(np.asarray(1))
        return _running_products(_shifted(x, axis, one) if op.exclusive else x, axis)
    if op.exclusive and size:
        x = _concatenated([_ones(x, axis), _slice(x, axis, 0, size - 1)], axis)
    step = 1
    while step < size:
        products = arithmetic.product(_slice(x, axis, 0, size - step), _slice(x, axis, step, size))
        x, step = _concatenated([_slice(x, axis, 0, step), products], axis), 2 * step
    return x


def _running_products(x: ComplexTensor, axis: int) -> ComplexTensor:
    """Return the product of all elements up to each one along an axis, by a loop.

    It is `let f = fn(step, x) { if (step < size) { f(2 * step, x * shifted(x, step)) } else { x }
    }; f(1, x)`.
    """
    step, types = Var("step", scalar_type(int64)), tuple(part.tensor_type for part in x.parts)
    state = ComplexTensor(Var("real", types[0]), Var("imaginary", types[1]))
    result = TupleType(types)
    f = Var("f", FuncType((scalar_type(int64), *types), result))
    longer = arithmetic.product(state, _shifted(state, axis, step))
    following = Call(f, (add(step, step), *longer.parts))
    goes_on = Call(Less(), (step, length(state.real, axis)))
    body = If(goes_on, following, Tuple(state.parts))
    params = (step, *(part for part in state.parts if isinstance(part, Var)))
    whole = Let(f, Function(params, body, result), Call(f, (Constant(np.asarray(1)), *x.parts)))
    return ComplexTensor(TupleGetItem(whole, 0), TupleGetItem(whole, 1))


def _shifted(x: ComplexTensor, axis: int, step: Expr) -> ComplexTensor:
    """Return elements moved by `step` toward the end of an axis, with ones before them."""
    places = subtract(numbered(x.real, axis), step)
    is_new = Call(Less(), (places, Constant(np.asarray(0))))
    more = x.tensor_type.rank - axis - 1
    is_new = Call(reshape.ExpandDims(1, more), (is_new,)) if more else is_new
    moved = ComplexTensor(*(Call(Take(axis=axis, mode="clip"), (part, places)) for part in x.parts))
    new = arithmetic.of_real(Call(OnesLike(), (x.real,)))
    pairs = zip(new.parts, moved.parts, strict=True)
    return ComplexTensor(*(where(is_new, one, part) for one, part in pairs))


def _ones(x: ComplexTensor, axis: int) -> ComplexTensor:
    """Return ones of the shape of `x`, but with size 1 along an axis."""
    like = Call(Sum((axis,), keepdims=True), (x.real,))
    return arithmetic.of_real(Call(OnesLike(), (like,)))


def _concatenated(parts: Sequence[ComplexTensor], axis: int) -> ComplexTensor:
    return cast("ComplexTensor", each_part(concat_and_split.Concatenate(axis), tuple(parts)))


def _slice(x: ComplexTensor, axis: int, begin: int, end: int) -> ComplexTensor:
    return cast("ComplexTensor", each_part(StridedSlice((begin,), (end,), axes=(axis,)), x))
