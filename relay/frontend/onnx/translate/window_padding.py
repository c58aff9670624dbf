"""The padding of convolution and pooling windows: explicit, or by `auto_pad`."""

from dataclasses import dataclass, replace

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.same_padded_windows import (
    PaddedWindows,
    explicitly_padded,
    same_padded,
)
from relay.frontend.builders.same_padding import padding_at_run_time
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.ir.dims import ANY, Dim, floor_divide, lower_bound, maximum
from relay.ir.expr import Expr
from relay.support.dtype import int64


@dataclass(frozen=True)
class Windows:
    """Windows over the last axes of data: their sizes, strides and dilations."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilation: tuple[int, ...]

    @property
    def reaches(self) -> tuple[int, ...]:
        """Return the number of positions that a window spans along each axis."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))


def auto_pad(node: OnnxNode) -> str:
    """Return how a node says its padding; `NOTSET` or empty if it lists the widths."""
    return node.choice("auto_pad", ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", ""), "NOTSET")


def explicit_padding(node: OnnxNode, count: int) -> tuple[int, ...] | None:
    """Return the padding of `count` axes before and after them; None for `SAME` padding."""
    auto = auto_pad(node)
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        return None
    none = [0] * (2 * count)
    explicit = node.attribute("pads", none)
    return tuple(none if auto == "VALID" else explicit)


def padded_windows(node: OnnxNode, x: Expr, windows: Windows, fill: float) -> PaddedWindows:
    """Return the windows of a node over `x`, with explicit padding or that of `auto_pad`.

    Padding that must be added to `x`, because its width is dynamic, has the value `fill`.
    """
    explicit, axes = explicit_padding(node, len(windows.kernel)), range(2, x.tensor_type.rank)
    if explicit is not None:
        found = explicitly_padded(x, axes, explicit, windows.reaches, windows.strides)
        return replace(found, span=node.span)
    is_lower = auto_pad(node) == "SAME_LOWER"
    found = same_padded(x, axes, windows.reaches, windows.strides, fill, odd_before=is_lower)
    return replace(found, span=node.span)


def small_axes(
    padded: PaddedWindows, windows: Windows, *, rounds_up: bool
) -> tuple[list[int], list[Dim | None]]:
    """Return how many elements may be missing for windows along each axis, and their number then.

    ONNX Runtime computes the number of windows as the number of steps, rounded toward zero, plus 1.
    If an axis is smaller than a window by less than one stride, there is one window; if by less
    than two strides, the result has size 0 along this axis. `rounds_up` means that the operator
    rounds the number of steps up, which gives one window, too.

    1. A static axis misses the elements that it has less than a window, and has one or no window.
    2. A dynamic axis may miss some elements; it has at least one window, or traps. With stride 1,
       it has no window if it misses one element.
    3. An axis that always has a window misses no elements, and its number of windows is None.
    """
    missing, counts, axes = list[int](), list[Dim | None](), len(windows.kernel)
    sizes = padded.data.tensor_type.shape[2:]
    rows = zip(sizes, windows.reaches, windows.strides, strict=True)
    for axis, (size, reach, stride) in enumerate(rows):
        wanted = reach - padded.padding[axis] - padded.padding[axes + axis]
        most = wanted - max(lower_bound(size) or 0, 1)
        least = stride if rounds_up else 1
        if isinstance(size, int) and least <= most < 2 * stride:
            row = most, int(most < stride)
        elif isinstance(size, int) or size is ANY or most < 1 or padded.is_padded:
            row = 0, None
        elif stride == 1:
            row = 1, size - wanted + 1
        elif rounds_up:
            row = 0, None
        else:
            row = min(most, stride - 1), maximum(floor_divide(size - wanted, stride) + 1, 1)
        missing.append(row[0])
        counts.append(row[1])
    return missing, counts


def widths_before(padded: PaddedWindows, windows: Windows) -> list[Expr]:
    """Return the width of the padding before each axis, as int64 scalars."""
    if not padded.is_padded:
        return [constant(each, int64) for each in padded.padding[: len(windows.kernel)]]
    rows = zip(windows.reaches, windows.strides, strict=True)
    return [
        padding_at_run_time(size_of(padded.unpadded, axis), *row)[int(padded.odd_before)]
        for axis, row in enumerate(rows, 2)
    ]
