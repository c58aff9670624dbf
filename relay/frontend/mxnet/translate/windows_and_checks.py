"""Translate MXNet's operators on windows of images, histograms, and checks of finite numbers."""

from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.window_indices import columns_of_images, images_of_columns
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.dims import is_static
from relay.ir.expr import Expr
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode


@mxnet_operator("im2col")
def columns(node: MxNode) -> Expr:
    """Translate `im2col`: the windows of images become columns."""
    x = node.tensor()
    if not is_static(x.tensor_type.shape[2:]):
        raise node.error(ErrorCode.F032, "the sizes of the images must be known")
    kernel, padding, dilation, stride = _window(node)
    return columns_of_images(x, kernel, padding, dilation, stride)


@mxnet_operator("col2im")
def images(node: MxNode) -> Expr:
    """Translate `col2im`: add each column to the window that it belongs to."""
    kernel, padding, dilation, stride = _window(node)
    frame = [(each, each) for each in padding]
    sizes = node.ints("output_size")
    return images_of_columns(node.tensor(), sizes, kernel, frame, dilation, stride)


def _window(node: MxNode) -> list[tuple[int, ...]]:
    """Return the kernel, padding, dilation and stride of windows."""
    kernel = node.ints("kernel")
    ones, zeros = (1,) * len(kernel), (0,) * len(kernel)
    padding = node.ints("pad", zeros) or zeros
    rest = (node.ints(name, ones) or ones for name in ("dilate", "stride"))
    return [kernel, padding, *rest]


@mxnet_operator("all_finite", "multi_all_finite")
def all_finite(node: MxNode) -> Expr:
    """Translate `all_finite`: 1 if all numbers of all inputs are finite, else 0; float32."""
    node.ignore("init_output", "num_arrays")
    parts = [core.all(core.isfinite(each)) for each in _inputs(node)]
    found = parts[0]
    for each in parts[1:]:
        found = core.logical_and(found, each)
    return core.expand_dims(core.cast(found, "float32"), 0)


@mxnet_operator("multi_sum_sq")
def sums_of_squares(node: MxNode) -> Expr:
    """Translate `multi_sum_sq`: the sum of squares of each input, in one vector."""
    node.ignore("num_arrays")
    sums = [core.sum(rnp.square(core.cast(each, "float32"))) for each in _inputs(node)]
    return core.stack(sums, 0)


@mxnet_operator("_histogram")
def histogram(node: MxNode) -> Sequence[Expr]:
    """Translate `histogram` with a number of bins and a range; edges belong to the upper bin."""
    if "bin_cnt" not in node:
        raise node.error(ErrorCode.F030, "only a number of bins with a range is supported")
    count, (low, high) = node.integer("bin_cnt"), node.numbers("range", ())
    edges = np.linspace(low, high, count + 1, dtype=np.float32)
    x = core.reshape(node.tensor(), (-1,))
    width = (high - low) / count
    places = core.floor(rnp.divide(rnp.subtract(x, float(low)), float(width)))
    last = rnp.where(rnp.equal(x, float(high)), float(count - 1), places)
    marks = rnp.equal(rnp.expand_dims(last, 0), np.arange(count, dtype=np.float32)[:, None])
    return [core.sum(core.cast(marks, "int64"), axis=1), rnp.asarray(edges)]


@mxnet_operator("_contrib_allclose")
def all_close(node: MxNode) -> Expr:
    """Translate `allclose`: 1 if all elements are near to those of another tensor, else 0."""
    x, y = _inputs(node)
    options = {
        name: node.number(name, default) for name, default in (("rtol", 1e-5), ("atol", 1e-8))
    }
    found = rnp.allclose(x, y, **options, equal_nan=node.flag("equal_nan", default=True))
    return core.cast(found, "uint8")


def _inputs(node: MxNode) -> list[Expr]:
    return [node.tensor(index) for index in range(len(node.inputs))]
