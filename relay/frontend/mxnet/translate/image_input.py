"""Translate MXNet operators that prepare images for a network."""

import numpy as np

from relay import numpy as rnp
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr
from relay.ops.cast import Cast
from relay.support.dtype import float32


@mxnet_operator("_image_to_tensor")
def to_tensor(node: MxNode) -> Expr:
    """Translate `to_tensor`: integers `(…, H, W, C)` become floats `(…, C, H, W)` from 0 to 1."""
    x = Call(Cast(float32), (node.tensor(),), span=node.span)
    return rnp.divide(rnp.moveaxis(x, -1, -3), np.float32(255))


@mxnet_operator("_image_normalize")
def normalize(node: MxNode) -> Expr:
    """Translate `normalize`: subtract a mean from each channel, and divide by a deviation."""
    x = node.tensor()
    channels, dtype = x.tensor_type.static_shape[-3], x.tensor_type.dtype.numpy
    values = [node.numbers("mean", (0.0,)), node.numbers("std", (1.0,))]
    mean, deviation = (
        np.array(each * channels if len(each) == 1 else each[:channels], dtype).reshape(-1, 1, 1)
        for each in values
    )
    return rnp.divide(rnp.subtract(x, mean), deviation)


@mxnet_operator("_image_crop")
def crop(node: MxNode) -> Expr:
    """Translate `crop` of images `(…, H, W, C)`."""
    top, left = node.integer("y"), node.integer("x")
    rows = np.arange(top, top + node.integer("height"))
    columns = np.arange(left, left + node.integer("width"))
    return rnp.take(rnp.take(node.tensor(), rows, axis=-3), columns, axis=-2)


@mxnet_operator("_image_flip_left_right", "_image_flip_top_bottom")
def flip(node: MxNode) -> Expr:
    """Translate flips of images `(…, H, W, C)`."""
    return rnp.flip(node.tensor(), axis=-2 if node.op.endswith("left_right") else -3)
