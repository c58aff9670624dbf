"""Create tensors, some of whose sizes may be known only at run time."""

from collections.abc import Callable
from typing import Any

import numpy as np

from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Call, Constant, Expr, If, Tuple
from relay.ir.trap import failure
from relay.numpy.argument_conversion import Apart, Sizes, axes_of, known_shape, numpy_function
from relay.numpy.arithmetic import power
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import (
    Size,
    constant,
    convert,
    element_type,
    like,
    narrowed,
    places_along,
    sizes_of,
    tensor,
    together,
)
from relay.ops.functions import core
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.support.dtype import DType, float32, int32
from relay.support.error_codes import ErrorCode


@numpy_function
def array(object: Apart, dtype: Any = None, copy: bool | None = True) -> Expr:
    """Return a new tensor from numbers, from a list of tensors, or from another tensor."""
    found = asarray(object, dtype)
    return core.copy(found) if copy and not isinstance(found, Constant) else found


@numpy_function
def asarray(a: Apart, dtype: Any = None, copy: bool | None = None) -> Expr:
    """Return a tensor, converted if an element type is given."""
    found = convert(a, element_type(dtype, a.tensor_type.dtype))
    return core.copy(found) if copy else found


asanyarray = ascontiguousarray = asfortranarray = asarray


@numpy_function
def asarray_chkfinite(a: Apart, dtype: Any = None) -> Expr:
    """Return a tensor; traps if an element is NaN or infinite."""
    found = asarray(a, dtype)
    return checked(found, core.all(core.isfinite(found)), "array must not contain infs or NaNs")


def checked(x: Expr, condition: Expr, why: str) -> Expr:
    """Return a tensor if a condition holds; traps otherwise, where NumPy raises."""
    return If(condition, x, failure(x.type, f"ValueError: {why}"))


@numpy_function
def astype(x: Apart, dtype: Any, copy: bool = True) -> Expr:
    """Return a tensor of another element type; without `copy` it may be the same tensor."""
    return array(x, dtype, copy)


@numpy_function
def copy(a: Apart) -> Expr:
    """Return a copy of a tensor."""
    return core.copy(a)


# Filled


def known_sizes(shape: Sizes) -> tuple[Dim, ...] | None:
    """Return a shape of integers and symbolic sizes; None if the program computes a size."""
    found = [each.dim if isinstance(each, Size) else each for each in shape]
    dims = tuple(each for each in found if not isinstance(each, Expr))
    return dims if len(dims) == len(found) else None


def _filled_at_run_time(shape: Sizes, value: Expr) -> Expr:
    """Return a tensor filled with `value`, some of whose sizes the program computes."""
    exprs = [each.expr if isinstance(each, Size) else each for each in shape]
    numbers = [
        convert(x, int32) if isinstance(x, Expr) else constant(x, int32)
        for x in exprs
        if not isinstance(x, AnyDim)
    ]
    whole = Call(DynamicBroadcastTo(), (value, core.stack(Tuple(tuple(numbers)), 0)))
    codes = [each.dim if isinstance(each, Size) else each for each in shape]
    known = tuple(0 if isinstance(each, Expr) else each for each in codes)
    return whole if len(known) == known.count(0) else core.reshape(whole, known)


@numpy_function
def full(shape: Sizes, fill_value: Apart, dtype: Any = None) -> Expr:
    """Return a tensor filled with one number, or with the elements of another tensor."""
    value = convert(fill_value, element_type(dtype, fill_value.tensor_type.dtype))
    known = known_sizes(shape)
    if known is None:
        return _filled_at_run_time(shape, value)
    if value.tensor_type.rank:
        return core.broadcast_to(value, known)
    return core.full(value, known, value.tensor_type.dtype)


@numpy_function
def zeros(shape: Sizes, dtype: Any = float) -> Expr:
    """Return a tensor of zeros."""
    wanted, known = element_type(dtype, float32), known_sizes(shape)
    return (
        core.zeros(known, wanted)
        if known is not None
        else _filled_at_run_time(shape, constant(0, wanted))
    )


