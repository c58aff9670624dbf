"""Sources of decisions for random programs: a seed, or a library that shrinks examples."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Choices(ABC):
    """A source of decisions. Earlier alternatives are simpler."""

    @abstractmethod
    def below(self, count: int) -> int:
        """Return a number from 0 up to, but not including, `count`."""

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def chance(self, one_in: int) -> bool:
        """Return True with probability 1 / `one_in`."""
        return self.below(one_in) == one_in - 1

    def between(self, low: int, high: int) -> int:
        """Return a number, both ends included."""
        return low + self.below(high - low + 1)


class RandomChoices(Choices):
    """Decisions that follow from a seed, deterministically.

    >>> RandomChoices(7).below(1000) == RandomChoices(7).below(1000)
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - no secrets here

    def below(self, count: int) -> int:
        """Return a number from 0 up to, but not including, `count`."""
        return int(self._random.random() * count)
