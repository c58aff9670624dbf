"""Translate PyTorch image resizing and grid sampling."""

from collections.abc import Mapping, Sequence
from math import floor

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.resizing_at_run_time import RunTimeResize
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr
from relay.ops.binary import multiply
from relay.ops.elementwise import Floor
from relay.ops.image.grid_sample import GridSample
from relay.ops.image.resize import Resize1D, Resize2D, Resize3D
from relay.ops.image.resize_base import Resize
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import float32, float64, int64
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
    """Translate nearest-neighbour resizing, which rounds positions down."""
    return _resized(node, _NEAREST[node.operator], "nearest_neighbor", "asymmetric", "floor")


@torch_operator(*_EXACT)
def nearest_exact(node: TorchNode) -> Expr:
    """Translate exact nearest-neighbour resizing, by pixel centres."""
    return _resized(node, _EXACT[node.operator], "nearest_neighbor", "half_pixel", "round")


@torch_operator(*_SMOOTH)
def smooth(node: TorchNode) -> Expr:
    """Translate linear and cubic interpolation."""
    rank, method = _SMOOTH[node.operator]
    mode = "align_corners" if node.flag("align_corners") else "half_pixel"
    return _resized(node, rank, method, mode, "")


_METHODS = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
"""The methods of sampling by PyTorch's numbers for them."""


@torch_operator("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
def grid_sampler(node: TorchNode) -> Expr:
    """Translate grid sampling: read an image at positions, the last axis of the grid."""
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
    used = None if mode == "align_corners" else scales
    old, has_size = x.tensor_type.shape[2:], node.value("output_size") is not None
    if node.is_run_time("output_size") or (ANY in old and not has_size):
        how = RunTimeResize(_MODES[method], mode, _ROUNDED[rounding])
        sizes = _sizes_at_run_time(node, x, scales or ())
        return _resized_at_run_time(x, how, sizes, used or (None,) * rank)
    size = node.dims("output_size") if has_size else _scaled(node, old, scales or ())
    op = _RESIZE[rank](
        size=size,
        method=method,
        coordinate_transformation_mode=mode,
        rounding_method=rounding,
        cubic_alpha=-0.75,
        scales=used,
    )
    return Call(op, (x,), span=node.span)


_MODES = {"nearest_neighbor": "nearest", "linear": "linear", "cubic": "cubic"}
_ROUNDED = {"": "", "floor": "floor", "round": "round_prefer_ceil"}
"""The methods and roundings of `Resize` under the names of `RunTimeResize`."""


def _sizes_at_run_time(node: TorchNode, x: Expr, scales: Sequence[float]) -> list[Expr]:
    """Return the sizes of the result as int64 scalars.

    They are arguments, or the old sizes times `scales`.
    """
    if node.value("output_size") is not None:
        given = node.sequence("output_size")
        return [
            converted(reshape(node.as_tensor(e, "each size in output_size"), ()), int64)
            for e in given
        ]
    old = [converted(size_of(x, axis), float64) for axis in range(2, x.tensor_type.rank)]
    new = [
        multiply(*each) for each in zip(old, (constant(s, float64) for s in scales), strict=True)
    ]
    return [converted(Call(Floor(), (each,)), int64) for each in new]


def _resized_at_run_time(
    x: Expr, how: RunTimeResize, sizes: Sequence[Expr], scales: Sequence[float | None]
) -> Expr:
    """Return images resized to sizes that are known only at run time."""
    for axis, (size, scale) in enumerate(zip(sizes, scales, strict=True), start=2):
        x = how.along(x, axis, size, None if scale is None else constant(scale, float32))
    return x


def _scales(node: TorchNode, rank: int) -> tuple[float, ...] | None:
    """Return the scale factors of a node, or None if it has none."""
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
            raise node.error(
                ErrorCode.F032,
                f"an axis that is scaled by {scale} needs a size that is known at compile time",
            )
    return tuple(found)
