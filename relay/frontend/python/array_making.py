"""NumPy's functions that make tensors, where something is known only when the program runs."""

from typing import Any

import numpy as np

from relay.frontend.python.tensor_arguments import Apart, Shape, shape_of
from relay.ir.expr import Constant, Expr
from relay.ops.functions import core
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype


def element_type(given: object, otherwise: DType) -> str:
    """Return the name of an element type; Python's `int` and `float` are the default ones."""
    if given is None:
        return str(otherwise)
    named: dict[object, str] = {int: "int32", float: "float32", bool: "bool"}
    wanted: Any = named.get(given, given)
    return str(to_dtype(wanted))


def array(object: Apart, dtype: object = None) -> Expr:
    """Return a new tensor of numbers, of a list of tensors, or like another one."""
    return core.copy(asarray(object, dtype))


def asarray(a: Apart, dtype: object = None) -> Expr:
    """Return a tensor, of another element type if one is given."""
    wanted = element_type(dtype, a.tensor_type.dtype)
    return a if str(a.tensor_type.dtype) == wanted else core.cast(a, wanted)


def ascontiguousarray(a: Apart, dtype: object = None) -> Expr:
    """Return a tensor: where its elements lie is not for programs to say."""
    return asarray(a, dtype)


def copy(a: Expr) -> Expr:
    """Return a tensor of its own."""
    return core.copy(a)


def empty(shape: Shape, dtype: object = float) -> Expr:
    """Return zeros: here, nothing is left as it was found in memory."""
    return zeros(shape, dtype)


def empty_like(prototype: Apart, dtype: object = None) -> Expr:
    """Return zeros like another tensor."""
    return zeros_like(prototype, dtype)


def full(shape: Shape, fill_value: Apart, dtype: object = None) -> Expr:
    """Return a tensor that repeats one number, or the elements of another tensor."""
    wanted = element_type(dtype, fill_value.tensor_type.dtype)
    if fill_value.tensor_type.rank:
        return core.broadcast_to(asarray(fill_value, wanted), shape_of(shape))
    return core.full(fill_value, shape_of(shape), wanted)


def full_like(a: Apart, fill_value: Apart, dtype: object = None) -> Expr:
    """Return a tensor like another one, that repeats one number."""
    wanted = element_type(dtype, a.tensor_type.dtype)
    return core.full(core.cast(fill_value, wanted), a.tensor_type.shape, wanted)


def linspace(start: Expr, stop: Expr, num: int = 50, endpoint: bool = True) -> Expr:
    """Return numbers at equal distances, from the first to the last or to before it."""
    steps = num - 1 if endpoint else num
    parts = Constant((np.arange(num) / max(steps, 1)).astype(np.float32))
    first, last = (core.cast(each, "float32") for each in (start, stop))
    return first + parts * (last - first)


def ones(shape: Shape, dtype: object = float) -> Expr:
    """Return a tensor of ones."""
    return core.ones(shape_of(shape), element_type(dtype, to_dtype("float32")))


def ones_like(a: Apart, dtype: object = None) -> Expr:
    """Return ones like another tensor."""
    return core.ones(a.tensor_type.shape, element_type(dtype, a.tensor_type.dtype))


def polyval(p: Expr, x: Expr) -> Expr:
    """Return the value of a polynomial, the coefficients of which begin at the highest power."""
    (count,) = p.tensor_type.static_shape
    found: Expr = core.zeros_like(x)
    for i in range(count):
        found = found * x + core.take(p, Constant(np.asarray(i, np.int32)), 0)
    return found


def zeros(shape: Shape, dtype: object = float) -> Expr:
    """Return a tensor of zeros."""
    return core.zeros(shape_of(shape), element_type(dtype, to_dtype("float32")))


def zeros_like(a: Apart, dtype: object = None) -> Expr:
    """Return zeros like another tensor."""
    return core.zeros(a.tensor_type.shape, element_type(dtype, a.tensor_type.dtype))
