"""Arithmetic of sliding windows: their attributes, extent and number.

Convolutions and poolings share it. Sizes may be symbolic; the attributes are integers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from relay.ir.dims import Dim, add, floor_divide, multiply
from relay.ir.expr import Array
from relay.opdef.checks import attribute
from relay.opdef.dim_constraints import Relation, constrain
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


def integers(values: "int | Sequence[int]") -> tuple[int, ...]:
    """Return one integer or several as a tuple."""
    return tuple(map(int, values)) if isinstance(values, Sequence) else (int(values),)


def per_axis(
    operator: str, name: str, values: "int | Sequence[int]", count: int, *, lowest: int = 1
) -> tuple[int, ...]:
    """Return one integer for each of `count` axes; a single value applies to all (`T104`)."""
    full = integers(values)
    full = full * count if len(full) == 1 else full
    attribute(
        operator, len(full) == count, f"{name} must have 1 or {count} values, not {len(full)}"
    )
    attribute(
        operator, min(full) >= lowest, f"each value of {name} must be at least {lowest}, not {full}"
    )
    return full


def per_side(operator: str, values: "int | Sequence[int]", count: int) -> tuple[int, ...]:
    """Return the padding before each axis, then the padding after each (`T104`).

    One value applies to all sides, and `count` values to both sides of their axis.
    """
    full = integers(values)
    if len(full) == 1:
        full *= 2 * count
    elif len(full) == count:
        full *= 2
    attribute(
        operator, len(full) == 2 * count, f"padding must have 1, {count} or {2 * count} values"
    )
    return full


def reach(kernel: Dim, dilation: int) -> Dim:
    """Return the number of positions that a dilated window spans."""
    return add(multiply(add(kernel, -1), dilation), 1)


def count(
    operator: str, size: Dim, window: Dim, stride: int, padding: Dim, *, ceil_mode: bool = False
) -> Dim:
    """Return the number of windows in `size` positions with padding (`T105` if none fits)."""
    beyond = stride - 1 if ceil_mode else 0
    room = add(add(size, padding), add(multiply(window, -1), beyond))
    if isinstance(room, int) and room < 0:
        raise RelayTypeError(
            ErrorCode.T105,
            f"{operator}: the kernel of size {window} is larger than the padded input ({size} + "
            f"{padding})",
        )
    if not isinstance(room, int):
        kernel = window if isinstance(window, int) else "{index}"
        message = f"{operator}: the kernel of size {kernel} is larger than the padded input"
        least = add(window, -beyond)
        constrain(
            operator,
            add(size, padding),
            least,
            relation=Relation.AT_LEAST,
            message=f"{message} ({{size}})",
        )
    return add(floor_divide(room, stride), 1)


def last_position_reached(
    size: Dim, count: Dim, window: Dim, stride: int, before: int, after: int
) -> Dim:
    """Return the last position that any of `count` windows reaches, or an upper bound.

    If the number of windows is symbolic, it is the last position of the padding.
    """
    last = add(multiply(add(count, -1), stride), add(window, -1 - before))
    return last if isinstance(last, int) else add(size, after - 1)


def slide(
    array: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    counts: Sequence[int],
) -> Array:
    """Return a view of all windows on the last axes of a padded array.

    The result has the leading axes of `array`, then `counts`, then `kernel`.
    """
    rank = len(kernel)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    axes = tuple(range(-rank, 0))
    windows = sliding_window_view(array, spans, axes)
    steps = [slice(None, (n - 1) * s + 1, s) for n, s in zip(counts, strides, strict=True)]
    taps = [slice(None, None, d) for d in dilation]
    return windows[(..., *steps, *taps)]


def pad_spatial(
    array: Array,
    padding: Sequence[int],
    fill: float,
    kernel_reach: Sequence[int],
    strides: Sequence[int],
    counts: Sequence[int],
) -> Array:
    """Pad the last axes of an array so that exactly `counts` windows fit.

    `padding` begins with the padding before each axis; negative padding crops.
    """
    rank = len(kernel_reach)
    needed = [(n - 1) * s + r for n, s, r in zip(counts, strides, kernel_reach, strict=True)]
    sizes = array.shape[-rank:]
    before = padding[:rank]
    after = [max(0, n - s - b) for n, s, b in zip(needed, sizes, before, strict=True)]
    return widened(array, tuple(zip(before, after, strict=True)), fill)


def widened(array: Array, widths: Sequence[tuple[int, int]], fill: float = 0) -> Array:
    """Pad the last axes of an array before and after their elements, and then crop them.

    Negative widths crop, also what the other side of a short axis was padded with.
    """
    others = [(0, 0)] * (array.ndim - len(widths))
    around = [(max(low, 0), max(high, 0)) for low, high in widths]
    padded = np.pad(array, others + around, constant_values=fill)
    rows = zip(padded.shape[-len(widths) :], widths, strict=True)
    kept = [slice(max(-low, 0), max(size - max(-high, 0), 0)) for size, (low, high) in rows]
    return padded[(..., *kept)]
