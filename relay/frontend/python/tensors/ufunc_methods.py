"""Methods of NumPy's ufuncs on tensors: `np.add.at`, `np.maximum.reduce`, `np.multiply.outer`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from relay.frontend.python.tensors import function_lookup
from relay.frontend.python.tensors.function_lookup import Path
from relay.frontend.python.tensors.item_assignment import combined
from relay.frontend.python.values.traced_values import expr_of, is_tensor
from relay.ir.expr import Expr

_COMBINED: Mapping[Any, str] = {
    np.add: "add",
    np.subtract: "add",  # of the negative value
    np.multiply: "mul",
    np.maximum: "max",
    np.minimum: "min",
}
"""The modes of `scatter_nd` that combine an element with all its updates."""

_REDUCED: Mapping[Any, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_ACCUMULATED: Mapping[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}


def call_method(
    trace: Any, ufunc: Any, method: str, inputs: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Return the result of a method of a ufunc; raises `F119` for one that is not supported."""
    match method:
        case "at" if ufunc in _COMBINED and is_tensor(inputs[0]) and len(inputs) == 3:
            return _update(trace, ufunc, *inputs)
        case "reduce" if ufunc in _REDUCED:
            return trace.calls.call(_REDUCED[ufunc], *inputs, **_with_first_axis(inputs, named))
        case "reduce" if ufunc is np.logaddexp:
            return _log_of_sum(trace, *inputs, **_with_first_axis(inputs, named))
        case "accumulate" if ufunc in _ACCUMULATED:
            return trace.calls.call(_ACCUMULATED[ufunc], *inputs, **_with_first_axis(inputs, named))
        case "outer" if len(inputs) == 2:
            return _outer(trace, ufunc, *inputs, **named)
        case _:
            path = Path(f"{ufunc.__name__}.{method}", is_relay=False)
            return function_lookup.find(path, trace.span)


def _with_first_axis(inputs: Sequence[Any], named: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options with the axis that these methods reduce by default, the first one."""
    return named if len(inputs) > 1 else {"axis": 0, **named}


def _update(trace: Any, ufunc: Any, whole: Any, key: Any, new: Any) -> None:
    """Combine elements of an array with values; an element may be updated several times."""
    value: Expr = trace.tensor(new)
    if ufunc is np.subtract:
        value = expr_of(trace.unary("neg", trace.python(value)))
    found = combined(expr_of(whole), trace.value(key), value, _COMBINED[ufunc], trace.span)
    trace.assign(whole, found)


def _outer(trace: Any, ufunc: Any, left: Any, right: Any, **named: Any) -> Any:
    """Return the results for all pairs of an element of `left` and one of `right`."""
    one, other = trace.tensor(left), trace.tensor(right)
    key = (Ellipsis, *[None] * other.tensor_type.rank)
    spread = trace.index(trace.python(one), key) if other.tensor_type.rank else trace.python(one)
    return trace.calls.call(ufunc, spread, trace.python(other), **named)


def _log_of_sum(trace: Any, x: Any, axis: Any = 0, *, keepdims: bool = False) -> Any:
    """Return the logarithm of the sum of exponentials, which subtracts the maximum first."""
    call, whole = trace.calls.call, trace.python(trace.tensor(x))
    peak = call(np.max, whole, axis=axis, keepdims=True)
    finite = call(np.where, call(np.isfinite, peak), peak, 0)
    total = call(np.sum, call(np.exp, call(np.subtract, whole, finite)), axis=axis, keepdims=True)
    found = call(np.add, call(np.log, total), finite)
    return found if keepdims else call(np.squeeze, found, axis=axis)
