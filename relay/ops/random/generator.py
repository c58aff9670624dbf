"""The generator of random bits, `random.threefry_generate`, and `random.threefry_split`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Shape, product, static
from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.random.threefry import MASK, TOP, WORDS, block, exact_block, number
from relay.ops.tensor.dim_arithmetic import dims
from relay.ops.tensor.element_movement import reshape_formula
from relay.ops.tensor.nondifferentiable import Discrete
from relay.support.dtype import uint64
from relay.support.node import set_field

KEY = TensorType((WORDS,), uint64)
KEYS: dict[str, Array] = {
    name: np.array(words, np.uint64)
    for name, words in {
        "first": [7, 0, 0, 0, 0, 0, 0, 0, TOP, 0],
        "used": [1, 2, 3, MASK, 5 << 60, 6, 0, 1000, 1 << 3, 0],
        "last_bit": [1, 2, 3, 4, 5, 6, 0, 9, 0, 1],
        "full": [1, 2, 3, 4, 5, 6, 0, 8, 0, 0],
        "exhausted": [1, 2, 3, 4, 5, 6, 0, MASK - 3, 1 << 3, 0],
        "exhausted_full": [1, 2, 3, 4, 5, 6, 0, MASK - 3, 0, 0],
    }.items()
}
"""Keys in various states, for the examples of the operators."""


def require_key(operator: str, key: TensorType) -> None:
    """Require a key of the generator, ten 64-bit words; raises `T100`, `T102` or `T105`."""
    checks.rank(operator, "key", key, 1)
    checks.same_dtype(operator, KEY, key)
    checks.size(operator, "number of elements of the random key", WORDS, key.shape[0])


@operator("random.threefry_generate")
class ThreefryGenerate(Discrete, OperatorDef):
    """Return a new key, and random bits: a uint64 tensor of shape `out_shape`.

    If a key is used twice, the numbers are the same.
    """

    out_shape: Shape

    examples = (
        Example("u64[10]", out_shape=(2, 3), values={0: KEYS["first"]}),
        Example("u64[10]", out_shape=(8,), values={0: KEYS["used"]}),
        Example("u64[10]", out_shape=(5,), values={0: KEYS["exhausted"]}),
        Example("u64[10]", out_shape=(4,), values={0: KEYS["exhausted_full"]}),
        Example("u64[10]", out_shape=(0, 2), values={0: KEYS["first"]}),
    )

    def __post_init__(self) -> None:
        set_field(self, "out_shape", dims(self.out_shape))
        checks.natural(self.name, "a size", *self.out_shape)

    def infer(self, key: TensorType) -> TupleType:
        require_key(self.name, key)
        return TupleType((KEY, TensorType(self.out_shape, uint64)))

    def compute(self, key: te.Tensor) -> tuple[te.Tensor, ...]:
        count = product(self.out_shape)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (new, out) = te.LoopBuilder(), outputs
            for word in range(WORDS):
                b.store(new, (word,), inputs[0][word])
            n = b.let(te.cast(lift(count), uint64), "n")
            with b.if_(new[7] >= number(MASK) - n):
                _lengthen(b, new)
            key, ctr = [b.let(new[i], "key") for i in range(4)], [new[i] for i in range(4, 8)]
            ctr = [b.let(word, "word") for word in ctr]
            whole = lift(count) // 4
            with b.for_(whole, "i") as i:
                more = b.let(te.cast(i, uint64), "more")
                found = block(b, key, [word + more for word in ctr])
                for k, word in enumerate(found):
                    b.store(out, (i * 4 + k,), word)
            with b.if_(te.not_equal(lift(count) % 4, 0)):
                last = [*ctr[:3], ctr[3] + te.cast(whole * 4, uint64)]
                for k, word in enumerate(block(b, key, last)):
                    with b.if_(whole * 4 + k < lift(count)):
                        b.store(out, (whole * 4 + k,), word)
            b.store(new, (7,), ctr[3] + (n + number(3)) // number(4) * number(4))
            return b.finish()

        found = te.loops([((WORDS,), uint64), ((count,), uint64)], [key], build, "threefry")
        return found[0], reshape_formula(found[1], self.out_shape)

    def reference(self, key: Array) -> tuple[Array, Array]:
        words, shape = [int(word) for word in key], static(self.out_shape)
        count = int(np.prod(shape, dtype=np.int64))
        if words[7] >= MASK - count:
            words = _lengthened(words)
        ctr = words[4:8]
        numbers: list[int] = []
        for i in range(count // 4):
            numbers += exact_block(words[:4], [(word + i) & MASK for word in ctr])
        if count % 4:
            last = [*ctr[:3], (ctr[3] + len(numbers)) & MASK]
            numbers += exact_block(words[:4], last)[: count % 4]
        words[7] = (words[7] + -(-count // 4) * 4) & MASK
        return np.array(words, np.uint64), np.array(numbers, np.uint64).reshape(shape)


def _lengthen(b: te.LoopBuilder, key: Buffer) -> None:
    """Append a 1 to the path in a key, and set its counter to zero.

    A path that is full is hashed into the words of the key first.
    """
    path = [b.let(key[4 + k], "path") for k in range(2)]
    place = [b.let(key[8 + k], "place") for k in range(2)]
    with b.if_(te.equal(place[0] | place[1], number(0))):
        ones = number(MASK)
        found = block(b, [key[i] for i in range(4)], [*path, ones, ones])
        _store(b, key, [*found, number(0), number(0), number(0), number(0), number(TOP), number(0)])
    with b.else_():
        new = [*(p | q for p, q in zip(path, place, strict=True)), number(0), number(0)]
        _store(b, key, [*(key[i] for i in range(4)), *new, *_behind(place)])


def _behind(place: Sequence[te.Scalar]) -> list[te.Scalar]:
    """Return the bit after `place`; both are a single bit set in two words of the key."""
    one = number(1)
    return [place[0] >> one, (place[1] >> one) | ((place[0] & one) << number(63))]


def _store(b: te.LoopBuilder, key: Buffer, words: Sequence[te.Scalar]) -> None:
    kept = [b.let(word, "word") for word in words]
    for index, word in enumerate(kept):
        b.store(key, (index,), word)


def _lengthened(words: Sequence[int]) -> list[int]:
    """Return the key with a 1 appended to its path, as Python integers."""
    place = (words[8] << 64) | words[9]
    if not place:
        return [*exact_block(words[:4], [*words[4:6], MASK, MASK]), 0, 0, 0, 0, TOP, 0]
    path = ((words[4] << 64) | words[5]) | place
    return [*words[:4], *_halves(path), 0, 0, *_halves(place >> 1)]


def _halves(both: int) -> tuple[int, int]:
    return both >> 64, both & MASK


@operator("random.threefry_split")
class ThreefrySplit(Discrete, OperatorDef):
    """Return two keys whose random numbers are independent of each other and of the key's own."""

    examples = tuple(
        Example("u64[10]", values={0: KEYS[name]}) for name in ("first", "used", "last_bit", "full")
    )

    def infer(self, key: TensorType) -> TupleType:
        require_key(self.name, key)
        return TupleType((KEY, KEY))

    def compute(self, key: te.Tensor) -> tuple[te.Tensor, ...]:
        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (source,), (left, right) = te.LoopBuilder(), inputs, outputs
            words, zero = [b.let(source[i], "word") for i in range(WORDS)], number(0)
            place = words[8:]
            with b.if_(te.equal(place[0] | place[1], zero)):
                found = block(b, words[:4], words[4:8])
                second = number(1 << 62), zero
                _store(b, left, [*found, zero, zero, zero, zero, *second])
                _store(b, right, [*found, number(TOP), zero, zero, zero, *second])
            with b.else_():
                behind = _behind(place)
                path = [word | bit for word, bit in zip(words[4:6], place, strict=True)]
                _store(b, left, [*words[:8], *behind])
                _store(b, right, [*words[:4], *path, *words[6:8], *behind])
            return b.finish()

        return te.loops([((WORDS,), uint64)] * 2, [key], build, "threefry_split")

    def reference(self, key: Array) -> tuple[Array, Array]:
        words = [int(word) for word in key]
        place = (words[8] << 64) | words[9]
        if place:
            path = ((words[4] << 64) | words[5]) | place
            end = _halves(place >> 1)
            left = [*words[:8], *end]
            right = [*words[:4], *_halves(path), *words[6:8], *end]
        else:
            found = exact_block(words[:4], words[4:8])
            left = [*found, 0, 0, 0, 0, 1 << 62, 0]
            right = [*found, TOP, 0, 0, 0, 1 << 62, 0]
        return np.array(left, np.uint64), np.array(right, np.uint64)
