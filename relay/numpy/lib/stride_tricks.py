"""`numpy.lib.stride_tricks`: windows of tensors."""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import Apart, axes_of, numpy_function
from relay.numpy.errors import mistake
from relay.numpy.shapes import moveaxis
from relay.numpy.unsupported_functions import refusals
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode


@numpy_function
def sliding_window_view(
    x: Apart, window_shape: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> Expr:
    """Return all windows of some axes: their positions in place of these axes, then the windows."""
    rank = x.tensor_type.rank
    sizes = _listed(window_shape)
    axes = tuple(range(rank)) if axis is None else _listed(axis)
    if len(sizes) != len(axes):
        what = f"sliding_window_view was called with {len(sizes)} window sizes for {len(axes)} axes"
        raise mistake(ErrorCode.F118, what, None, "pass one window size for each axis")
    places = [axes_of(each, rank)[0] for each in axes]  # the same axis may occur twice
    for place, size in zip(places, sizes, strict=True):
        found = core.sliding_window(moveaxis(x, place, -1), -1, (size,), (1,))
        x = moveaxis(found, -2, place)
    return x


def _listed(given: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(given) if isinstance(given, Sequence) else (given,)


__getattr__ = refusals(np.lib.stride_tricks)
