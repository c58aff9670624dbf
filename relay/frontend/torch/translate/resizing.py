"""Resizing of images."""

from collections.abc import Mapping, Sequence
from math import floor

from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr
from relay.ops.image.grid import GridSample
from relay.ops.image.resize import Resize1D, Resize2D, Resize3D
from relay.ops.image.resize_base import Resize
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode

_RESIZE: Mapping[int, type[Resize]] = {1: Resize1D, 2: Resize2D, 3: Resize3D}

_NEAREST = {"upsample_nearest1d": 1, "upsample_nearest2d": 2, "upsample_nearest3d": 3}
_EXACT = {f"_upsample_nearest_exact{rank}d": rank for rank in (1, 2, 3)}
_SMOOTH = {
    "upsample_linear1d": (1, "linear"),
    "upsample_bilinear2d": (2, "linear"),
    "upsample_trilinear3d": (3, "linear"),
    "upsample_bicubic2d": (2, "cubic"),
}


@torch_operator(*_NEAREST)
def nearest(node: TorchNode) -> Expr:
    """Take the element at or below the scaled position."""
    return _resized(node, _NEAREST[node.operator], "nearest_neighbor", "asymmetric", "floor")


@torch_operator(*_EXACT)
def nearest_exact(node: TorchNode) -> Expr:
    """Take the element whose centre is nearest."""
    return _resized(node, _EXACT[node.operator], "nearest_neighbor", "half_pixel", "round")


@torch_operator(*_SMOOTH)
def smooth(node: TorchNode) -> Expr:
    """Interpolate."""
    rank, method = _SMOOTH[node.operator]
    mode = "align_corners" if node.flag("align_corners") else "half_pixel"
    return _resized(node, rank, method, mode, "")


_METHODS = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
"""The methods of sampling by PyTorch's numbers for them."""


@torch_operator("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
def grid_sampler(node: TorchNode) -> Expr:
    """Read an image at the positions of a grid, whose last axis has the coordinates."""
    x, grid = node.tensor("input"), node.tensor("grid")
    rank = grid.tensor_type.rank
    op = GridSample(
        _METHODS[node.integer("interpolation_mode")],
        "NCHW" if rank == _GRID_2D else "NCDHW",
        _PADDINGS[node.integer("padding_mode")],
        node.flag("align_corners"),
    )
    first = Call(Transpose((0, rank - 1, *range(1, rank - 1))), (grid,))
    return Call(op, (x, first), span=node.span)


_GRID_2D = 4  # batch, height, width, coordinates


def _resized(node: TorchNode, rank: int, method: str, mode: str, rounding: str) -> Expr:
    x = node.tensor("input" if "input" in node else "self")
    scales = _scales(node, rank)
    node.ignore("output_size")
    if node.value("output_size") is not None:
        size = node.dims("output_size")
    else:
        size = _scaled(node, x.tensor_type.shape[2:], scales or ())
    used = None if mode == "align_corners" else scales
    op = _RESIZE[rank](
        size=size,
        method=method,
        coordinate_transformation_mode=mode,
        rounding_method=rounding,
        cubic_alpha=-0.75,
        scales=used,
    )
    return Call(op, (x,), span=node.span)


def _scales(node: TorchNode, rank: int) -> tuple[float, ...] | None:
    """Return the scale factors, if they are given."""
    names = ("scales",) if rank == 1 else ("scales_d", "scales_h", "scales_w")[3 - rank :]
    if "scale_factors" in node:
        return tuple(float(str(each)) for each in node.sequence("scale_factors"))
    given = [node.number(name) for name in names if name in node]
    return tuple(given) if len(given) == rank else None


def _scaled(node: TorchNode, sizes: Sequence[Dim], scales: Sequence[float]) -> tuple[Dim, ...]:
    found: list[Dim] = []
    for size, scale in zip(sizes, scales, strict=True):
        if isinstance(size, int):
            found.append(floor(size * scale))
        elif scale == int(scale):
            found.append(size * int(scale))
        else:
            raise node.error(ErrorCode.F032, f"scaling by {scale} needs a size that is known")
    return tuple(found)
