"""Formulas and kernel loops of gather operators and of their derivatives."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.ops.families import extents, type_of
from relay.ops.tensor.element_movement import Indices, move
from relay.ops.tensor.loop_nests import fill, nest

Elements: TypeAlias = te.Tensor | Buffer
Sizes: TypeAlias = Sequence[Dim]


class Reads(Protocol):
    """The protocol of operators that compute the position of each read."""

    def source(self, shape: Sizes, indices: Elements, i: Indices) -> Indices:
        """Return the position, in a tensor of shape `shape`, that result element `i` reads."""
        ...


class Gatherer(Reads, Protocol):
    """The protocol of gather operators, which also have a type rule and a reference."""

    def infer(self, x: TensorType, indices: TensorType) -> TensorType:
        """Return the type of the result."""
        ...

    def reference(self, x: Array, indices: Array) -> Array:
        """Return the result by NumPy."""
        ...


def read(forward: Gatherer, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
    """Return the formula of a gather operator: each element is read at its position."""
    result = forward.infer(type_of(x), type_of(indices))
    shape = extents(x)
    return move(x, result.shape, lambda i: forward.source(shape, indices, i))


def add_at_positions_read(
    reads: Reads, d: te.Tensor, indices: te.Tensor, shape: Sizes
) -> te.Tensor:
    """Return zeros of `shape`, with each element of `d` added where `reads` reads."""

    def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        b, (out,) = te.LoopBuilder(), outputs
        fill(b, out, 0)
        with nest(b, d.shape) as i:
            place = tuple(b.let(each, "place") for each in reads.source(shape, inputs[1], i))
            b.store(out, place, out[place] + inputs[0][i])
        return b.finish()

    return te.loops([(shape, d.dtype)], [d, indices], build, "deposit")[0]


def added_at_positions_read(forward: Gatherer, d: Array, indices: Array, like: Array) -> Array:
    """Return zeros like `like`, with `d` added at the positions that `forward` reads, by NumPy.

    The target positions are found by gathering from an array of positions.
    """
    places = forward.reference(np.arange(like.size).reshape(like.shape), indices)
    result = np.zeros(like.shape, like.dtype)  # in row-major order, even if `like` is not
    np.add.at(result.reshape(-1), np.asarray(places).reshape(-1), d.reshape(-1))
    return result
