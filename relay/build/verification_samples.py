"""The samples on which programs are verified: how the inputs of one evaluation are drawn.

Many wrong rewrites are right for most numbers: `abs(x)` is `x` for positive ones, `minimum(x, 3)`
is `x` for small ones, and a branch may be taken for one truth value only. So a program is evaluated
on several samples with different properties.
"""

import math
from collections.abc import Sequence
from itertools import starmap
from math import prod

import numpy as np

from relay.ir.expr import Array
from relay.support.dtype import DType
from relay.support.node import Value, replace, value


@value
class Sample(Value):
    """A way to draw inputs.

    `number` chooses the values of truth values and the outermost constructors of data, so that
    samples with different numbers try all of them. Integers lie between `least` and `most`; if
    these are None, they have all magnitudes, and are often the ends of their type. Floats are
    random numbers times `scale`; the `special` ones are mixed in. Dynamic dimensions cycle through
    the `sizes`. Data with several constructors, such as lists, is nested at most `nesting` deep.
    """

    number: int = 0
    least: int | None = 0
    most: int | None = 3
    scale: float = 1.0
    special: tuple[float, ...] = ()
    sizes: tuple[int, ...] = (3,)
    nesting: int = 3

    @property
    def is_infinite(self) -> bool:
        """Whether there are infinite numbers or NaN among the special floats."""
        return not all(map(math.isfinite, self.special))

    def choices(self, counts: Sequence[int]) -> list[int]:
        """Return which of so many alternatives the value at each place has.

        1. If all combinations are few, as many samples in a row have all of them.
        2. Otherwise, see `choice`.
        """
        if prod(counts) > MOST_SAMPLES:
            return list(starmap(self.choice, enumerate(counts)))
        found, rest, total = list[int](), self.number, 0
        for count in counts:
            rest, digit = divmod(rest, count)
            total += digit  # so that all places differ in the first samples
            found.append(total % count)
        return found

    def choice(self, place: int, count: int) -> int:
        """Return which of `count` alternatives the value at a place has.

        At each place, the first `count` samples have all alternatives; at two places with the same
        count, `count` squared samples have all pairs. At three of eight places, 16 samples have all
        triples of truth values.
        """
        code = _CODES[place % len(_CODES)] if count == 2 else place
        rest, total = self.number, place // len(_CODES)
        total += rest % count
        while code:
            rest, (code, factor) = rest // count, divmod(code, count)
            total += factor * (rest % count)
        return total % count

    def scalar(self, random: np.random.Generator, ty: DType, place: int) -> Array:
        """Return the number of a scalar at a place, whose signs alternate from sample to sample.

        Integers of all magnitudes are the largest one, the smallest, a positive and a negative one
        in four of ten samples. In one of the ten, the number is 0, but not at the next place.
        """
        if self.number == _ZEROS + place % 2:
            return np.zeros((), ty.numpy)
        is_negative = (self.number + place) % 2 == 1
        if not ty.is_integer:
            number, scale = np.abs(self.floats(random, (), ty)), self._scale(ty)
            if scale > 1 and 0 < number < scale / 2:  # one number of the sample, so a large one
                number += scale / 2
            return np.asarray(-number if is_negative else number, ty.numpy)
        low, high = ty.limits
        if self.least is not None:
            return self.integers(random, (), ty)
        turn = (self.number // 2 - 1 + place) % 4
        if turn < 2:
            return np.array((high, low)[turn], ty.numpy)
        bits = int(random.integers(1, high.bit_length(), endpoint=True))
        number = (1 << bits) - 1 - int(random.integers(0, 1 << (bits - 1)))
        return np.array(-number if low < 0 and turn == 3 else number, ty.numpy)

    def integers(self, random: np.random.Generator, shape: tuple[int, ...], ty: DType) -> Array:
        """Return random integers of a type."""
        low, high = ty.limits
        if self.least is not None and self.most is not None:
            least, most = max(self.least, low), min(self.most, high)
            return random.integers(least, most, shape, endpoint=True).astype(ty.numpy)
        wide = np.int64 if low < 0 else np.uint64
        every = random.integers(low, high, shape, dtype=wide, endpoint=True)
        numbers = every >> random.integers(0, ty.bits, shape).astype(wide)
        ends = random.choice(np.array([low, high], wide), shape)
        return np.where(random.random(shape) < _SPECIAL, ends, numbers).astype(ty.numpy)

    def floats(self, random: np.random.Generator, shape: tuple[int, ...], ty: DType) -> Array:
        """Return random floats of a type, whose products are still numbers of the type."""
        numbers = random.standard_normal(shape) * self._scale(ty)
        if self.special:
            mixed = random.random(shape) < _SPECIAL
            numbers = np.where(mixed, random.choice(self.special, shape), numbers)
        return np.asarray(numbers, ty.numpy)

    def _scale(self, ty: DType) -> float:
        return min(self.scale, ty.largest**0.25)


_CODES = (0, 1, 2, 4, 3, 5, 6, 7)
"""The digits of a sample's number that are added to its last one, for truth values at a place.

Any three of the sums are linearly independent, and so are the first four.
"""

_SPECIAL = 0.4
"""The share of special numbers."""

_ZEROS = 5
"""The sample whose scalars at even places are 0; those at odd places are 0 in the next sample.

It comes after the five samples of every program; the other numbers of both are small.
"""


BASE = Sample(sizes=(2, 3, 4, 5, 6))
"""The first sample: small numbers, for which most programs end without an error.

Distinct sizes reveal passes that confuse them; there are few, so that tensors of many axes stay
small.
"""

DEEP = replace(BASE, least=-100, most=100, scale=4.0, nesting=6)
"""The second sample of programs that take data: recursive data as deep and full as possible.

It is not the first, because the time may grow exponentially with the depth.
"""

SAMPLES = (
    BASE,
    Sample(1, -4, 12, scale=16.0, special=(0.0, -0.0), sizes=(1,)),
    Sample(2, None, None, scale=1000.0, sizes=(16,) * 4 + (1,) * 4),
    Sample(3, -100, 100, special=(math.nan, math.inf, -math.inf), sizes=(3,)),
    Sample(4, None, None, sizes=(0,)),
)
"""The samples of every program: signs, large numbers, special floats, and sizes of 0, 1 and 16.

A size of 16 fills a vector of the machine; at most four axes have it, so that tensors stay small.
"""

MOST_SAMPLES = 16
"""The limit of samples; data types with more constructors than this are not tried entirely."""


def samples(count: int) -> list[Sample]:
    """Return at least `count` samples within the limit: those after the fifth repeat the five.

    They have other random numbers, and other combinations of truth values and constructors.
    """
    numbers = range(max(len(SAMPLES), min(count, MOST_SAMPLES)))
    return [replace(SAMPLES[number % len(SAMPLES)], number=number) for number in numbers]
