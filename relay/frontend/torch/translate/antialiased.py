"""Translate antialiased resizing of images: each element is a weighted mean of its region."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.node_errors import static_sizes
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.ir.dims import is_static
from relay.ir.expr import Array, Constant, Expr


def _triangle(x: Array) -> Array:
    return np.maximum(0.0, 1.0 - np.abs(x))


def _cubic(x: Array) -> Array:
    """Return the piecewise cubic filter of Keys, with the parameter -0.5."""
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


@dataclass(frozen=True)
class _Filter:
    """An interpolation filter: the weight by distance, which is 0 from `reach` on."""

    function: Callable[[Array], Array]
    reach: int


_FILTERS: Mapping[str, _Filter] = {
    "_upsample_bilinear2d_aa": _Filter(_triangle, 1),
    "_upsample_bicubic2d_aa": _Filter(_cubic, 2),
}


@torch_operator(*_FILTERS)
def antialiased(node: TorchNode) -> Expr:
    """Translate antialiased resizing to a product with a matrix of weights along each axis.

    Raises `F032` for sizes that are known only at run time.
    """
    x, how = node.tensor("input" if "input" in node else "self"), _FILTERS[node.operator]
    old, factors = x.tensor_type.shape[2:], _scale_factors(node)
    if not is_static(old):
        raise node.dynamic("the sizes of the image", *old)
    sizes = static_sizes(old)
    if "output_size" in node:
        new = node.ints("output_size")
    else:
        new = tuple(int(size * (by or 1.0)) for size, by in zip(sizes, factors, strict=True))
    steps = _pixel_distances(node, sizes, new, factors)
    rows, columns = (
        Constant(_weights(how, *each).astype(x.tensor_type.dtype.numpy))
        for each in zip(sizes, new, steps, strict=True)
    )
    wide = multiplied(x, Constant(columns.array.T))
    return multiplied(rows, wide)


def _scale_factors(node: TorchNode) -> list[float | None]:
    """Return the scale factors of height and width; None for one that the node does not set."""
    if "scale_factors" in node:
        return [float(str(each)) for each in node.sequence("scale_factors")]
    return [node.number(name) if name in node else None for name in ("scales_h", "scales_w")]


def _pixel_distances(
    node: TorchNode, old: tuple[int, ...], new: tuple[int, ...], factors: list[float | None]
) -> list[float]:
    """Return for each axis the distance of neighbours in the result, in pixels of the image."""
    found: list[float] = []
    ends = node.flag("align_corners")
    for size, count, factor in zip(old, new, factors, strict=True):
        if ends:
            found.append((size - 1) / (count - 1) if count > 1 else 0.0)
        else:
            found.append(1 / factor if factor else size / count)
    return found


def _weights(how: _Filter, size: int, count: int, step: float) -> Array:
    """Return the matrix that resizes an axis from `size` to `count`; the sum of each row is 1.

    Positions are rounded to float32, as in PyTorch.
    """
    single, half = np.float32, np.float32(0.5)
    distance = single(step)
    wide = max(distance, single(1))
    found = np.zeros((count, size), single)
    for row in range(count):
        centre = distance * (single(row) + half)
        begin = max(int(centre - how.reach * wide + half), 0)
        end = min(int(centre + how.reach * wide + half), size)
        places = np.arange(begin, end, dtype=single)
        weights = how.function((places - centre + half) * (single(1) / wide))
        found[row, begin:end] = weights / (weights.sum() or single(1))
    return found
