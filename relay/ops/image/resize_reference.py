"""The NumPy reference of resizing: the weights of each axis as a floating-point matrix."""

from typing import Protocol

import numpy as np

from relay.ir.expr import Array
from relay.ops.image.resize_coordinates import float32_source


class Attributes(Protocol):
    """The attributes of a resize operator that the matrices of weights depend on; see `Resize`."""

    @property
    def method(self) -> str:
        """Return the interpolation method."""
        ...

    @property
    def coordinate_transformation_mode(self) -> str:
        """Return the coordinate transformation mode."""
        ...

    @property
    def cubic_alpha(self) -> float:
        """Return the parameter of Keys' cubic convolution."""
        ...

    @property
    def cubic_exclude(self) -> int:
        """Return whether neighbours beyond the border have no weight (nonzero means yes)."""
        ...

    @property
    def rounding(self) -> str:
        """Return the rounding method of nearest neighbours."""
        ...

    def region(self, axis: int) -> tuple[float, float]:
        """Return the region of interest along one spatial axis."""
        ...

    def scale(self, axis: int) -> float | None:
        """Return the scale along one spatial axis; None if there is none."""
        ...


def interpolation_matrix(op: Attributes, axis: int, size: int, new: int) -> tuple[Array, Array]:
    """Return the matrix that resizes one axis from `size` to `new`.

    Also return which of its rows read inside the data.
    """
    positions = _positions(op, axis, size, new)
    outside = (positions < 0) | (positions > size - 1)
    exists = (
        ~outside if op.coordinate_transformation_mode == "tf_crop_and_resize" else outside | True
    )
    matrix = np.zeros((new, size))
    for row, position in enumerate(positions):
        for column, weight in _taps(op, float(position), size):
            matrix[row, min(max(column, 0), size - 1)] += weight
    return matrix, exists


def _positions(op: Attributes, axis: int, size: int, new: int) -> Array:
    x = np.arange(new, dtype=np.float64)
    s = size / new if op.scale(axis) is None else 1 / np.float64(op.scale(axis) or 1)
    begin, end = op.region(axis)
    match op.coordinate_transformation_mode:
        case "align_corners":
            found = x * (size - 1) / max(1, new - 1)
        case "asymmetric":
            found = x * s
        case "tf_half_pixel_for_nn":
            found = (x + 0.5) * s
        case "tf_crop_and_resize" if new > 1:
            found = begin * (size - 1) + x * (end - begin) * (size - 1) / (new - 1)
        case "tf_crop_and_resize":
            found = np.full(1, 0.5 * (begin + end) * (size - 1))
        case "pytorch_half_pixel" if new == 1:
            found = np.zeros(1)
        case "half_pixel_symmetric":
            found = (x + 0.5) * s - 0.5 + (size - new * s) / 2
        case _:
            found = (x + 0.5) * s - 0.5
    how = float32_source(op.coordinate_transformation_mode, new, op.scale(axis))
    if how is not None and op.method == "nearest_neighbor" and op.rounding in ("floor", "ceil"):
        before, scale, behind = map(np.float32, (how.before, how.scale, how.behind))
        return (x.astype(np.float32) + before) / scale - behind
    return np.round(found, 9)  # remove rounding errors from positions that are integers


def _taps(op: Attributes, position: float, size: int) -> list[tuple[int, float]]:
    below = int(np.floor(position))
    t = position - below
    if op.method == "nearest_neighbor":
        return [(_nearest(position, op.rounding), 1.0)]
    if op.method == "linear":
        return [(below, 1 - t), (below + 1, t)]
    taps = [(below + k, _keys(abs(t - k), op.cubic_alpha)) for k in (-1, 0, 1, 2)]
    if op.cubic_exclude:
        taps = [(column, weight) for column, weight in taps if 0 <= column < size]
        total = sum(weight for _, weight in taps)
        taps = [(column, weight / total) for column, weight in taps]
    return taps


def _nearest(position: float, rounding: str) -> int:
    match rounding:
        case "floor":
            return int(np.floor(position))
        case "ceil":
            return int(np.ceil(position))
        case "round_prefer_floor":
            return int(np.ceil(position - 0.5))
        case _:
            return int(np.floor(position + 0.5))


def _keys(distance: float, a: float) -> float:
    """Return the weight of a neighbour at a distance, by Keys' cubic convolution."""
    if distance <= 1:
        return (a + 2) * distance**3 - (a + 3) * distance**2 + 1
    return a * distance**3 - 5 * a * distance**2 + 8 * a * distance - 4 * a
