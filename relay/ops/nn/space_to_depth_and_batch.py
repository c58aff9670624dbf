"""Operators that move elements between axes: flatten, depth to space, space to batch.

They decompose into reshape, transpose, pad and slice, which are fused with adjacent operators.
"""

from collections.abc import Sequence
from itertools import product as combinations

import numpy as np

from relay.ir.dims import Dim, add, floor_divide, multiply, product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.creation import number
from relay.ops.nn.pad import Pad, Widths, width_pairs
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.node import set_field, value


def _regrouped(x: Expr, split: Sequence[Dim], order: Sequence[int], merged: Sequence[Dim]) -> Expr:
    """Return `x` reshaped to `split`, permuted by `order`, and reshaped to `merged`."""
    axes = Call(Reshape(tuple(split), allowzero=True), (x,))
    moved = Call(Transpose(tuple(order)), (axes,))
    return Call(Reshape(tuple(merged), allowzero=True), (moved,))


@operator("nn.batch_flatten")
class BatchFlatten(OperatorDef):
    """Merge all axes after the first into one. Takes any element type, of rank 1 or more."""

    precision = Precision.FOLLOW
    examples = (Example("f32[2, 3, 4]"), Example("i32[3]"), Example("f32[0, 2, 3]"))

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the resulting matrix."""
        checks.attribute(self.name, data.rank > 0, "data must not be a scalar")
        return TensorType((data.shape[0], product(data.shape[1:])), data.dtype)

    def decompose(self, data: Expr) -> Expr:
        """Return the equivalent reshape."""
        shape = self.infer(data.tensor_type).shape
        return Call(Reshape(shape, allowzero=True), (data,))

    def reference(self, data: Array) -> Array:
        """Return the result of NumPy's `reshape`."""
        return data.reshape(data.shape[0], int(np.prod(data.shape[1:])))


@value
class PixelShuffle(OperatorDef):
    """The base of `depth_to_space` and `space_to_depth`.

    Channels are ordered with the position in the block first (`DCR`) or last (`CRD`). TVM's Relay
    calls the former an empty string and the latter `CDR`.
    """

    block_size: int = 1
    layout: str = "NCHW"
    mode: str = "DCR"

    def __post_init__(self) -> None:
        set_field(self, "block_size", int(self.block_size))
        checks.attribute(self.name, self.block_size > 0, "block_size must be positive")
        checks.attribute(
            self.name,
            self.layout in ("NCHW", "NHWC"),
            f"layout must be NCHW or NHWC, not {self.layout}",
        )
        set_field(self, "mode", {"CDR": "CRD", "": "DCR"}.get(self.mode, self.mode))
        help_ = "set mode to 'DCR' or 'CRD' ('CDR' in TVM)"
        is_known = self.mode in ("DCR", "CRD")
        checks.attribute(self.name, is_known, f"mode cannot be '{self.mode}'", help_)

    def plain(self, data: TensorType) -> list[Dim]:
        """Return the sizes of the data in the order N, C, H, W."""
        checks.rank(self.name, "data", data, 4)
        return [data.shape[axis] for axis in self.order]

    @property
    def order(self) -> tuple[int, ...]:
        """Return the positions of N, C, H and W in the layout."""
        return (0, 1, 2, 3) if self.layout == "NCHW" else (0, 3, 1, 2)

    def arranged(self, sizes: Sequence[Dim]) -> tuple[Dim, ...]:
        """Return sizes in the order N, C, H, W, permuted to the order of the layout."""
        return tuple(sizes[self.order.index(axis)] for axis in range(4))

    def divided(self, what: str, size: Dim, by: int) -> Dim:
        """Return `size // by`; raises `T105`, naming `what`, if the division is not exact."""
        if by:
            checks.divides(self.name, size, by, f"the {what}, {size}, must be a multiple of {by}")
        return floor_divide(size, by)


@operator("nn.depth_to_space")
class DepthToSpace(PixelShuffle):
    """Move blocks of channels into space: `(N, C · b², H, W)` to `(N, C, H · b, W · b)`."""

    precision = Precision.FOLLOW
    examples = (
        Example("f32[1, 8, 2, 3]", block_size=2),
        Example("f32[1, 8, 2, 3]", block_size=2, mode="CRD"),
        Example("f32[2, 2, 3, 9]", block_size=3, layout="NHWC"),
        Example("f32[1, 2, 3, 8]", block_size=2, layout="NHWC", mode="CRD"),
    )

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result."""
        n, c, h, w = self.plain(data)
        b = self.block_size
        sizes = (n, self.divided("number of channels", c, b * b), multiply(h, b), multiply(w, b))
        return TensorType(self.arranged(sizes), data.dtype)

    def decompose(self, data: Expr) -> Expr:
        """Return an expression that moves parts of the channels into the spatial axes."""
        ty = data.tensor_type
        n, c, h, w = self.plain(ty)
        b, first = self.block_size, self.mode == "DCR"
        rest = floor_divide(c, b * b)
        channels = (b, b, rest) if first else (rest, b, b)
        if self.layout == "NCHW":
            split, order = (n, *channels, h, w), (0, 3, 4, 1, 5, 2) if first else (0, 1, 4, 2, 5, 3)
        else:
            split, order = (n, h, w, *channels), (0, 1, 3, 2, 4, 5) if first else (0, 1, 4, 2, 5, 3)
        return _regrouped(data, split, order, self.infer(ty).shape)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, which assigns each part of the channels to its positions."""
        x, b = data.transpose(self.order), self.block_size
        n, c, h, w = x.shape
        rest = c // (b * b)
        result = np.empty((n, rest, h * b, w * b), data.dtype)
        for row, column in combinations(range(b), range(b)):
            k = row * b + column
            part = x[:, k * rest : (k + 1) * rest] if self.mode == "DCR" else x[:, k :: b * b]
            result[:, :, row::b, column::b] = part
        return result.transpose(np.argsort(self.order))


