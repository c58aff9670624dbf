"""Translate MXNet operators that read images between pixels: samplers, grids, resizing."""

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.operators_by_rank import TRANSPOSED
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add
from relay.ops.image.grid_sample import AffineGrid, GridSample
from relay.ops.image.resize import Resize2D
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.support.error_codes import ErrorCode


@mxnet_operator("BilinearSampler")
def bilinear_sampler(node: MxNode) -> Expr:
    """Translate `BilinearSampler`: read an image at the points of a grid, with zeros around it."""
    return Call(GridSample(), (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("GridGenerator")
def grid_generator(node: MxNode) -> Expr:
    """Translate `GridGenerator`: points from -1 to 1, of an affine map or moved by a flow."""
    if node.text("transform_type") == "affine":
        return _affine_grid(node, node.tensor())
    if node.text("transform_type") != "warp":
        raise node.wrong("transform_type")
    node.ignore("target_shape")
    flow = node.tensor()
    *_, height, width = flow.tensor_type.static_shape
    dtype = flow.tensor_type.dtype.numpy
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)))[None].astype(dtype)
    halves = np.array([(width - 1) / 2, (height - 1) / 2], dtype).reshape(1, 2, 1, 1)
    moved = rnp.divide(rnp.add(flow, pixels), halves)
    return rnp.subtract(moved, np.asarray(1, dtype))


def _affine_grid(node: MxNode, transform: Expr) -> Expr:
    shape = node.ints("target_shape")
    matrices = reshape(transform, (transform.tensor_type.shape[0], 2, 3))
    return Call(AffineGrid(target_shape=shape), (matrices,), span=node.span)


@mxnet_operator("SpatialTransformer")
def spatial_transformer(node: MxNode) -> Expr:
    """Translate `SpatialTransformer`: read an image at the points of an affine map."""
    for name, known in (("transform_type", "affine"), ("sampler_type", "bilinear")):
        if node.text(name) != known:
            raise node.wrong(name)
    grid = _affine_grid(node, node.tensor(1))
    return Call(GridSample(), (node.tensor(), grid), span=node.span)


@mxnet_operator("UpSampling")
def upsampling(node: MxNode) -> Expr:
    """Translate `UpSampling`: repeat the pixels, or interpolate by a transposed convolution.

    Of several images, all get the size of the first one; they are joined along channels, or added.
    """
    scale = node.integer("scale")
    node.ignore("num_filter", "multi_input_mode")
    match node.text("sample_type"):
        case "bilinear":
            return _interpolated(node, scale)
        case "nearest":
            height = node.type().static_shape[2] * scale
            images = [_repeated(x, height // x.tensor_type.static_shape[2]) for x in node.inputs]
        case _:
            raise node.wrong("sample_type")
    if node.text("multi_input_mode", "concat") == "sum":
        found = images[0]
        for each in images[1:]:
            found = add(found, each)
        return found
    return images[0] if len(images) == 1 else Call(Concatenate(1), (Tuple(tuple(images)),))


def _repeated(x: Expr, factor: int) -> Expr:
    for axis in (2, 3):
        x = Call(Repeat(factor, axis), (x,), span=x.span)
    return x


def _interpolated(node: MxNode, scale: int) -> Expr:
    channels = node.type().static_shape[1]
    pad = -(-(scale - 1) // 2)
    op = TRANSPOSED[2](strides=(scale, scale), padding=(pad,) * 4, groups=channels)
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@mxnet_operator("_contrib_BilinearResize2D")
def bilinear_resize(node: MxNode) -> Expr:
    """Translate `BilinearResize2D`: the size is an attribute, another image's, or computed."""
    x, mode = node.tensor(), node.text("mode", "size")
    node.ignore("height", "width", "scale_height", "scale_width")
    if mode == "like":
        size = node.type(1).shape[2:]
    else:
        size = tuple(_new_size(node, mode, axis) for axis in (0, 1))
    kind = "align_corners" if node.flag("align_corners", default=True) else "half_pixel"
    op = Resize2D(size=tuple(size), method="linear", coordinate_transformation_mode=kind,
                  rounding_method="")  # fmt: skip
    return Call(op, (x,), span=node.span)


def _new_size(node: MxNode, mode: str, axis: int) -> Dim:
    """Return the new height or width; raises `F032` if it depends on an unknown one."""
    name = ("height", "width")[axis]
    scale = node.number(f"scale_{name}", 0.0) if f"scale_{name}" in node else 0.0
    if mode == "size" and not scale:
        return node.integer(name, 1)
    old = node.type().shape[2 + axis]
    if not isinstance(old, int):
        problem = f"mode={mode} needs a {name} that is known at compile time, but found {old}"
        raise node.error(ErrorCode.F032, problem)
    odd = old % 2
    sizes = {
        "size": int(old * scale),
        "odd_scale": int((old - odd) * scale) + odd,
        "to_even_down": old - odd,
        "to_even_up": old + odd,
        "to_odd_down": old - 1 + odd,
        "to_odd_up": old + 1 - odd,
    }
    if mode not in sizes:
        raise node.wrong("mode")
    return sizes[mode]
