"""Dense layers whose weights stay quantised, in blocks as in a GGUF file: an operator of one's own.

A block has 32 numbers of 4 or 8 bits, a scale and a minimum. The kernel of the operator unpacks the
numbers while it multiplies, so that the weights of a language model take a fifth of the memory, and
a fifth of the time to read them.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import relay
from relay.kernels import te
from relay.opdef.definition import OperatorDef
from relay.opdef.table import operator

Array: TypeAlias = NDArray[Any]
BLOCK = 32


@operator("example.block_dense")
class BlockDense(OperatorDef):
    """Multiply rows of `data` by the transpose of a weight, which is `scale · number + minimum`.

    `numbers` are `(units, blocks, 16)` if two numbers share a byte, else `(units, blocks, 32)`.
    """

    examples = ()

    def infer(
        self,
        data: relay.TensorType,
        numbers: relay.TensorType,
        scales: relay.TensorType,
        minima: relay.TensorType,
    ) -> relay.TensorType:
        """Return the type of the product."""
        del scales, minima
        return relay.TensorType((data.shape[0], numbers.shape[0]), "float32")

    def reference(self, data: Array, numbers: Array, scales: Array, minima: Array) -> Array:
        """Return the product by NumPy."""
        return data @ Blocks(numbers, scales, minima).unpacked().T

    def compute(
        self, data: te.Tensor, numbers: te.Tensor, scales: te.Tensor, minima: te.Tensor
    ) -> te.Tensor:
        """Return the formula: a sum over blocks, and over the numbers or bytes of a block."""
        units, blocks, size = numbers.shape
        block, place = te.reduce_axis(blocks, "block"), te.reduce_axis(size, "place")

        def element(row: te.Scalar, unit: te.Scalar) -> te.Scalar:
            scale, least = (te.cast(each[unit, block], "float32") for each in (scales, minima))
            stored = numbers[unit, block, place]
            if size == BLOCK:
                parts = [stored]
            else:  # the low halves of the bytes are the first numbers of the block
                both = te.cast(stored, "int32")
                parts = [both & 15, both >> 4]
            terms = [
                data[row, block * BLOCK + k * size + place]
                * (te.cast(part, "float32") * scale + least)
                for k, part in enumerate(parts)
            ]
            return te.sum(sum(terms[1:], terms[0]), (block, place))

        return te.compute((data.shape[0], units), element, name=self.name)


@dataclass(frozen=True)
class Blocks:
    """A quantised weight, whose rows are blocks."""

    numbers: Array
    scales: Array
    minima: Array

    @staticmethod
    def of(packed: Array, kind: str) -> "Blocks | None":
        """Return the blocks in the bytes of a weight; None if its type is another one."""
        match kind:
            case "Q4_0":
                parts = packed.reshape(len(packed), -1, 18)
                scales = _halves(parts, 0)
                return Blocks(_copy(parts[..., 2:]), scales, scales * np.float32(-8))
            case "Q4_1":
                parts = packed.reshape(len(packed), -1, 20)
                return Blocks(_copy(parts[..., 4:]), _halves(parts, 0), _halves(parts, 2))
            case "Q8_0":
                parts = packed.reshape(len(packed), -1, 34)
                scales = _halves(parts, 0)
                return Blocks(_copy(parts[..., 2:]).view(np.int8), scales, np.zeros_like(scales))
            case "Q4_K":
                return _of_eight(packed.reshape(len(packed), -1, 144))
            case _:
                return None

    def rows(self, order: Array) -> "Blocks":
        """Return the weight with its rows in another order."""
        return Blocks(self.numbers[order], self.scales[order], self.minima[order])

    def unpacked(self) -> Array:
        """Return the weight as a matrix of float32."""
        numbers = self.numbers
        if numbers.shape[-1] < BLOCK:
            numbers = np.concatenate([numbers & 15, numbers >> 4], axis=-1)
        scales, minima = (each[..., None].astype(np.float32) for each in (self.scales, self.minima))
        return (numbers.astype(np.float32) * scales + minima).reshape(len(numbers), -1)

    def multiply(self, x: relay.Expr) -> relay.Expr:
        """Return the product of rows and the transposed weight."""
        parts = (relay.const(each) for each in (self.numbers, self.scales, self.minima))
        return relay.Call(BlockDense(), (x, *parts))

    def take(self, rows: relay.Expr) -> relay.Expr:
        """Return rows of the weight, dequantised."""
        parts = (self.numbers, self.scales, self.minima)
        numbers, scales, minima = (relay.take(relay.const(each), rows, axis=0) for each in parts)
        if self.numbers.shape[-1] < BLOCK:
            low = relay.bitwise_and(numbers, relay.const(15, "uint8"))
            high = relay.right_shift(numbers, relay.const(4, "uint8"))
            numbers = relay.concatenate([low, high], axis=-1)
        scales, minima = (
            relay.expand_dims(relay.cast(each, "float32"), axis=-1) for each in (scales, minima)
        )
        values = relay.cast(numbers, "float32") * scales + minima
        return relay.reshape(values, (-1, self.numbers.shape[1] * BLOCK))


Weight: TypeAlias = Array | Blocks


def dense(x: relay.Expr, weight: Weight) -> relay.Expr:
    """Return the product of rows and the transpose of a weight."""
    return (
        weight.multiply(x) if isinstance(weight, Blocks) else relay.nn.dense(x, relay.const(weight))
    )


def matrix(weight: Weight) -> Array:
    """Return a weight, dequantised if necessary."""
    return weight.unpacked() if isinstance(weight, Blocks) else weight


def take(weight: Weight, rows: relay.Expr) -> relay.Expr:
    """Return rows of a weight."""
    if isinstance(weight, Blocks):
        return weight.take(rows)
    return relay.take(relay.const(weight), rows, axis=0)


def _of_eight(parts: Array) -> Blocks:
    """Return the blocks in groups of eight, whose scales and minima have 6 bits."""
    first, second, third = parts[..., 4:8], parts[..., 8:12], parts[..., 12:16]
    scales = np.concatenate([first & 63, third & 15 | first >> 6 << 4], axis=-1)
    minima = np.concatenate([second & 63, third >> 4 | second >> 6 << 4], axis=-1)
    pairs = parts[..., 16:].reshape(*parts.shape[:2], 4, 1, 32)  # the bytes of each two blocks
    numbers = np.concatenate([pairs & 15, pairs >> 4], axis=-2)
    whole = (len(parts), -1)
    return Blocks(
        _copy(numbers[..., :16] | numbers[..., 16:] << 4).reshape(*whole, 16),
        (_halves(parts, 0)[..., None] * scales).reshape(whole),
        (-_halves(parts, 2)[..., None] * minima).reshape(whole),
    )


def _halves(parts: Array, at: int) -> Array:
    halves = _copy(parts[..., at : at + 2]).view("<f2")[..., 0]
    return halves.astype(np.float32)  # each step of a product reads them; conversions take time


def _copy(part: Array) -> Array:
    copy = np.ascontiguousarray(part)
    copy.flags.writeable = False  # constants share the memory of read-only arrays
    return copy