@operator("nn.space_to_depth")
class SpaceToDepth(PixelShuffle):
    """Move blocks of space into channels: `(N, C, H · b, W · b)` to `(N, C · b², H, W)`."""

    examples = (
        Example("f32[1, 2, 4, 6]", block_size=2),
        Example("f32[1, 2, 4, 6]", block_size=2, mode="CRD"),
        Example("f32[1, 6, 3, 2]", block_size=3, layout="NHWC"),
    )

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result."""
        n, c, h, w = self.plain(data)
        b = self.block_size
        height, width = self.divided("height", h, b), self.divided("width", w, b)
        return TensorType(self.arranged((n, multiply(c, b * b), height, width)), data.dtype)

    def decompose(self, data: Expr) -> Expr:
        """Return an expression that moves blocks of the spatial axes into the channels."""
        ty = data.tensor_type
        n, c, h, w = self.plain(ty)
        b, first = self.block_size, self.mode == "DCR"
        height, width = floor_divide(h, b), floor_divide(w, b)
        if self.layout == "NCHW":
            split = (n, c, height, b, width, b)
            order = (0, 3, 5, 1, 2, 4) if first else (0, 1, 3, 5, 2, 4)
        else:
            split = (n, height, b, width, b, c)
            order = (0, 1, 3, 2, 4, 5) if first else (0, 1, 3, 5, 2, 4)
        return _regrouped(data, split, order, self.infer(ty).shape)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, which stacks the elements at each position of the blocks."""
        x, b = data.transpose(self.order), self.block_size
        parts = [x[:, :, row::b, column::b] for row, column in combinations(range(b), range(b))]
        stacked = np.stack(parts, axis=1 if self.mode == "DCR" else 2)
        n, _, _, h, w = stacked.shape
        return stacked.reshape(n, x.shape[1] * b * b, h, w).transpose(np.argsort(self.order))


@operator("nn.space_to_batch_nd")
class SpaceToBatchND(OperatorDef):
    """Pad the axes after the first by `paddings`, then move blocks of them into the batch axis."""

    block_shape: tuple[int, ...] = (1, 1)
    paddings: tuple[tuple[int, int], ...] = ((0, 0), (0, 0))
    pad_value: float = 0.0

    examples = (
        Example("f32[1, 4, 6, 2]", block_shape=(2, 3), paddings=((0, 0), (1, 2))),
        Example("f32[2, 3]", block_shape=(2,), paddings=((1, 0),), pad_value=0.5),
    )

    def __post_init__(self) -> None:
        set_field(self, "block_shape", _blocks(self.name, self.block_shape))
        set_field(self, "paddings", width_pairs(self.name, self.paddings))
        set_field(self, "pad_value", float(self.pad_value))
        fits = len(self.paddings) == len(self.block_shape)
        checks.attribute(self.name, fits, "block_shape and paddings must have the same length")
        _not_negative(self.name, "paddings", self.paddings)

    def _padded(self, data: TensorType) -> list[Dim]:
        said = f"data must have more than {len(self.block_shape)} axes, not {data.rank}"
        checks.attribute(self.name, data.rank > len(self.block_shape), said)
        spatial = zip(data.shape[1:], self.paddings, strict=False)
        return [add(size, before + after) for size, (before, after) in spatial]

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result; blocks must divide the padded axes (`T105`)."""
        padded = self._padded(data)
        for size, block in zip(padded, self.block_shape, strict=True):
            said = f"the padded size {size} must be a multiple of the block size {block}"
            checks.divides(self.name, size, block, said)
        rest = data.shape[1 + len(padded) :]
        spatial = [floor_divide(n, b) for n, b in zip(padded, self.block_shape, strict=True)]
        return TensorType(
            (product((data.shape[0], *self.block_shape)), *spatial, *rest), data.dtype
        )

    def decompose(self, data: Expr) -> Expr:
        """Return an expression that pads, and moves the positions in blocks into the batch axis."""
        ty, count = data.tensor_type, len(self.block_shape)
        rest = ty.shape[1 + count :]
        widths = ((0, 0), *self.paddings, *(((0, 0),) * len(rest)))
        padded = Call(Pad(widths), (data, number(self.pad_value, data)))
        split: list[Dim] = [ty.shape[0]]
        for size, block in zip(self._padded(ty), self.block_shape, strict=True):
            split += [floor_divide(size, block), block]
        order = [2 * n + 2 for n in range(count)] + [0] + [2 * n + 1 for n in range(count)]
        order += range(1 + 2 * count, 1 + 2 * count + len(rest))
        return _regrouped(padded, [*split, *rest], order, self.infer(ty).shape)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, a concatenation of strided slices of the padded data."""
        widths = ((0, 0), *self.paddings, *(((0, 0),) * (data.ndim - 1 - len(self.paddings))))
        padded = np.pad(data, widths, constant_values=self.pad_value)
        offsets = combinations(*map(range, self.block_shape))
        return np.concatenate([padded[_every(at, self.block_shape)] for at in offsets])


