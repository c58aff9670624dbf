"""Compute "same" padding: an axis of size n has ceil(n / stride) windows."""

from relay.ir.dims import Dim


def padding_for_strides(size: Dim, reach: int, stride: int) -> tuple[int, int] | None:
    """Return the "same" padding before and after an axis; the odd element goes after.

    `size` is that of the axis, `reach` that of a window including dilation. The result is None if
    the padding depends on a dynamic size.

    >>> padding_for_strides(7, reach=3, stride=2), padding_for_strides(8, reach=3, stride=2)
    ((1, 1), (0, 1))
    """
    if stride == 1:
        total = reach - 1
    elif isinstance(size, int):
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
    else:
        return None
    return total // 2, total - total // 2