@numpy_function
def ones(shape: Sizes, dtype: Any = float) -> Expr:
    """Return a tensor of ones."""
    wanted, known = element_type(dtype, float32), known_sizes(shape)
    return (
        core.ones(known, wanted)
        if known is not None
        else _filled_at_run_time(shape, constant(1, wanted))
    )


@numpy_function
def empty(shape: Sizes, dtype: Any = float) -> Expr:
    """Return zeros; unlike NumPy's, the memory is always initialized."""
    return zeros(shape, dtype)


@numpy_function
def full_like(a: Apart, fill_value: Apart, dtype: Any = None) -> Expr:
    """Return a tensor like another one, filled with one number."""
    wanted = element_type(dtype, a.tensor_type.dtype)
    return full(sizes_of(a), convert(fill_value, wanted), wanted)


@numpy_function
def zeros_like(a: Apart, dtype: Any = None) -> Expr:
    """Return zeros like another tensor."""
    return zeros(sizes_of(a), element_type(dtype, a.tensor_type.dtype))


@numpy_function
def ones_like(a: Apart, dtype: Any = None) -> Expr:
    """Return ones like another tensor."""
    return ones(sizes_of(a), element_type(dtype, a.tensor_type.dtype))


@numpy_function
def empty_like(prototype: Apart, dtype: Any = None) -> Expr:
    """Return zeros like another tensor."""
    return zeros_like(prototype, dtype)


@numpy_function
def eye(N: Sizes, M: Sizes = (), k: int = 0, dtype: Any = float) -> Expr:  # noqa: N803
    """Return a matrix of zeros, with ones on its diagonal or `k` to the right of it."""
    cells = zeros((*N, *(M or N)), "int32")
    rows, columns = (places_along(cells, axis) for axis in (0, 1))
    moved = core.add(core.expand_dims(rows, 1), like(k, rows))
    found = core.equal(moved, core.expand_dims(columns, 0))
    return convert(found, element_type(dtype, float32))


@numpy_function
def identity(n: Sizes, dtype: Any = float) -> Expr:
    """Return a square matrix of zeros, with ones on its diagonal."""
    return eye(n, (), 0, dtype)


@numpy_function
def tri(N: Sizes, M: Sizes = (), k: int = 0, dtype: Any = float) -> Expr:  # noqa: N803
    """Return a matrix of ones at and below a diagonal, and zeros above it."""
    return core.trilu(ones((*N, *(M or N)), dtype), k, False)


# Ranges


def arange(start: object, stop: object = None, step: object = 1, dtype: object = None) -> Expr:
    """Return the numbers of a range; the size of the tensor may be symbolic or unknown."""
    first, last = (0, start) if stop is None else (start, stop)
    parts = [first, last, 1 if step is None else step]
    exprs = together(parts)
    pairs = zip(parts, exprs, strict=True)
    names = ("start", "stop", "step")
    ends = {name: _end(*pair) for name, pair in zip(names, pairs, strict=True)}
    if ends["step"] == 0:
        raise mistake(ErrorCode.F112, "the step of np.arange is 0", None, "use a step other than 0")
    found = Call(Arange.made(ends), tuple(exprs))
    return found if dtype is None else convert(found, element_type(dtype, float32))


def _end(given: object, expr: Expr) -> object:
    """Return the value of a range's end: a number or symbolic size.

    None if computed at run time.
    """
    if isinstance(expr, Constant):
        return expr.array.item()
    return given.dim if isinstance(given, Size) and not isinstance(given.dim, AnyDim) else None