@operator("nn.batch_to_space_nd")
class BatchToSpaceND(OperatorDef):
    """Move blocks from the batch axis into the axes after it, then crop these.

    Takes any element type.
    """

    block_shape: tuple[int, ...] = (1, 1)
    crops: tuple[tuple[int, int], ...] = ((0, 0), (0, 0))

    examples = (
        Example("f32[12, 2, 3, 2]", block_shape=(2, 3), crops=((0, 1), (2, 3))),
        Example("f32[4, 3]", block_shape=(2,), crops=((0, 0),)),
    )

    def __post_init__(self) -> None:
        set_field(self, "block_shape", _blocks(self.name, self.block_shape))
        set_field(self, "crops", width_pairs(self.name, self.crops))
        fits = len(self.crops) == len(self.block_shape)
        checks.attribute(self.name, fits, "block_shape and crops must have the same length")
        _not_negative(self.name, "crops", self.crops)

    def _spread(self, data: TensorType) -> list[Dim]:
        said = f"data must have more than {len(self.block_shape)} axes, not {data.rank}"
        checks.attribute(self.name, data.rank > len(self.block_shape), said)
        blocks = zip(data.shape[1:], self.block_shape, strict=False)
        return [multiply(size, block) for size, block in blocks]

    def _batch(self, data: TensorType) -> Dim:
        batch, blocks = data.shape[0], int(np.prod(self.block_shape))
        said = f"the batch size {batch} must be a multiple of {blocks}, the product of block_shape"
        checks.divides(self.name, batch, blocks, said)
        return floor_divide(batch, blocks)

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result; raises `T105` if the blocks do not divide the batch."""
        spread = self._spread(data)
        for size, crop in zip(spread, self.crops, strict=True):
            checks.enough(
                self.name,
                size,
                sum(crop),
                "crops remove {index} elements of an axis that has {size}",
            )
        cropped = [add(n, -sum(crop)) for n, crop in zip(spread, self.crops, strict=True)]
        rest = data.shape[1 + len(spread) :]
        return TensorType((self._batch(data), *cropped, *rest), data.dtype)

    def decompose(self, data: Expr) -> Expr:
        """Return an expression that moves parts of the batch into the other axes, and crops."""
        ty, count = data.tensor_type, len(self.block_shape)
        batch, spread = self._batch(ty), self._spread(ty)
        rest = ty.shape[1 + count :]
        order = [count]
        for n in range(count):
            order += [count + 1 + n, n]
        order += range(1 + 2 * count, 1 + 2 * count + len(rest))
        split = (*self.block_shape, batch, *ty.shape[1:])
        whole = _regrouped(data, split, order, (batch, *spread, *rest))
        begin = tuple(before for before, _ in self.crops)
        end = tuple(add(n, -after) for n, (_, after) in zip(spread, self.crops, strict=True))
        axes = tuple(range(1, 1 + count))
        return Call(StridedSlice(begin, end, axes=axes), (whole,))

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, which assigns parts of the batch to strided slices."""
        count = len(self.block_shape)
        sizes = [n * b for n, b in zip(data.shape[1:], self.block_shape, strict=False)]
        parts = np.split(data, int(np.prod(self.block_shape)))
        whole = np.empty((len(parts[0]), *sizes, *data.shape[1 + count :]), data.dtype)
        for at, part in zip(combinations(*map(range, self.block_shape)), parts, strict=True):
            whole[_every(at, self.block_shape)] = part
        crop = (slice(b, n - a) for n, (b, a) in zip(sizes, self.crops, strict=True))
        return whole[(slice(None), *crop)]


def _blocks(operator: str, given: Sequence[int]) -> tuple[int, ...]:
    """Return block sizes as a tuple; raises `T104` for sizes below 1."""
    blocks = tuple(map(int, given))
    checks.attribute(
        operator,
        min(blocks, default=1) > 0,
        f"block_shape must have at least one entry, not {blocks}",
    )
    return blocks


def _not_negative(operator: str, name: str, widths: Widths) -> None:
    negative = [pair for pair in widths for width in pair if isinstance(width, int) and width < 0]
    checks.attribute(
        operator, not negative, f"{name} must not be negative, but contains {negative[:1]}"
    )


def _every(at: Sequence[int], blocks: Sequence[int]) -> tuple[slice, ...]:
    """Return slices that select the elements at position `at` in all blocks of the spatial axes."""
    return (slice(None), *(slice(k, None, b) for k, b in zip(at, blocks, strict=True)))
