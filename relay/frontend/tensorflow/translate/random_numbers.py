"""Translate TensorFlow's random numbers: those of Philox, with TensorFlow's bits.

A block of Philox has four words of 32 bits, which become four numbers, or two of 64 bits.

Programs are pure functions. An operator with a state draws in each run what TensorFlow draws in its
first call, if it has a seed; without one, the seed derives from the node's name.
"""

import math
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np

from relay.frontend.builders.random_bits import halves, joined, philox, philox_block
from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import Maximum, add, multiply, subtract
from relay.ops.cast import Reinterpret
from relay.ops.comparison import equal, less
from relay.ops.elementwise import Abs
from relay.ops.functions import core
from relay.ops.logical import BitwiseAnd, BitwiseOr, LogicalAnd
from relay.ops.selection import where
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.dynamic_shapes import DynamicReshape
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType, dtype, float32, float64, int32, int64, uint64
from relay.support.error_codes import ErrorCode

_SEED_KEY = 0x02461E293EC8F720
"""The key by which TensorFlow encrypts a seed to a key and a counter."""

_PHILOX, _AUTOMATIC = 1, 3
"""TensorFlow's numbers of the algorithms that mean Philox on a CPU."""

_RESERVED = 256
"""The words that a number of the truncated normal distribution may use."""

_ATTEMPTS = 8
"""The blocks from which such numbers are taken here: 16 numbers of 64 bits, or 32."""

_LIMIT = 2.0
_LEAST = 1e-7  # the least fraction whose logarithm TensorFlow takes

Words = Callable[[Expr], list[Expr]]
"""Returns the four words of each block, for the numbers of blocks."""


@tf_operator("StatelessRandomGetAlg")
def algorithm(_: TfNode) -> Expr:
    """Translate `StatelessRandomGetAlg`: the algorithm is Philox."""
    return constant(_PHILOX, int32)


