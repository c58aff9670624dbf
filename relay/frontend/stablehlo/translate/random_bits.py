"""Translate StableHLO's generator of random bits: Philox and Threefry, with XLA's bits."""

import math
from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.random_bits import joined, philox, threefry
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add
from relay.ops.cast import Cast, Reinterpret
from relay.ops.comparison import less
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType, dtype, int64, uint32, uint64
from relay.support.error_codes import ErrorCode

_PHILOX_BITS = 128
_BYTE = 8
_SHORT, _LONG = 2, 3  # words of a state


@hlo_operation("rng_bit_generator")
def rng_bit_generator(node: HloNode) -> Sequence[Expr]:
    """Translate `rng_bit_generator`: the state after the draw, and the bits.

    The state is a key and a counter of one or two words. The default algorithm is Philox, as on
    XLA's processors.
    """
    (state,), result = node.operands, node.result_types[1]
    words = state.tensor_type.shape[0]
    if state.tensor_type.dtype is not uint64 or words not in (_SHORT, _LONG):
        problem = f"a state of type {state.tensor_type!r} is not supported"
        raise node.error(ErrorCode.F030, problem)
    if not is_static(result.shape) or not result.dtype.is_integer or result.dtype.bits < _BYTE:
        raise node.error(ErrorCode.F030, f"random bits of type {result!r} are not supported")
    places = range(_SHORT if words == _SHORT else _LONG)
    parts = [Call(Take(axis=0), (state, constant(i, int64))) for i in places]
    draw = _threefry if node.enumeration("rng_algorithm") == "THREE_FRY" else _philox
    wide = uint64 if result.dtype.bits == uint64.bits else uint32
    bits, blocks = draw(parts, static_sizes(result.shape), wide)
    return [_advanced(parts, blocks), _as(bits, result.dtype)]


def _philox(state: Sequence[Expr], shape: tuple[int, ...], to: DType) -> tuple[Expr, int]:
    """Return bits of Philox, and the number of blocks: the words of blocks follow one another.

    The key of a state of two words is also the high word of the counter.
    """
    count = math.prod(shape)
    blocks = -(-count * to.bits // _PHILOX_BITS)
    high = state[2] if len(state) > 2 else state[0]
    words = philox(state[0], (state[1], high), _below(blocks))
    if to is uint64:
        words = [joined(*words[:2]), joined(*words[2:])]
    return reshape(_first(_alternating(words, 0), 0, count), shape), blocks


def _threefry(state: Sequence[Expr], shape: tuple[int, ...], to: DType) -> tuple[Expr, int]:
    """Return bits of Threefry, and the number of blocks.

    The two words of a block are neighbours along the first axis of even size, or the longest axis.
    """
    if to is uint64:
        count = math.prod(shape)
        words = threefry(state[0], add(state[1], _below(count)))
        return reshape(joined(*words), shape), count
    sizes = shape or (1,)
    longest = max(range(len(sizes)), key=lambda axis: sizes[axis])
    axis = next((axis for axis, size in enumerate(sizes) if size % 2 == 0), longest)
    half = [*sizes[:axis], -(-sizes[axis] // 2), *sizes[axis + 1 :]]
    count = math.prod(half)
    words = [reshape(x, half) for x in threefry(state[0], add(state[1], _below(count)))]
    return reshape(_first(_alternating(words, axis), axis, sizes[axis]), shape), count


def _advanced(state: Sequence[Expr], blocks: int) -> Expr:
    """Return the state after a number of blocks: the counter, of one or two words, is higher."""
    key, low, *high = state
    new = add(low, constant(blocks, uint64))
    carry = Call(Cast(uint64), (less(new, low),))
    return Call(Stack(0), (Tuple((key, new, *(add(word, carry) for word in high))),))


def _below(count: int) -> Constant:
    return Constant(np.arange(count, dtype=np.uint64))


def _alternating(parts: Sequence[Expr], axis: int) -> Expr:
    """Return tensors of one shape with their slices along an axis in turn."""
    shape = list(static_sizes(parts[0].tensor_type.shape))
    shape[axis] *= len(parts)
    return reshape(Call(Stack(axis + 1), (Tuple(tuple(parts)),)), shape)


def _first(x: Expr, axis: int, count: int) -> Expr:
    return Call(StridedSlice((0,), (count,), axes=(axis,)), (x,))


def _as(bits: Expr, to: DType) -> Expr:
    """Return the low bits of words as integers of another type."""
    found = converted(bits, dtype(f"uint{to.bits}"))
    return found if found.tensor_type.dtype is to else Call(Reinterpret(to), (found,))