@numpy_function
def linspace(
    start: Expr,
    stop: Expr,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`, which `endpoint` includes."""
    steps = num - 1 if endpoint else num
    own = start.tensor_type.dtype
    first, last = (convert(each, own if own.has_derivatives else float32) for each in (start, stop))
    distance = core.subtract(last, first)
    parts = (np.arange(num) / max(steps, 1)).astype(first.tensor_type.dtype.numpy)
    shaped = Constant(parts.reshape(-1, *[1] * max(first.tensor_type.rank, last.tensor_type.rank)))
    found = core.add(core.multiply(shaped, distance), first)
    if endpoint and num > 1:
        is_last = Constant((np.arange(num) == num - 1).reshape(shaped.array.shape))
        found = core.where(is_last, last, found)
    found = core.transpose(found, _first_to(axis, found)) if axis else found
    if dtype is not None:
        wanted = element_type(dtype, float32)
        found = convert(core.floor(found) if wanted.is_integer else found, wanted)
    if not retstep:
        return found
    return found, core.divide(distance, like(steps, distance))


def _first_to(axis: int, x: Expr) -> tuple[int, ...]:
    order = list(range(1, x.tensor_type.rank))
    order.insert(axes_of(axis, x.tensor_type.rank)[0], 0)
    return tuple(order)


@numpy_function
def logspace(
    start: Expr,
    stop: Expr,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
) -> Expr:
    """Return powers of a base with evenly spaced exponents."""
    found = power(base, linspace(start, stop, num, endpoint))
    return convert(found, element_type(dtype, found.tensor_type.dtype))


@numpy_function
def meshgrid(*xi: Apart, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> Any:
    """Return coordinate tensors for the grid that coordinate vectors span."""
    del copy
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = [1, 0]
    shapes = [[1] * len(xi) for _ in xi]
    for shape, axis in zip(shapes, order, strict=True):
        shape[axis] = -1
    found = [core.reshape(x, shape) for x, shape in zip(xi, shapes, strict=True)]
    if sparse:
        return tuple(found)
    whole = [found[order.index(axis)].tensor_type.shape[axis] for axis in range(len(xi))]
    return tuple(core.broadcast_to(each, whole) for each in found)


@numpy_function
def vander(x: Expr, N: int | None = None, increasing: bool = False) -> Expr:  # noqa: N803
    """Return the powers of the elements of a vector, one row for each element."""
    (size,) = known_shape(x)
    count = size if N is None else N
    exponents = range(count) if increasing else reversed(range(count))
    if not count:
        return zeros((size, 0), x.tensor_type.dtype)
    return core.stack([power(x, each) for each in exponents], 1)


@numpy_function
def fromfunction(function: Callable[..., object], shape: Sizes, *, dtype: Any = float) -> Expr:
    """Return the result of a function applied to arrays of the coordinates of each element."""
    cells = zeros(shape, dtype)
    rank = cells.tensor_type.rank
    places = [convert(places_along(cells, axis), cells.tensor_type.dtype) for axis in range(rank)]
    wide = [
        core.add(core.expand_dims(each, 1, rank - 1 - axis) if axis < rank - 1 else each, cells)
        for axis, each in enumerate(places)
    ]
    found = tensor(function(*wide))
    return found if found.tensor_type.rank else core.broadcast_to(found, known_sizes(shape))


# Functions that NumPy evaluates at build time


def _constant_function(name: str) -> Callable[..., Any]:
    """Return NumPy's function `name` of known arguments, whose result becomes a constant."""
    whole = getattr(np, name)

    @numpy_function
    def function(*args: Any, **named: Any) -> Any:
        return _constants(whole(*args, **_with_numpy_dtype(named)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return what NumPy's `{name}` gives for arguments that are known."
    return function


def _with_numpy_dtype(named: dict[str, Any]) -> dict[str, Any]:
    dtype = named.get("dtype")
    return {**named, "dtype": dtype.numpy} if isinstance(dtype, DType) else named


def _constants(found: Any) -> Any:
    if isinstance(found, tuple | list):
        return tuple(map(_constants, found))  # pyright: ignore[reportUnknownArgumentType] - of what NumPy gives
    return Constant(narrowed(np.asarray(found)))


bartlett, blackman, hamming, hanning, kaiser = map(
    _constant_function, ("bartlett", "blackman", "hamming", "hanning", "kaiser")
)
tril_indices, triu_indices, diag_indices, indices = map(
    _constant_function, ("tril_indices", "triu_indices", "diag_indices", "indices")
)
ix_, unravel_index, ravel_multi_index, geomspace = map(
    _constant_function, ("ix_", "unravel_index", "ravel_multi_index", "geomspace")
)
