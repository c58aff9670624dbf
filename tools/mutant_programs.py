"""Programs on which mutants of passes are probed: golden cases, and random programs around them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.ir.module import Module
from relay.transform.pipeline import Pass
from relay.transform.to_mixed_precision import ToMixedPrecision
from tools.fuzzing.programs.pass_cases import PassCase, read_case
from tools.fuzzing.programs.pass_draws import drawn_passes, steps
from tools.fuzzing.programs.seeds import Seeds, expanded, registered_rules

GOLDEN = Path(__file__).parents[1] / "tests/transform/golden"
FEW = 12
"""The most golden cases that random programs contain."""

FIRST = 1 << 20
"""The first number drawn, chosen so that other tools do not use the same numbers."""


@dataclass(frozen=True)
class Trial:
    """A program, and the passes that run on it under verification."""

    name: str
    module: Module
    passes: Sequence[Pass]


def golden_case(name: str) -> PassCase | None:
    """Return a golden case; None if the mutant makes parsing it fail."""
    try:
        return read_case(GOLDEN / f"{name}.rly")
    except Exception:  # noqa: BLE001 - a mutant may break anything
        return None


def passes_of(file: str, cases: Sequence[PassCase]) -> list[Pass]:
    """Return the passes of a file or else those of some cases, as they are drawn."""
    known = [*drawn_passes(), ToMixedPrecision()]
    module = file.removesuffix(".py").replace("/", ".")
    own = [each for each in known if type(each).__module__ == module]
    titles = {each.title() for case in cases for each in expanded(case.passes)}
    return own or [each for each in known if each.title() in titles]


class RandomTrials:
    """Trials of random programs, each made once by passes without a mutant."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._known: dict[tuple[str, ...], Sequence[Trial]] = {}

    def of(self, file: str, names: Sequence[str]) -> Sequence[Trial]:
        """Return the trials of passes of a file, or of the passes of some golden cases.

        Most programs contain one of the cases, on which the passes act.
        """
        cases = [case for name in names if (case := golden_case(name))]
        chosen = passes_of(file, cases)
        key = (*sorted(names), "by", *(each.title() for each in chosen))
        if key not in self._known:
            self._known[key] = [*self._drawn(chosen, cases)] if chosen else []
        return self._known[key]

    def _drawn(self, chosen: Sequence[Pass], cases: Sequence[PassCase]) -> Iterator[Trial]:
        seeds = Seeds(cases)
        for number in range(FIRST, FIRST + self.count):
            with suppress(Exception), registered_rules():  # a pass may refuse a program, or fail
                *_, (module, each) = steps(number, chosen, seeds)
                yield Trial(f"random {number}", module, [each])
