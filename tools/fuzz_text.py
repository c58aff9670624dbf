"""Parse mutated programs: `relay.parse` must return a program or raise a `RelayError`.

`python tools/fuzz_text.py --count 100000` takes valid texts, damages each in one to four positions
(tokens deleted, doubled, swapped or replaced; characters flipped; two texts spliced) and parses
them. A text must be rejected with an error that has a location, or be parsed; the printed form of a
parsed program must parse to an equal one. Exits with 1 and prints the texts that broke a rule.
"""

import argparse
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.ir.equality import structural_equal
from relay.support.errors import RelayError, TypeWarning
from relay.text.printer import text_of

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "relay/prelude", "docs/language")
LONGEST = 4_000  # characters of a seed; long ones would cost time and teach nothing more
SLOW = 5.0  # seconds that no text of this length may take
_TOKEN = re.compile(r"\s+|[%@]?\w[\w.]*|\#\[[^\]]*\]|=>|->|[<>=!]=|\"[^\"\n]*\"|.", re.ASCII)
_BLOCK = re.compile(r"^```relay[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CHARACTERS = "%@(){}[]<>,;:.=-+*/?!\"'_#0123456789abefimnrtuxyTN \n\t\\\0é∞\ud800"


def seeds() -> list[str]:
    """Return the texts of this repository that `relay.parse` accepts."""
    found: list[str] = []
    for folder in FOLDERS:
        paths = sorted(ROOT.joinpath(folder).rglob("*.rly"))
        found += [path.read_text(encoding="utf-8") for path in paths]
        for page in sorted(ROOT.joinpath(folder).rglob("*.md")):
            found += _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for text in found if len(text) <= LONGEST and _is_program(text)]


def _is_program(text: str) -> bool:
    try:
        relay.parse(text)
    except RelayError:
        return False
    return True


def _delete(tokens: list[str], at: int) -> None:
    del tokens[at]


def _double(tokens: list[str], at: int) -> None:
    tokens.insert(at, tokens[at])


class Mutator:
    """Damages tokenised texts; its random choices are determined by a seed."""

    def __init__(self, texts: Sequence[str], seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - nothing here is secret
        self.cut = [_TOKEN.findall(text) for text in texts]
        self.mutations = (_delete, _double, self._swap, self._replace, self._flip, self._splice)

    def mutant(self) -> str:
        """Return one damaged text."""
        tokens = list(self.rng.choice(self.cut))
        for _ in range(self.rng.randrange(1, 5)):
            if tokens:
                self.rng.choice(self.mutations)(tokens, self.rng.randrange(len(tokens)))
        return "".join(tokens)

    def _swap(self, tokens: list[str], at: int) -> None:
        other = self.rng.randrange(len(tokens))
        tokens[at], tokens[other] = tokens[other], tokens[at]

    def _replace(self, tokens: list[str], at: int) -> None:
        tokens[at] = self.rng.choice(self.rng.choice(self.cut))

    def _flip(self, tokens: list[str], at: int) -> None:
        token, place = tokens[at], self.rng.randrange(len(tokens[at]) + 1)
        rest = token[place + self.rng.randrange(2) :]
        tokens[at] = token[:place] + self.rng.choice(_CHARACTERS) + rest

    def _splice(self, tokens: list[str], at: int) -> None:
        other = self.rng.choice(self.cut)
        start = self.rng.randrange(len(other))
        tokens[at : at + self.rng.randrange(40)] = other[start : start + self.rng.randrange(1, 40)]


def mutants(texts: Sequence[str], count: int, seed: int = 0) -> Iterator[str]:
    """Yield damaged texts, the same ones for the same seed."""
    mutator = Mutator(texts, seed)
    return (mutator.mutant() for _ in range(count))


def verdict(text: str) -> str:
    """Return the outcome for a text: an error code, `program`, or `broken` with a reason."""
    started = time.process_time()
    try:
        module = relay.parse(text)
    except RelayError as error:
        found = error.code if error.span is not None else f"broken: {error.code} without a place"
        str(error)  # it can be drawn
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        found = f"broken: {type(error).__name__}: {error}"
    else:
        found = _read_back(module)
    took = time.process_time() - started
    return f"broken: {took:.1f} s" if took > SLOW else found


def _read_back(module: relay.Module) -> str:
    try:
        text = text_of(module)
        same = structural_equal(relay.parse(text), module)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"broken: read back: {type(error).__name__}: {error}"
    return "program" if same else "broken: reads back as another program"


def main() -> int:
    """Mutate texts and count outcomes; return 1 if a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore", TypeWarning)
    texts, counts, broken = seeds(), Counter[str](), 0
    for text in mutants(texts, options.count, options.seed):
        found = verdict(text)
        counts[found.partition(":")[0]] += 1
        if found.startswith("broken"):
            broken += 1
            print(f"--- {found}\n{text.encode('utf-8', 'backslashreplace').decode()}")
    shares = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    print(f"{options.count} mutants of {len(texts)} texts: {shares}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
