"""Resize images `(N, H, W, C)` to static sizes with TensorFlow's semantics."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from relay.frontend.node_errors import static_sizes
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.binary import add, multiply
from relay.ops.image.resize import Resize2D
from relay.ops.tensor.gather import Take

_TABLE = 1024  # the steps between two elements for which TensorFlow stores weights


def resized_linear(x: Expr, size: Sequence[int], *, corners: bool, centres: bool) -> Expr:
    """Return float images resized by bilinear interpolation.

    `corners` selects the coordinate transformation `align_corners`; otherwise `centres` selects
    `half_pixel`. Without both it is `asymmetric`.
    """
    mode = "align_corners" if corners else "half_pixel" if centres else "asymmetric"
    op = Resize2D(tuple(size), layout="NHWC", coordinate_transformation_mode=mode)
    return Call(op, (x,), span=x.span)


def resized_nearest(x: Expr, size: Sequence[int], *, corners: bool, centres: bool) -> Expr:
    """Return images resized to nearest neighbours, whose positions are computed in float32."""
    for axis, wanted in zip((1, 2), size, strict=True):
        (old,) = static_sizes(x.tensor_type.shape[axis : axis + 1])
        scale = np.float32(old) / np.float32(wanted)
        if corners and wanted > 1:
            scale = np.float32(old - 1) / np.float32(wanted - 1)
        at = (np.arange(wanted, dtype=np.float32) + np.float32(0.5 if centres else 0)) * scale
        near = np.floor(at + np.float32(0.5)) if corners else np.floor(at)
        places = np.clip(near, 0, old - 1).astype(np.int64)
        x = Call(Take(axis=axis, mode="fast"), (x, Constant(places)))
    return x


def resized_cubic(x: Expr, size: Sequence[int], *, corners: bool, centres: bool) -> Expr:
    """Return float images resized by bicubic interpolation.

    As in TensorFlow, positions are rounded to 1/1024 of a pixel. With `centres` (half-pixel
    centres), the kernel is Keys's with a = -0.5, and pixels outside of the image have weight 0;
    otherwise a = -0.75, and the border is repeated.
    """
    for axis, wanted in zip((1, 2), size, strict=True):
        (old,) = static_sizes(x.tensor_type.shape[axis : axis + 1])
        scale = np.float32(old) / np.float32(wanted)
        if corners and wanted > 1:
            scale = np.float32(old - 1) / np.float32(wanted - 1)
        middle = np.float32(0.5 if centres else 0)
        at = (np.arange(wanted, dtype=np.float32) + middle) * scale - middle
        places = np.floor(at).astype(np.int64)[:, None] + np.arange(-1, 3)
        weights = _cubic_weights(at - np.floor(at), -0.5 if centres else -0.75)
        inside = np.clip(places, 0, old - 1)
        if centres:
            weights = np.where(inside == places, weights, 0)
            weights /= weights.sum(1, keepdims=True)
        x = _weighted(x, axis, inside, weights)
    return x


def _cubic_weights(fractions: Array, sharpness: float) -> Array:
    """Return the bicubic weights of the four neighbours of positions with these fractions."""
    offset = np.rint(fractions * _TABLE) / _TABLE
    far, near = (
        np.stack([1 + offset, 2 - offset], 1),
        np.stack([offset, 1 - offset], 1),
    )
    a = sharpness
    outer = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
    inner = ((a + 2) * near - (a + 3)) * near * near + 1
    return np.stack([outer[:, 0], inner[:, 0], inner[:, 1], outer[:, 1]], 1).astype(np.float32)


def _weighted(x: Expr, axis: int, places: Array, weights: Array) -> Expr:
    """Return weighted sums of elements along an axis; row i of `places` lists those of result i."""
    shape = [1] * x.tensor_type.rank
    shape[axis] = -1
    parts = [
        multiply(
            Call(Take(axis=axis, mode="fast"), (x, Constant(column))), Constant(row.reshape(shape))
        )
        for column, row in zip(places.T, weights.T, strict=True)
    ]
    return reduce(add, parts)
