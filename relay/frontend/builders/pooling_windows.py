"""The padding of pooling whose number of windows is rounded up, as PyTorch and ONNX do it."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Expr
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_base import AvgPool
from relay.support.node import replace


def rounded_up(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
) -> tuple[int, ...]:
    """Return the padding that gives as many windows as rounding up (`ceil_mode`) requires.

    It lists the elements before each axis, then those after. A last window that would begin after
    the data and the leading padding is dropped:

    >>> rounded_up((5,), (2,), (2,), (1,), (1, 1))
    (1, 0)
    >>> rounded_up((6,), (3,), (2,), (1,), (0, 0))
    (0, 1)
    """
    before, after = padding[: len(sizes)], list(padding[len(sizes) :])
    for i, size in enumerate(sizes):
        span = (kernel[i] - 1) * dilation[i] + 1
        room = size + before[i] + after[i] - span
        last = -(-room // strides[i])
        if last * strides[i] >= size + before[i]:
            last -= 1
        after[i] = max(0, last * strides[i] + span - size - before[i])
    return (*before, *after)


def rounded_up_for_any_size(
    kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int], padding: Sequence[int]
) -> tuple[int, ...]:
    """Return the padding that gives as many windows as `rounded_up` for data of any sizes.

    >>> rounded_up_for_any_size((3,), (2,), (1,), (0, 0))
    (0, 1)
    """
    before, after = padding[: len(kernel)], padding[len(kernel) :]
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    more = (
        max(min(stride, span - pad) - 1, 0)
        for stride, span, pad in zip(strides, spans, after, strict=True)
    )
    return (*before, *(pad + by for pad, by in zip(after, more, strict=True)))


def average_of_padded(op: AvgPool, x: Expr) -> tuple[AvgPool, Expr]:
    """Return an average that counts its padding, for data of any sizes, and its padded data.

    The padding becomes zeros in the data. The average ignores what is behind them: padding that
    rounding up adds, and that the caller adds to the operator.
    """
    rank, wider = len(op.pool_size), op.padding
    if op.ceil_mode:
        wider = rounded_up_for_any_size(op.pool_size, op.strides, op.dilation, op.padding)
    added = tuple(new - old for new, old in zip(wider, op.padding, strict=True))
    around = ((0, 0),) * (x.tensor_type.rank - rank) + op.pads
    data = Call(Pad(around), (x, constant(0, x.tensor_type.dtype)), span=x.span)
    mean = replace(op, padding=added, ceil_mode=False, count_include_pad=False)
    return mean, data if any(op.padding) else x
