"""Counter-based random bits: Philox 4×32-10 and Threefry 2×32-20 (Salmon et al., 2011).

Both encrypt a counter by a key, so that the bits of a position depend on neither order nor shape.
Keys and counters are uint64 expressions, results uint32.
"""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.comparison import less
from relay.ops.logical import BitwiseOr, BitwiseXor, LeftShift, RightShift
from relay.support.dtype import uint32, uint64

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_PHILOX_ROUNDS = 10

_ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)
_PARITY = 0x1BD11BDA
_THREEFRY_GROUPS = 5  # of four rounds


def halves(x: Expr) -> tuple[Expr, Expr]:
    """Return the low and the high 32 bits of uint64 words."""
    high = Call(RightShift(), (x, constant(32, uint64)))
    return Call(Cast(uint32), (x,)), Call(Cast(uint32), (high,))


def joined(low: Expr, high: Expr) -> Expr:
    """Return the uint64 words of two uint32 halves."""
    above = Call(LeftShift(), (Call(Cast(uint64), (high,)), constant(32, uint64)))
    return Call(BitwiseOr(), (Call(Cast(uint64), (low,)), above))


def philox(key: Expr, counter: tuple[Expr, Expr], offsets: Expr) -> list[Expr]:
    """Return the four words of each block: `counter`, low and high word, plus an offset.

    The shape of the results is that of `offsets`.
    """
    low = add(counter[0], offsets)
    carry = Call(Cast(uint64), (less(low, offsets),))
    words = [*halves(low), *halves(add(counter[1], carry))]
    return philox_block(halves(key), words)


def philox_block(key: tuple[Expr, Expr], words: Sequence[Expr]) -> list[Expr]:
    """Return four uint32 words encrypted by a key of two."""
    a, b, c, d = words
    for turn in range(_PHILOX_ROUNDS):
        first, second = (
            add(part, constant(turn * step & 0xFFFFFFFF, uint32))
            for part, step in zip(key, _KEY_STEPS, strict=True)
        )
        low, high = _product(a, _MULTIPLIERS[0])
        other_low, other_high = _product(c, _MULTIPLIERS[1])
        a, b = _xor(other_high, b, first), other_low
        c, d = _xor(high, d, second), low
    return [a, b, c, d]


def threefry(key: Expr, counter: Expr) -> tuple[Expr, Expr]:
    """Return the two words of each block of the vector `counter`."""
    first, second = halves(key)
    schedule = first, second, _xor(first, second, constant(_PARITY, uint32))
    x, y = halves(counter)
    x, y = add(x, first), add(y, second)
    for group in range(_THREEFRY_GROUPS):
        for bits in _ROTATIONS[group % 2]:
            x = add(x, y)
            y = _xor(x, _rotated(y, bits))
        x = add(x, schedule[(group + 1) % 3])
        y = add(add(y, schedule[(group + 2) % 3]), constant(group + 1, uint32))
    return x, y


def _product(x: Expr, factor: int) -> tuple[Expr, Expr]:
    """Return the low and the high word of products of 32-bit words."""
    return halves(multiply(Call(Cast(uint64), (x,)), constant(factor, uint64)))


def _xor(*words: Expr) -> Expr:
    found, *others = words
    for each in others:
        found = Call(BitwiseXor(), (found, each))
    return found


def _rotated(x: Expr, bits: int) -> Expr:
    """Return 32-bit words rotated to the left."""
    left = Call(LeftShift(), (x, constant(bits, uint32)))
    right = Call(RightShift(), (x, constant(32 - bits, uint32)))
    return Call(BitwiseOr(), (left, right))
