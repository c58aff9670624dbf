"""Apply Python functions to parts of a tensor: to each vector along an axis, or piecewise."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Apart, Given, axes_of, known_shape, numpy_function
from relay.numpy.arithmetic import truth
from relay.numpy.shapes import reshaped
from relay.numpy.tensor_conversion import convert, tensor
from relay.ops.functions import core


@numpy_function
def apply_along_axis(
    func1d: Callable[..., object], axis: int, arr: Apart, *args: Any, **kwargs: Any
) -> Expr:
    """Return the results of a function for each vector along an axis; all sizes must be static."""
    (place,) = axes_of(axis, arr.tensor_type.rank)
    shape = known_shape(arr)
    outer = [size for at, size in enumerate(shape) if at != place]
    order = [at for at in range(len(shape)) if at != place]
    rows = reshaped(core.transpose(arr, (*order, place)), (-1, shape[place]))
    count = int(np.prod(outer))
    numbers = [Constant(np.asarray(i, np.int32)) for i in range(count)]
    found = [tensor(func1d(core.take(rows, i, 0), *args, **kwargs)) for i in numbers]
    whole = core.stack(found, 0)
    inner = whole.tensor_type.shape[1:]
    shaped = reshaped(whole, (*outer, *inner))
    if not inner:
        return shaped
    last = list(range(len(outer), len(outer) + len(inner)))
    return core.transpose(shaped, (*range(place), *last, *range(place, len(outer))))


@numpy_function
def piecewise(x: Expr, condlist: Given, funclist: Given, *args: Given) -> Expr:
    """Return for each element the value of the last function whose condition holds."""
    conditions = [truth(tensor(each)) for each in _conditions(condlist)]
    values = [_applied(each, x, args) for each in funclist]
    found = values[len(conditions)] if len(values) > len(conditions) else core.zeros_like(x)
    for condition, value in zip(conditions, values, strict=False):
        found = core.where(condition, value, found)
    return found


def _conditions(given: Any) -> Sequence[object]:
    return given if isinstance(given, list | tuple) else [given]  # pyright: ignore[reportUnknownVariableType] - of anything


def _applied(function: Any, x: Expr, args: Sequence[Any]) -> Expr:
    found = (
        function(x, *args) if callable(function) and not isinstance(function, Expr) else function
    )
    return convert(tensor(found), x.tensor_type.dtype)
