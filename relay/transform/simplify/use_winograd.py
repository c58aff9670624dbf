"""The pass that computes 3 × 3 convolutions with fewer multiplications, by Winograd's algorithm."""

import math

import numpy as np

from relay.ir.dataflow import Found, is_constant, operators, wildcard
from relay.ir.dims import ANY, Dim, is_static, static, substitute, variables
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.winograd_blocks import (
    WinogradDataTransform,
    WinogradResultTransform,
    scaled_matrices,
)
from relay.support.dtype import float32, float64
from relay.support.node import replace, value
from relay.transform.rewriting import RewritePass, Rule

data, weight, convolution = wildcard(), is_constant(), operators(Conv2D)
result = convolution(data, weight)

_KERNEL, _TILE = 3, 2
_EXTENT = _KERNEL + _TILE - 1
"""Sizes along an axis. Larger tiles need fewer products, but their rounding errors are larger."""

_PART = 2**16
"""The elements of a weight that are transformed together: half a megabyte of them."""

_DATA, _RESULT = 0.3, 0.15
"""Cycles for each byte that the transformation of the data writes, and that of the result reads."""

_NEAR, _FAR = 8, 2
"""Transformed tensors of more than `_NEAR` times the L2 cache take `_FAR` times as long."""

_WEIGHT = 0.15
"""Cycles for reading a byte of a weight, which does not stay in a cache."""

_MOST = 1 << 27
"""The most bytes of a transformed tensor: it is 4 times as large as the data or the result."""

_SPARE = 8
"""The factor by which it may become larger than expected, if sizes are open."""

_SIDE = 224
"""The expected height and width of images, if they are open."""

_GAIN = 0.9
"""The largest fraction of the cycles of the direct convolution for which the algorithm is used."""


@value
class UseWinograd(RewritePass):
    """Compute 3 × 3 convolutions from 4 / 9 of the products, where that saves time.

    A tile of 2 × 2 results is computed from 4 × 4 transformed elements for each input channel
    instead of 36 products (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks").
    The weight is transformed here. Rounding errors are those of the direct form; but an infinity or
    a NaN in the data makes all results of its tile NaN, and not only those that depend on it.

    1. The convolution has a constant 3 × 3 weight, stride and dilation 1, and one group; data and
       result are float32 or float64 in blocks of known numbers of channels.
    2. The estimated time, with both transformations, is less: there are enough channels. Where
       sizes are unknown, the time is estimated for an image of 224 × 224.
    3. The two transformed tensors take at most 128 MiB together; if sizes are unknown, at most
       16 MiB for an image of 224 × 224.

    `vector_bytes`, `fma_ports` and `l2` are the machine's: the bytes of a vector, the multiply-adds
    that start in a cycle, the bytes of the L2 cache of a core.
    """

    vector_bytes: int = 32
    fma_ports: int = 2
    l2: int = 1 << 20

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule that matches convolutions."""
        return (Rule(result, self._in_tiles),)

    def _in_tiles(self, found: Found) -> Expr | None:
        op, call = found[convolution], found[result]
        if not (_is_simple(op) and _has_known_types(call) and self._is_faster(call)):
            return None
        factors = scaled_matrices(_TILE, _KERNEL)[1]
        moved = Constant(_transformed(found[weight].array, factors))
        pads = tuple(low for low, _ in op.pads) + tuple(high for _, high in op.pads)
        size = call.tensor_type.shape[2:4]
        tiles = Call(WinogradDataTransform(_TILE, _KERNEL, pads), (found[data],), span=call.span)
        products = Call(_pointwise(op), (tiles, moved), span=call.span)
        return Call(WinogradResultTransform(_TILE, _KERNEL, size), (products,), span=call.span)

    def _is_faster(self, call: Call) -> bool:
        """Whether the estimate of cycles is sufficiently below that of the direct form."""
        given, shape = call.args[0].tensor_type, call.tensor_type.shape
        batch = shape[0] if isinstance(shape[0], int) else 1
        height, width = map(_expected, shape[2:4])
        itemsize, outer = given.dtype.itemsize, math.prod(static((shape[1], shape[-1])))
        inner = math.prod(static((given.shape[1], given.shape[-1])))
        tiles = batch * -(-height // _TILE) * -(-width // _TILE)
        speed = self.vector_bytes // itemsize * max(1, self.fma_ports)

        size = tiles * _EXTENT**2 * itemsize
        room = _MOST if is_static(shape) else _MOST // _SPARE

        def products(rows: int, taps: int) -> float:
            pairs = inner * outer * taps
            return max(rows * pairs / speed, _WEIGHT * pairs * itemsize)

        def moves(channels: int, cycles: float) -> float:
            far = size * channels > _NEAR * self.l2
            return size * channels * cycles * (_FAR if far else 1)

        direct = products(batch * height * width, _KERNEL**2)
        transforms = moves(inner, _DATA) + moves(outer, _RESULT)
        fits = size * max(inner, outer) <= room
        return fits and products(tiles, _EXTENT**2) + transforms < _GAIN * direct


def _is_simple(op: Conv2D) -> bool:
    """Whether a convolution has blocks of channels, and neither strides, dilation nor groups."""
    given, factors, made = op.layouts
    blocked = [given.blocks("C"), made.blocks("C"), factors.blocks("I"), factors.blocks("O")]
    names = str(given).startswith("NCHW"), str(factors).startswith("OIHW")
    plain = {*op.strides, *op.dilation, op.groups} == {1}
    return plain and all(blocked) and all(names) and str(made).startswith("NCHW")


def _has_known_types(call: Call) -> bool:
    """Whether the kernel is 3 × 3, all tensors have the same floats, and their sizes are known.

    Sizes of images may also be symbolic.
    """
    types = [*(arg.tensor_type for arg in call.args), call.tensor_type]
    known = all(is_static((ty.shape[1], ty.shape[-1])) for ty in types)
    named = all(ANY not in ty.shape[2:] for ty in types)
    same = {ty.dtype for ty in types}
    is_float = same <= {float32, float64} and len(same) == 1
    return known and named and is_float and types[1].shape[2:4] == (_KERNEL, _KERNEL)


def _expected(size: Dim) -> int:
    """Return a size of an image, or an expected value if the size is unknown."""
    known = substitute(size, dict.fromkeys(variables(size), _SIDE))
    assert isinstance(known, int), f"{size} has unknown parts"
    return max(1, known)


def _transformed(given: Array, factors: Array) -> Array:
    """Return a weight `(O, I, 3, 3, i, o)` as the weights of a pointwise convolution in groups.

    It is transformed in parts that fit in the cache, because the weights of a network do not.
    """
    outer, inner, _, _, *blocks = given.shape
    along_both, size = np.kron(factors, factors), math.prod(blocks)
    rows = given.reshape(outer * inner, _KERNEL**2, size)
    moved = np.empty((_EXTENT**2, outer * inner, size), given.dtype)
    step = max(1, _PART // (_EXTENT**2 * size))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        moved[:, part] = np.moveaxis(along_both @ rows[part], 1, 0)
    return moved.reshape(_EXTENT**2 * outer, inner, 1, 1, *blocks)


def _pointwise(op: Conv2D) -> Conv2D:
    """Return the convolution that multiplies each transformed element of a tile by its weights."""
    channels = None if op.channels is None else _EXTENT**2 * op.channels
    kernel = None if op.kernel_size is None else (1, 1)
    groups = _EXTENT**2
    return replace(op, padding=(0,), groups=groups, channels=channels, kernel_size=kernel)
