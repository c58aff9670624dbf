"""Changes of a list of passes for the search: omit one, move one, limit kernel size.

A pass is identified by its title and the number of its occurrence, from 0.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from relay.support.node import Value, replace, value
from relay.transform.fuse_operators import FuseOperators
from relay.transform.pipeline import Pass


class PassChange(Value):
    """A change of a list of passes; it has no effect if the pass is not in the list."""

    __slots__ = ()

    @abstractmethod
    def apply(self, passes: Sequence[Pass]) -> list[Pass]:
        """Return the changed list."""


@value
class Without(PassChange):
    """A change that omits a pass."""

    title: str
    occurrence: int = 0

    def apply(self, passes: Sequence[Pass]) -> list[Pass]:
        """Return the list without the pass."""
        place = _place(passes, self.title, self.occurrence)
        return [each for number, each in enumerate(passes) if number != place]

    def __str__(self) -> str:
        return f"without {_named(self.title, self.occurrence)}"


@value
class Moved(PassChange):
    """A change that moves a pass by some positions: later, or earlier if negative."""

    title: str
    occurrence: int
    by: int

    def apply(self, passes: Sequence[Pass]) -> list[Pass]:
        """Return the list with the pass moved."""
        place = _place(passes, self.title, self.occurrence)
        if place is None:
            return list(passes)
        rest = [*passes[:place], *passes[place + 1 :]]
        to = max(0, min(len(rest), place + self.by))
        return [*rest[:to], passes[place], *rest[to:]]

    def __str__(self) -> str:
        where = "later" if self.by > 0 else "earlier"
        return f"{_named(self.title, self.occurrence)} {abs(self.by)} places {where}"


@value
class KernelsOfAtMost(PassChange):
    """A change that limits fused kernels to a number of operators."""

    limit: int

    def apply(self, passes: Sequence[Pass]) -> list[Pass]:
        """Return the list with the fusion pass limited to kernels of `limit` operators."""
        return [
            replace(each, limit=self.limit) if isinstance(each, FuseOperators) else each
            for each in passes
        ]

    def __str__(self) -> str:
        return f"kernels of at most {self.limit} operators"


def changes(
    passes: Sequence[Pass], needed: Sequence[Pass], random: np.random.Generator
) -> Iterator[PassChange]:
    """Yield changes without end: first omit each optional pass, then draw random changes.

    A pass is optional if it occurs more often in `passes` than in `needed`.
    """
    optional = Counter(each.title() for each in passes) - Counter(e.title() for e in needed)
    occurrences = [(title, n) for title, count in optional.items() for n in range(count)]
    yield from (Without(title, number) for title, number in occurrences)
    yield from map(KernelsOfAtMost, (1, 4, 16))
    while occurrences:
        title, number = occurrences[random.integers(len(occurrences))]
        yield Moved(title, number, int(random.choice([-4, -2, -1, 1, 2, 4])))


def _place(passes: Sequence[Pass], title: str, occurrence: int) -> int | None:
    places = [place for place, each in enumerate(passes) if each.title() == title]
    return places[occurrence] if occurrence < len(places) else None


def _named(title: str, occurrence: int) -> str:
    return f"{title}#{occurrence + 1}" if occurrence else title
