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
from relay.ir.dims import lower_bound
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


def with_a_window(padded: PaddedWindows, windows: Windows, *, rounds_up: bool) -> PaddedWindows:
    """Return the windows, padded along axes that are smaller than a window by few elements.

    ONNX Runtime computes the number of windows as the number of steps, rounded toward zero, plus 1.
    If an axis is smaller than a window by less than one stride, there is one window; if by less
    than two strides, the result has size 0 along this axis.

    1. An axis of a static size is padded by the elements that are missing. `rounds_up` means that
       the operator itself rounds the number of windows up.
    2. An axis of a dynamic size and stride 1, which may be too small by one element, is padded by
       one. With longer strides, such an axis traps: the padding would depend on the size.
    """
    padding, spare = list(padded.padding), list[int]()
    count = len(windows.kernel)
    sizes = padded.data.tensor_type.shape[2:]
    rows = zip(sizes, windows.reaches, windows.strides, strict=True)
    for axis, (size, reach, stride) in enumerate(rows):
        wanted = reach - padding[axis] - padding[count + axis]
        if not isinstance(size, int):
            missing = int(stride == 1 and wanted > max(lower_bound(size) or 0, 1))
        else:
            missing = wanted - size
        if not 0 < missing < 2 * stride:
            continue
        if missing >= stride:
            spare.append(2 + axis)
        elif rounds_up:
            continue
        padding[count + axis] += missing
    return replace(padded, padding=tuple(padding), spare=tuple(spare))


def widths_before(padded: PaddedWindows, windows: Windows) -> list[Expr]:
    """Return the width of the padding before each axis, as int64 scalars."""
    if not padded.is_padded:
        return [constant(each, int64) for each in padded.padding[: len(windows.kernel)]]
    rows = zip(windows.reaches, windows.strides, strict=True)
    return [
        padding_at_run_time(size_of(padded.unpadded, axis), *row)[int(padded.odd_before)]
        for axis, row in enumerate(rows, 2)
    ]
