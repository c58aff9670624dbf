"""Functions of the module `relay` that build expressions of several operators."""

from collections.abc import Callable, Sequence

from relay.ir.dims import ANY
from relay.ir.expr import Array, Call, Expr, Tuple, operands
from relay.opdef.user_rules import register_op_attr
from relay.ops.annotation import Debug
from relay.ops.broadcasting import BroadcastTo
from relay.ops.creation import ZerosLike, number
from relay.ops.device_annotations import DeviceCopy
from relay.ops.functions.call_builders import call
from relay.ops.functions.device_names import device_name
from relay.ops.max_min_reductions import Max
from relay.ops.sum_and_mean_reductions import Mean, Sum, Variance
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.transcendental import Exp, Log, Sqrt
from relay.runtime.device import Device

Axes = int | Sequence[int] | None


def variance(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Call:
    """Return the variance: the mean squared distance from the mean, or from `with_mean`."""
    mean = _mean(data, axis, True, exclude) if with_mean is None else with_mean
    axes = {"axis": axis, "keepdims": keepdims, "exclude": exclude}
    return call(Variance, [data, mean], {**axes, "unbiased": unbiased})


def _mean(data: Expr, axis: Axes, keepdims: bool, exclude: bool) -> Call:
    return call(Mean, [data], {"axis": axis, "keepdims": keepdims, "exclude": exclude})


def std(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Call:
    """Return the standard deviation, the square root of the variance."""
    return Call(Sqrt(), (variance(data, axis, keepdims, exclude, unbiased),))


def mean_variance(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Tuple:
    """Return the pair of the mean and the variance."""
    kept = _mean(data, axis, True, exclude)
    mean = kept if keepdims else _mean(data, axis, False, exclude)
    return Tuple((mean, variance(data, axis, keepdims, exclude, unbiased, kept)))


def mean_std(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Tuple:
    """Return the pair of the mean and the standard deviation."""
    mean, spread = mean_variance(data, axis, keepdims, exclude).fields
    return Tuple((mean, Call(Sqrt(), (spread,))))


def logsumexp(data: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the logarithm of the sum of exponentials, computed without overflow."""
    largest = call(Max, [data], {"axis": axis, "keepdims": True})
    total = call(Sum, [Call(Exp(), (data - largest,))], {"axis": axis, "keepdims": True})
    kept = Call(Log(), (total,)) + largest
    if keepdims:
        return kept
    axes = range(data.tensor_type.rank) if axis is None else axis
    return call(Squeeze, [kept], {"axis": axes})


def debug(expr: Expr, debug_func: Callable[[Array], object] | str | None = None) -> Call:
    """Return the expression, with whose value the evaluator first calls a debugging function.

    A string names a function that `register_op_attr("debug", …)` registered; if it is None, no
    function is called. Compiled programs do not call it, and warn (`U328`).
    """
    name = debug_func if isinstance(debug_func, str) else ""
    if callable(debug_func):
        name = f"{getattr(debug_func, '__qualname__', 'debug_func')}_{id(debug_func)}"
        register_op_attr("debug", name, debug_func)
    return Call(Debug(name), operands((expr,)))


def device_copy(
    data: Expr, src_virtual_device: Device | str = "", dst_virtual_device: Device | str = ""
) -> Call:
    """Return a copy of `data` from one device to another: names of packages, "cpu", or devices.

    "" is the host. Raises `U068` for any device but the first of its kind.
    """
    source, target = (
        each if isinstance(each, str) and not each else device_name(each, "device_copy")
        for each in (src_virtual_device, dst_virtual_device)
    )
    return Call(DeviceCopy(source, target), operands((data,)))


def _segments(data: Expr, count: int | None) -> Expr:
    """Return `count` zero slices like those along the first axis of `data`."""
    first, *others = data.tensor_type.shape
    if ANY not in (count or first, *others):
        shape = (count or first, *others)
        return call(BroadcastTo, [number(0, data)], {"shape": shape})
    zeros = Call(ZerosLike(), (data,))
    if not count:
        return zeros
    return Call(Repeat(count, 0), (Call(Sum(axis=(0,), keepdims=True), (zeros,)),))


def segment_sum(data: Expr, segment_ids: Expr, num_segments: int | None = None) -> Call:
    """Return the sums of the slices along the first axis that have equal ids in `segment_ids`.

    The result has `num_segments` slices, by default as many as the data.
    """
    (data,) = operands((data,))
    zeros = _segments(data, num_segments)
    places = call(ExpandDims, [segment_ids], {"axis": 0})
    return Call(ScatterND("add"), (zeros, places, data))
