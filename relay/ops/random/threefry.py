"""The random number generator of TVM's Relay, bit for bit: a variant of Threefry on 64-bit words.

A key has ten words: the key of the cipher (0-3), the path of splits (4-5), a counter (6-7, of which
only the last word is used), and the position of the next bit of the path (8-9), as a single bit
that is set. The mixing function differs from the published one: in its second half, it adds the sum
computed in the first.
"""

from collections.abc import Sequence

from relay.kernels import te
from relay.support.dtype import uint64

MASK = 2**64 - 1
WORDS = 10
TOP = 1 << 63
PARITY = 0x1BD11BDAA9FC1A22
ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32))
ROUNDS = 20


def number(word: int) -> te.Scalar:
    """Return a 64-bit word as a constant scalar expression."""
    return te.const(word, uint64)


def block(
    b: te.LoopBuilder, key: Sequence[te.Scalar], words: Sequence[te.Scalar]
) -> list[te.Scalar]:
    """Return the four words that encrypt `words` by a key of four words, as expressions."""
    parity: te.Scalar = number(PARITY)
    for word in key:
        parity = parity ^ word
    schedule: list[te.Scalar] = [*key, b.let(parity, "parity")]
    state: list[te.Scalar] = list(words)
    for turn in range(ROUNDS):
        if turn % 4 == 0:
            step = turn // 4
            state = [word + schedule[(step + i) % 5] for i, word in enumerate(state)]
            state[3] = state[3] + number(step)
        first, second = ROTATIONS[turn % 8]
        state = [*_mixed(b, state[0], state[1], first), *_mixed(b, state[2], state[3], second)]
        state = [state[0], state[3], state[2], state[1]]
    return state


def _mixed(b: te.LoopBuilder, x: te.Scalar, y: te.Scalar, bits: int) -> tuple[te.Scalar, te.Scalar]:
    y = b.let(y, "y")
    total = b.let(x + y, "x")
    rotated = (y << number(bits)) | (y >> number(64 - bits))
    return total, b.let((total + y) ^ rotated, "y")


def exact_block(key: Sequence[int], words: Sequence[int]) -> list[int]:
    """Return the four words that encrypt `words` by a key of four words, as Python integers."""
    extended = [*key, key[0] ^ key[1] ^ key[2] ^ key[3] ^ PARITY]
    state: list[int] = list(words)
    for turn in range(ROUNDS):
        if turn % 4 == 0:
            step = turn // 4
            state = [(word + extended[(step + i) % 5]) & MASK for i, word in enumerate(state)]
            state[3] = (state[3] + step) & MASK
        first, second = ROTATIONS[turn % 8]
        a, b = exact_mix(state[0], state[1], first)
        c, d = exact_mix(state[2], state[3], second)
        state = [a, d, c, b]
    return state


def exact_mix(x: int, y: int, bits: int) -> tuple[int, int]:
    """Return the sum of two words, and that sum plus `y`, xor `y` rotated by `bits`."""
    total = (x + y) & MASK
    rotated = ((y << bits) | (y >> (64 - bits))) & MASK
    return total, ((total + y) & MASK) ^ rotated


def key_of(seed: int) -> list[int]:
    """Return the key for a seed of up to 256 bits.

    >>> key_of(7)[:2], len(key_of(7))
    ([7, 0], 10)
    """
    words = [(seed >> (64 * i)) & MASK for i in range(4)]
    return [*words, 0, 0, 0, 0, TOP, 0]