@tf_operator("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
def key_and_counter(node: TfNode) -> Sequence[Expr]:
    """Translate `StatelessRandomGetKeyCounter`: the key and the counter that belong to a seed."""
    key, counter = _of_seed(node.expr(0))
    vectors = [reshape(key, (1,)), Call(Stack(0), (Tuple(counter),))]
    is_with_algorithm = node.op.endswith("Alg")
    return [*vectors, constant(_PHILOX, int32)] if is_with_algorithm else vectors


def _of_seed(seed: Expr) -> tuple[Expr, tuple[Expr, Expr]]:
    """Return the key, and the two words of the counter, for a seed of two integers."""
    words = [converted(converted(_at(seed, i), int64), uint64) for i in (0, 1)]
    found = philox_block(
        halves(constant(_SEED_KEY, uint64)), [half for word in words for half in halves(word)]
    )
    return joined(*found[:2]), (constant(0, uint64), joined(*found[2:]))


def _dtype(node: TfNode) -> DType:
    return node.dtype("Tout" if "Tout" in node else "dtype")


def _at(x: Expr, place: int) -> Expr:
    return Call(Take(axis=0), (x, constant(place, int64)))


def _words(node: TfNode) -> Words:
    """Return the generator of a node, whose inputs are a seed, or a key, a counter and a number.

    The seeds of operators with a state are attributes.
    """
    if not node.op.startswith("Stateless"):
        key, counter = _of_first_call(node)
    elif not node.op.endswith("V2"):
        key, counter = _of_seed(node.expr(1))
    else:
        if node.integer(3, "the algorithm") not in (_PHILOX, _AUTOMATIC):
            raise node.error(ErrorCode.F030, "only the algorithm Philox is supported")
        key, pair = _at(node.expr(1), 0), node.expr(2)
        counter = _at(pair, 0), _at(pair, 1)
    return lambda offsets: philox(key, counter, offsets)


def _of_first_call(node: TfNode) -> tuple[Expr, tuple[Expr, Expr]]:
    """Return key and counter with which an operator with a state begins; `F030` in loops."""
    if node.around.open_loops:
        problem = "each step of a loop would draw the same numbers"
        raise node.error(ErrorCode.F030, problem, "draw the numbers before the loop")
    seeds = [node.integer_of(name, 0) for name in ("seed", "seed2")]
    first, second = seeds if any(seeds) else (crc32(node.node.name.encode()), 0)
    words = [constant(each % (1 << uint64.bits), uint64) for each in (first, second)]
    return words[0], (constant(0, uint64), words[1])


def _tensor(node: TfNode, values: Callable[[Words, Expr], Sequence[Expr]]) -> Expr:
    """Return a tensor of the shape in the first input.

    `values` returns vectors of the first, second … number of each block, for the numbers of blocks.
    """
    node.ignore("T", "Tseed", "Tshape")
    each = 2 if _dtype(node).bits == uint64.bits else 4
    sizes, generator = node.sizes(0), _words(node)
    if sizes is not None and is_static(sizes):
        count = math.prod(static_sizes(sizes))
        blocks: Expr = Constant(np.arange(-(-count // each), dtype=np.uint64))
        first = Call(StridedSlice((0,), (count,)), (_in_turn(values(generator, blocks)),))
        return reshape(first, sizes)
    shape = converted(node.expr(0), int64)
    number = core.prod(shape)
    limit = core.floor_divide(add(number, constant(each - 1, int64)), constant(each, int64))
    blocks = Call(Arange(), (constant(0, int64), limit, constant(1, int64)))
    whole = _in_turn(values(generator, converted(blocks, uint64)))
    first = first_of(whole, reshape(number, (1,)))
    return Call(DynamicReshape(allowzero=True), (first, shape), span=node.span)


def _in_turn(parts: Sequence[Expr]) -> Expr:
    """Return the elements of vectors of the same length in turn."""
    return Call(Reshape((-1,)), (Call(Stack(1), (Tuple(tuple(parts)),)),))


@tf_operator("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2")
def uniform(node: TfNode) -> Expr:
    """Translate `StatelessRandomUniform`: numbers from 0 to 1, exclusive."""
    of = _dtype(node)
    return _tensor(node, lambda words, blocks: _fractions(words(blocks), of))


@tf_operator("StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2")
def full_integers(node: TfNode) -> Expr:
    """Translate `StatelessRandomUniformFullInt`: random bits as integers."""
    of = _dtype(node)
    return _tensor(node, lambda words, blocks: [_as(x, of) for x in _numbers(words(blocks), of)])


@tf_operator("RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2")
def integers(node: TfNode) -> Expr:
    """Translate `StatelessRandomUniformInt`: integers from `minval` to `maxval`, exclusive."""
    of = _dtype(node)
    low, high = (_as(reshape(x, ()), dtype(f"uint{of.bits}")) for x in node.exprs()[-2:])
    extent = subtract(high, low)

    def values(words: Words, blocks: Expr) -> list[Expr]:
        found = (core.floor_mod(x, extent) for x in _numbers(words(blocks), of))
        return [_as(add(low, each), of) for each in found]

    return _tensor(node, values)


@tf_operator("RandomStandardNormal", "StatelessRandomNormal", "StatelessRandomNormalV2")
def normal(node: TfNode) -> Expr:
    """Translate `StatelessRandomNormal`: numbers of the normal distribution."""
    of = _dtype(node)
    return _tensor(
        node, lambda words, blocks: [converted(x, of) for x in _gauss(words(blocks), of)]
    )


@tf_operator("TruncatedNormal", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2")
def truncated_normal(node: TfNode) -> Expr:
    """Translate `StatelessTruncatedNormal`: normal numbers between -2 and 2.

    Each element has a part of the random sequence, and is the first number of it in this range.
    Only a limited number of candidates is computed; none of them is in the range with a probability
    below 1e-18.
    """
    of = _dtype(node)
    count = 2 if of is float64 else 4

    def values(words: Words, blocks: Expr) -> list[Expr]:
        begin = multiply(blocks, constant(count * _RESERVED // 4, uint64))
        drawn = [
            x
            for step in range(_ATTEMPTS)
            for x in _gauss(words(add(begin, constant(step, uint64))), of)
        ]
        return [converted(x, of) for x in _first_small(drawn, count)]

    return _tensor(node, values)


def _first_small(drawn: Sequence[Expr], count: int) -> list[Expr]:
    """Return the first `count` numbers of a size below 2 in each row of some columns."""
    whole = Call(Stack(1), (Tuple(tuple(drawn)),))
    is_small = less(Call(Abs(), (whole,)), constant(_LIMIT, whole.tensor_type.dtype))
    rank = Call(Cumsum(axis=1), (converted(is_small, int32),))
    zero = constant(0, whole.tensor_type.dtype)
    found: list[Expr] = []
    for place in range(1, count + 1):
        chosen = Call(LogicalAnd(), (is_small, equal(rank, constant(place, int32))))
        found.append(core.sum(where(chosen, whole, zero), axis=1))
    return found


def _numbers(words: Sequence[Expr], of: DType) -> Sequence[Expr]:
    """Return the integers of each block: four of 32 bits, or two of 64 bits."""
    a, b, c, d = words
    return [joined(a, b), joined(c, d)] if of.bits == uint64.bits else words


def _as(bits: Expr, to: DType) -> Expr:
    return bits if bits.tensor_type.dtype is to else Call(Reinterpret(to), (bits,))


_MANTISSA = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}


def _fractions(words: Sequence[Expr], of: DType) -> list[Expr]:
    """Return the numbers from 0 to 1 that random bits are as mantissas."""
    if of is float64:
        a, b, c, d = words
        words = [joined(b, a), joined(d, c)]
    unsigned, kept = dtype(f"uint{of.bits}"), _MANTISSA[of.name]
    one = Reinterpret(unsigned).reference(np.ones((), of.numpy))
    mask = constant((1 << kept) - 1, unsigned)
    bits = (Call(BitwiseAnd(), (converted(x, unsigned), mask)) for x in words)
    ones = (Call(BitwiseOr(), (x, Constant(one))) for x in bits)
    return [subtract(_as(x, of), constant(1, of)) for x in ones]


def _gauss(words: Sequence[Expr], of: DType) -> list[Expr]:
    """Return normal numbers of blocks, by the method of Box and Muller, in at least 32 bits."""
    wide = float64 if of is float64 else float32
    fractions = _fractions(words, wide)
    found: list[Expr] = []
    for first, second in zip(fractions[::2], fractions[1::2], strict=True):
        safe = Call(Maximum(), (first, constant(_LEAST, wide)))
        size = core.sqrt(multiply(constant(-2, wide), core.log(safe)))
        turn = multiply(constant(2 * math.pi, wide), second)
        found += [multiply(core.sin(turn), size), multiply(core.cos(turn), size)]
    return found
