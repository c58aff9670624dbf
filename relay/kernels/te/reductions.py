"""Reductions over axes: sums, products, extreme values and their positions.

`where` restricts a reduction to some of the values of its axes. Padding is written as a sum over
the taps that are in bounds; this costs nothing, because the predicate becomes the bounds of a loop
or is resolved when the loop is split into its border and its interior.

>>> from relay.kernels import te
>>> x = te.placeholder((8,), "float32", "x")
>>> k = te.reduce_axis(3, "k")
>>> inside = lambda i: (i + k - 1 >= 0) & (i + k - 1 < 8)
>>> y = te.compute((8,), lambda i: te.sum(x[i + k - 1], k, where=inside(i)))
>>> y.reduce_axes == (k,)
True
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import ml_dtypes

from relay.kernels.scalar import Apply, Const, Fn, Scalar, cast, equal, lift, select
from relay.kernels.te.tensor import Axis, Combiner, Dim, Reduce, renamed
from relay.kernels.traverse_scalars import substitute
from relay.support.dtype import DType, Kind, bool_, int64

Axes: TypeAlias = Axis | Sequence[Axis]


def reduce_axis(extent: Dim, name: str = "k") -> Axis:
    """Return an axis to reduce over, with values from 0 to `extent - 1`."""
    return Axis(name, int64, extent)


def _reduce(combiner: Combiner, body: Scalar, axes: Axes, where: Scalar | None) -> Scalar:
    listed = (axes,) if isinstance(axes, Axis) else tuple(axes)
    predicate = Const(True, bool_) if where is None else where
    return Reduce(combiner, body, listed, predicate, body.dtype) if listed else body


def sum(body: Scalar, axes: Axes, where: Scalar | None = None) -> Scalar:  # noqa: A001 - NumPy's name
    """Return the sum over `axes`, where `where` holds; 0 if there are no elements."""
    return _reduce(Combiner.SUM, body, axes, where)


def prod(body: Scalar, axes: Axes, where: Scalar | None = None) -> Scalar:
    """Return the product over `axes`, where `where` holds; 1 if there are no elements."""
    return _reduce(Combiner.PROD, body, axes, where)


def min(body: Scalar, axes: Axes, where: Scalar | None = None) -> Scalar:  # noqa: A001 - NumPy's name
    """Return the smallest element over `axes`, NaN if one is NaN.

    If there are no elements, it is the largest value of the dtype.
    """
    return _reduce(Combiner.MIN, body, axes, where)


def max(body: Scalar, axes: Axes, where: Scalar | None = None) -> Scalar:  # noqa: A001 - NumPy's name
    """Return the largest element over `axes`, NaN if one is NaN.

    If there are no elements, it is the smallest value of the dtype.
    """
    return _reduce(Combiner.MAX, body, axes, where)


def all(body: Scalar, axes: Axes, where: Scalar | None = None) -> Scalar:  # noqa: A001 - NumPy's name
    """Return whether the bool `body` holds for all values of `axes`; true if there are none."""
    return _reduce(Combiner.ALL, body, axes, where)


def any(body: Scalar, axes: Axes, where: Scalar | None = None) -> Scalar:  # noqa: A001 - NumPy's name
    """Return whether the bool `body` holds for some value of `axes`; false if there are none."""
    return _reduce(Combiner.ANY, body, axes, where)


def argmax(body: Scalar, axes: Axes, *, last: bool = False, dtype: DType = int64) -> Scalar:
    """Return the position of the largest element: its row-major number over `axes`.

    Among equal elements the first is chosen, or the last if `last`; a NaN counts as largest.
    """
    return _position(Combiner.MAX, body, axes, last=last, dtype=dtype)


def argmin(body: Scalar, axes: Axes, *, last: bool = False, dtype: DType = int64) -> Scalar:
    """Return the position of the smallest element; see `argmax`. A NaN counts as smallest."""
    return _position(Combiner.MIN, body, axes, last=last, dtype=dtype)


def _position(combiner: Combiner, body: Scalar, axes: Axes, *, last: bool, dtype: DType) -> Scalar:
    """Return the position of an extreme value by two reductions: its value, then its position.

    Both are vectorised, unlike a single search that carries pairs of value and position.
    """
    listed = (axes,) if isinstance(axes, Axis) else tuple(axes)
    number: Scalar = Const(0)
    for axis in listed:
        number = number * axis.extent + axis
    extreme = _extreme(combiner, body, listed)
    found = equal(body, extreme)
    if body.dtype.is_float:
        found = found | Apply(Fn.ISNAN, (body,), bool_)
    none = Const(-1) if last else lift(_size(listed))
    choose = Combiner.MAX if last else Combiner.MIN
    place = select(found, cast(number, dtype), cast(none, dtype))
    return _reduce(choose, place, listed, None)


def _extreme(combiner: Combiner, body: Scalar, axes: Sequence[Axis]) -> Scalar:
    """Return a reduction over fresh axes, which may occur inside another reduction."""
    fresh = renamed(axes)
    moved = substitute(body, dict(zip(axes, fresh, strict=True)))
    return _reduce(combiner, moved, fresh, None)


def _size(axes: Sequence[Axis]) -> Scalar:
    size: Scalar = Const(1)
    for axis in axes:
        size = size * axis.extent
    return size


def identity(combiner: Combiner, dtype: DType) -> Const:
    """Return the identity element of a reduction, such as 0 for a sum."""
    match combiner:
        case Combiner.SUM:
            return Const(0.0 if dtype.is_float else 0, dtype)
        case Combiner.PROD:
            return Const(1.0 if dtype.is_float else 1, dtype)
        case Combiner.MIN:
            return Const(_limits(dtype)[1], dtype)
        case Combiner.MAX:
            return Const(_limits(dtype)[0], dtype)
        case Combiner.ALL:
            return Const(True, dtype)
        case Combiner.ANY:
            return Const(False, dtype)


def _limits(dtype: DType) -> tuple[int | float | bool, int | float | bool]:
    """Return the smallest and the largest value of a dtype."""
    match dtype.kind:
        case Kind.BOOL:
            return False, True
        case Kind.INT:
            return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1
        case Kind.UINT:
            return 0, 2**dtype.bits - 1
        case Kind.FLOAT | Kind.BFLOAT:
            return float("-inf"), float("inf")
        case _:  # floats of 8 bits and less: not all of them have infinities
            finfo: Any = ml_dtypes.finfo  # its annotation lacks these types
            return float(finfo(dtype.numpy).min), float(finfo(dtype.numpy).max)
