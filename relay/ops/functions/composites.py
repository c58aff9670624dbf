"""Functions of `relay` that have no operator of their own: they write several."""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr, Tuple
from relay.ops.broadcasting import BroadcastTo
from relay.ops.creation import number
from relay.ops.extremes import Max
from relay.ops.reduction import Mean, Sum, Variance
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.scatter import ScatterND
from relay.ops.transcendental import Exp, Log, Sqrt

Axes = int | Sequence[int] | None


def variance(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Call:
    """Return the mean squared distance from the mean, or from `with_mean` (axes kept)."""
    mean = Call(Mean(axis, True, exclude), (data,)) if with_mean is None else with_mean
    return Call(Variance(axis, keepdims, exclude, unbiased), (data, mean))


def std(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Call:
    """Return the standard deviation, the root of the variance."""
    return Call(Sqrt(), (variance(data, axis, keepdims, exclude, unbiased),))


def mean_variance(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Tuple:
    """Return the pair of the mean and the variance."""
    kept = Call(Mean(axis, True, exclude), (data,))
    mean = kept if keepdims else Call(Mean(axis, False, exclude), (data,))
    return Tuple((mean, variance(data, axis, keepdims, exclude, unbiased, kept)))


def mean_std(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Tuple:
    """Return the pair of the mean and the standard deviation."""
    mean, spread = mean_variance(data, axis, keepdims, exclude).fields
    return Tuple((mean, Call(Sqrt(), (spread,))))


def logsumexp(data: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the logarithm of the sum of exponentials, which does not overflow on the way."""
    largest = Call(Max(axis, True), (data,))
    total = Call(Sum(axis, True), (Call(Exp(), (data - largest,)),))
    kept = Call(Log(), (total,)) + largest
    if keepdims:
        return kept
    axes = range(data.tensor_type.rank) if axis is None else axis
    return Call(Squeeze(axes if isinstance(axes, int) else tuple(axes)), (kept,))


def segment_sum(data: Expr, segment_ids: Expr, num_segments: int | None = None) -> Call:
    """Return sums of the slices along the first axis that have the same number in `segment_ids`.

    There are `num_segments` of them, by default as many as slices.
    """
    ty = data.tensor_type
    shape = (num_segments or ty.shape[0], *ty.shape[1:])
    zeros = Call(BroadcastTo(shape), (number(0, data),))
    places = Call(ExpandDims(0), (segment_ids,))
    return Call(ScatterND("add"), (zeros, places, data))
