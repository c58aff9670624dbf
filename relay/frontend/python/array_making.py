"""NumPy's functions that make tensors, where something is known only when the program runs."""

from typing import Any

import numpy as np

from relay.frontend.python.operations import size
from relay.frontend.python.places import places_along
from relay.frontend.python.tensor_arguments import Apart, Sizes, known_shape
from relay.frontend.python.values import Size, Static
from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.functions import core
from relay.ops.tensor.dynamic import DynamicBroadcastTo
from relay.support.dtype import DType, float32
from relay.support.dtype import dtype as to_dtype


def element_type(given: object, otherwise: DType) -> str:
    """Return the name of an element type; Python's `int` and `float` are the default ones."""
    if given is None:
        return str(otherwise)
    named: dict[object, str] = {int: "int32", float: "float32", bool: "bool"}
    wanted: Any = named.get(given, given)
    return str(to_dtype(wanted))


def array(object: Apart, dtype: object = None, copy: bool | None = True) -> Expr:
    """Return a new tensor of numbers, of a list of tensors, or like another one."""
    found = asarray(object, dtype)
    return core.copy(found) if copy else found


def astype(x: Expr, dtype: object, copy: bool = True) -> Expr:
    """Return a tensor of another element type; without `copy` it may be the same one."""
    return array(x, dtype, copy)


def asarray(a: Apart, dtype: object = None, copy: bool | None = None) -> Expr:
    """Return a tensor, of another element type if one is given."""
    if copy:
        return array(a, dtype)
    wanted = element_type(dtype, a.tensor_type.dtype)
    return a if str(a.tensor_type.dtype) == wanted else core.cast(a, wanted)


def ascontiguousarray(a: Apart, dtype: object = None) -> Expr:
    """Return a tensor: where its elements lie is not for programs to say."""
    return asarray(a, dtype)


def copy(a: Expr) -> Expr:
    """Return a tensor of its own."""
    return core.copy(a)


def empty(shape: Sizes, dtype: object = float) -> Expr:
    """Return zeros: here, nothing is left as it was found in memory."""
    return zeros(shape, dtype)


def empty_like(prototype: Apart, dtype: object = None) -> Expr:
    """Return zeros like another tensor."""
    return zeros_like(prototype, dtype)


def eye(N: Sizes, M: Sizes = (), k: int = 0, dtype: object = float) -> Expr:  # noqa: N803
    """Return a matrix of zeros, with ones on its diagonal or `k` to the right of it."""
    cells = zeros((*N, *(M or N)), "int32")
    rows, columns = (places_along(cells, axis, None) for axis in (0, 1))
    found = core.equal(core.expand_dims(rows, 1) + k, core.expand_dims(columns, 0))
    return core.cast(found, element_type(dtype, float32))


def identity(n: Sizes, dtype: object = float) -> Expr:
    """Return a square matrix of zeros, with ones on its diagonal."""
    return eye(n, (), 0, dtype)


def full(shape: Sizes, fill_value: Apart, dtype: object = None) -> Expr:
    """Return a tensor that repeats one number, or the elements of another tensor."""
    wanted = element_type(dtype, fill_value.tensor_type.dtype)
    known = known_sizes(shape)
    if known is None:
        return _sized(shape, asarray(fill_value, wanted))
    if fill_value.tensor_type.rank:
        return core.broadcast_to(asarray(fill_value, wanted), known)
    return core.full(fill_value, known, wanted)


def sizes_of(a: Expr) -> Sizes:
    """Return the shape of a tensor; what is known only at run time is asked for there."""
    return [_size(a, axis) for axis in range(a.tensor_type.rank)]


def _size(a: Expr, axis: int) -> Dim | Size | Expr:
    found = size(a, axis, None)
    if isinstance(found, Static):
        return a.tensor_type.shape[axis]
    return found.expr if isinstance(found.dim, AnyDim) else found


def known_sizes(shape: Sizes) -> tuple[Dim, ...] | None:
    """Return a shape of numbers and sizes of the program; None if it computes some."""
    known = [each.dim if isinstance(each, Size) else each for each in shape]
    dims = tuple(each for each in known if not isinstance(each, Expr))
    return dims if len(dims) == len(known) else None


def _number(value: Dim, dtype: str) -> Expr:
    assert isinstance(value, int), "sizes with names have expressions, too"
    return Constant(np.asarray(value, to_dtype(dtype).numpy))


def _sized(shape: Sizes, value: Expr) -> Expr:
    """Return a tensor, some sizes of which the program computes; the others stay known."""
    sizes = [each.expr if isinstance(each, Size) else each for each in shape]
    numbers = [core.cast(x, "int32") if isinstance(x, Expr) else _number(x, "int32") for x in sizes]
    whole = Call(DynamicBroadcastTo(), (value, core.stack(Tuple(tuple(numbers)), 0)))
    codes = [each.dim if isinstance(each, Size) else each for each in shape]
    known = tuple(0 if isinstance(each, Expr) else each for each in codes)
    return whole if len(known) == known.count(0) else core.reshape(whole, known)


def full_like(a: Apart, fill_value: Apart, dtype: object = None) -> Expr:
    """Return a tensor like another one, that repeats one number."""
    wanted = element_type(dtype, a.tensor_type.dtype)
    return full(sizes_of(a), core.cast(fill_value, wanted), wanted)


def linspace(start: Expr, stop: Expr, num: int = 50, endpoint: bool = True) -> Expr:
    """Return numbers at equal distances, from the first to the last or to before it."""
    steps = num - 1 if endpoint else num
    parts = Constant((np.arange(num) / max(steps, 1)).astype(np.float32))
    first, last = (core.cast(each, "float32") for each in (start, stop))
    return first + parts * (last - first)


def ones(shape: Sizes, dtype: object = float) -> Expr:
    """Return a tensor of ones."""
    wanted, known = element_type(dtype, float32), known_sizes(shape)
    return core.ones(known, wanted) if known is not None else _sized(shape, _number(1, wanted))


def ones_like(a: Apart, dtype: object = None) -> Expr:
    """Return ones like another tensor."""
    return ones(sizes_of(a), element_type(dtype, a.tensor_type.dtype))


def polyval(p: Expr, x: Expr) -> Expr:
    """Return the value of a polynomial, the coefficients of which begin at the highest power."""
    (count,) = known_shape(p)
    found: Expr = core.zeros_like(x)
    for i in range(count):
        found = found * x + core.take(p, Constant(np.asarray(i, np.int32)), 0)
    return found


def zeros(shape: Sizes, dtype: object = float) -> Expr:
    """Return a tensor of zeros."""
    wanted, known = element_type(dtype, float32), known_sizes(shape)
    return core.zeros(known, wanted) if known is not None else _sized(shape, _number(0, wanted))


def zeros_like(a: Apart, dtype: object = None) -> Expr:
    """Return zeros like another tensor."""
    return zeros(sizes_of(a), element_type(dtype, a.tensor_type.dtype))
