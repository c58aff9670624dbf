"""Translate TensorFlow's resizing by filters: each element is a weighted mean of its region."""

import numpy as np

from relay.frontend.builders.filter_resizing import FILTERS, filter_weights, weighted
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import is_static
from relay.ir.expr import Array, Expr
from relay.support.error_codes import ErrorCode


@tf_operator("ScaleAndTranslate")
def scale_and_translate(node: TfNode) -> Expr:
    """Translate `ScaleAndTranslate`: resize by a filter, as `tf.image.resize` with antialiasing."""
    how = FILTERS[node.text("kernel_type", "lanczos3")]
    smooths = "antialias" not in node or node.flag("antialias")
    scales, moves = node.constant(2, "the scales"), node.constant(3, "the translations")
    rows, columns = (
        filter_weights(how, *sizes, float(scale), float(move), smooths=smooths)
        for sizes, scale, move in zip(_sizes(node), scales, moves, strict=True)
    )
    return weighted(node.expr(0), rows, columns)


@tf_operator("ResizeArea")
def resize_area(node: TfNode) -> Expr:
    """Translate `ResizeArea`: the mean of the region that each element covers."""
    aligns = node.flag("align_corners")
    rows, columns = (_area_weights(*sizes, aligns=aligns) for sizes in _sizes(node))
    return weighted(node.expr(0), rows, columns)


def _area_weights(size: int, count: int, *, aligns: bool) -> Array:
    """Return the matrix of the shares that elements of an axis have in each region."""
    step = (size - 1) / (count - 1) if aligns and count > 1 else size / count
    begin = (np.arange(count) * step)[:, None]
    found = np.zeros((count, size))
    for tap in range(int(np.ceil(begin[-1, 0] + step))):  # the last element continues at the end
        share = np.minimum(tap + 1, begin + step) - np.maximum(tap, begin)
        found[:, min(tap, size - 1)] += np.maximum(share, 0)[:, 0]
    return found / step


def _sizes(node: TfNode) -> list[tuple[int, int]]:
    """Return the old and the new size of height and width; raises `F032` if unknown."""
    old = node.type(0).shape[1:3]
    if not is_static(old):
        problem = "the height and width of the images must be known at compile time"
        raise node.error(ErrorCode.F032, problem)
    return list(zip(static_sizes(old), node.ints(1, "the size"), strict=True))
