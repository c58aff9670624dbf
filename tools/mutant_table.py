"""The outcomes of mutants: surveys in `benchmarks/results/mutants`, and the summary page.

A survey is a file of outcomes. `reasons.json` in the same folder lists, with reasons, the mutants
that no test needs to catch: those that are the same program, and those that change an arbitrary
limit. If today's sources no longer have a listed mutant, it is gone.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mutant_sites import Mutant, Sites, mutants_of

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results"
FOLDER = RESULTS / "mutants"
REASONS = FOLDER / "reasons.json"
TABLE = RESULTS / "mutants.md"

KINDS = ("caught", "equivalent", "gone", "arbitrary limit", "shown", "not caught", "not entered")
LEFT_OUT = ("equivalent", "gone")
"""The kinds that the shares leave out."""

HEAD = """# Mutants

Made by `tools/mutants.py`. A mutant is *caught* if a test fails; *equivalent* if it is the same
program, for the reason below; *gone* if it was equivalent when it was drawn, and today's sources
no longer have its place; an *arbitrary limit* if it is another program, with a limit or a number
that could as well be this one; *shown* if no test fails, but a random program or a golden case has
another type or value. Functions *not entered* have no recorded test. The shares are those of the
caught among those that are neither equivalent nor gone, so arbitrary limits count as not caught: at
*first*, before any test was added for a mutant, and *now*. Of mutants of passes, verification has
*named* so many: on golden cases or, if they are as before on these, on 200 *random* programs, most
of which contain a golden case. It has minimised the programs of so many to at most ten nodes, and
of so many to a *smallest* one: no single edit of the minimiser gives a smaller program on which the
pass fails in the same way. *Neither* is true of the rest. *Wrong values* are those of the named
that change a value (`C041`).

| of | drawn | caught | equivalent | gone | arbitrary limit | shown | not caught \
| not entered | first | now | named | random | wrong values | ≤ 10 | smallest | neither |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""

RANDOM = "random "
"""The beginning of the names of random programs."""

LARGE = 10
"""The number of nodes above which a minimised program is listed."""

NOT_MINIMISED = {
    "gone": "the mutated code no longer exists",
    "unpatchable": "the mutated code runs when its module is imported, and fails",
    "message": "it does not end within the time or the memory of a probe",
}
"""The reasons why no program of a named mutant has been minimised, by the key of a record."""

UNNAMED = """
## Caught, but not named

Verification does not name so many of the mutants that a test catches:

| of | mutants | because |
|---|---|---|
"""

KEPT = "no type and no value changes on the golden cases and on {} random programs"
NO_USE = (
    "no type and no value changes on the golden cases, if any enter the function; there are no "
    "random programs, because no pass that keeps values and needs no options uses it"
)
NOT_TRIED = "random programs have not been tried"


class Survey:
    """The outcomes of mutation tests of the files and folders `of`, stored in a JSON file."""

    def __init__(self, path: Path, of: Sequence[str] | None = None) -> None:
        self.path = path
        found: Any = {"of": [], "outcomes": {}}
        if path.exists():
            found = json.loads(path.read_text("utf-8"))
        self.of: Sequence[str] = of or found["of"]
        self.outcomes: dict[str, Any] = found["outcomes"]

    def missing(self, mutants: Sequence[Mutant], again: bool) -> list[Mutant]:
        """Return the mutants without an outcome; with `again`, also those that no test caught."""
        caught = {name for name, one in self.outcomes.items() if one.get("caught")}
        done = caught | reasons().keys() if again else self.outcomes.keys()
        return [each for each in mutants if str(each) not in done]

    def add(self, outcome: dict[str, Any]) -> None:
        """Write an outcome; `again` marks that of a mutant that has been run before."""
        name = outcome.pop("mutant")
        again = {"again": True} if name in self.outcomes else {}
        self.update(name, outcome | again)

    def update(self, name: str, outcome: dict[str, Any]) -> None:
        """Replace the outcome of a mutant in the file."""
        self.outcomes[name] = outcome
        self.path.parent.mkdir(parents=True, exist_ok=True)
        found = {"of": self.of, "outcomes": self.outcomes}
        text = json.dumps(found, indent=0, ensure_ascii=False)
        self.path.write_text(f"{text}\n", encoding="utf-8")


@dataclass(frozen=True)
class Reason:
    """Why no test needs to catch a mutant: its kind, and a sentence."""

    kind: str
    because: str


def kind(name: str, outcome: Mapping[str, Any], reasons: Mapping[str, Reason]) -> str:
    """Return the outcome of a mutant as one word or two."""
    if outcome.get("caught"):
        return "caught"
    if name in reasons:
        return reasons[name].kind
    probed = outcome.get("probed", {})
    if probed.get("named") or probed.get("drawn"):
        return "shown"
    return "not caught" if outcome["tests"] else "not entered"


def write_table() -> None:
    """Write the page of all surveys."""
    paths = [path for path in sorted(FOLDER.glob("*.json")) if path != REASONS]
    surveys = {path.stem: Survey(path).outcomes for path in paths}
    TABLE.write_text(table(surveys, reasons()), encoding="utf-8")


def reasons() -> dict[str, Reason]:
    """Return the reasons of the mutants that no test needs to catch.

    An equivalent mutant is gone if today's sources do not have it.
    """
    kinds: dict[str, dict[str, str]] = json.loads(REASONS.read_text("utf-8"))
    return {
        name: Reason("gone" if kind == "equivalent" and not _exists(name) else kind, because)
        for kind, entries in kinds.items()
        for name, because in entries.items()
    }


def _exists(name: str) -> bool:
    """Whether today's sources have a mutant, in its file or another one of the folder."""
    return _sites((ROOT / name.partition(":")[0]).parent).find(name) is not None


@cache
def _sites(folder: Path) -> Sites:
    paths = sorted(folder.glob("*.py"))
    files = [(path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in paths]
    return Sites([each for name, source in files for each in mutants_of(name, source)])


def table(surveys: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Reason]) -> str:
    """Return the page that surveys make."""
    lines: list[str] = []
    left: dict[str, list[str]] = {each: [] for each in KINDS[1:]}
    for survey, outcomes in surveys.items():
        kinds = {name: kind(name, one, reasons) for name, one in outcomes.items()}
        lines.append(_row(survey, list(kinds.values()), outcomes.values()))
        for name, what in kinds.items():
            if what in left:
                left[what].append(
                    f"- {name}" + (f": {reasons[name].because}" if name in reasons else "")
                )
    left["named, with more than ten nodes"] = [*_large(surveys)]
    lines += [UNNAMED.rstrip("\n"), *_unnamed(surveys)]
    for what, entries in left.items():
        lines += ["", f"## {what.capitalize()}", "", *entries] if entries else []
    return HEAD + "\n".join(lines) + "\n"


def _unnamed(surveys: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the rows of caught mutants of passes that verification does not name, by reason."""
    for survey, outcomes in surveys.items():
        probes = [
            one["probed"] for one in outcomes.values() if one.get("caught") and "probed" in one
        ]
        reasons = Counter(_reason(each) for each in probes if not each.get("named"))
        for reason, count in reasons.most_common():
            yield f"| {survey} | {count} | {reason} |"


def _reason(probed: Mapping[str, Any]) -> str:
    """Return why verification has not named a mutant."""
    if "programs" in probed:
        return KEPT.format(probed["programs"]) if probed["programs"] else NO_USE
    return next((NOT_MINIMISED[key] for key in NOT_MINIMISED if key in probed), NOT_TRIED)


def _row(survey: str, kinds: Sequence[str], outcomes: Collection[Mapping[str, Any]]) -> str:
    counts = [kinds.count(each) for each in KINDS]
    first = sum(bool(one.get("caught")) and "again" not in one for one in outcomes)
    counted = max(1, sum(each not in LEFT_OUT for each in kinds))
    shares = [f"{caught / counted:.1%}" for caught in (first, counts[0])]
    named = [each for one in outcomes if (each := one.get("probed", {}).get("named"))]
    random = sum(each["case"].startswith(RANDOM) for each in named)
    wrong = sum(each["code"] == "C041" for each in named)
    small = sum(_is_small(each) for each in named)
    smallest = sum(each.get("smallest", False) for each in named)
    neither = sum(not (_is_small(each) or each.get("smallest")) for each in named)
    cells = (
        survey,
        len(kinds),
        *counts,
        *shares,
        len(named),
        random,
        wrong,
        small,
        smallest,
        neither,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _is_small(named: Mapping[str, Any]) -> bool:
    return named["nodes"] is not None and named["nodes"] <= LARGE


def _large(surveys: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield lines about the named mutants whose programs have more than ten nodes, or are none."""
    for outcomes in surveys.values():
        for name, one in outcomes.items():
            probed = one.get("probed", {})
            named = probed.get("named")
            if named and not _is_small(named):
                yield f"- {name}: {named['code']}, {_size(probed)}"


def _size(probed: Mapping[str, Any]) -> str:
    """Return the size of a minimised program, or the reason why there is none."""
    nodes = probed["named"]["nodes"]
    if nodes is not None:
        is_smallest = probed["named"].get("smallest")
        return f"{nodes} nodes, {'the smallest' if is_smallest else 'the search was cut short'}"
    reasons = (NOT_MINIMISED[key] for key in NOT_MINIMISED if probed.get(key))
    return next(reasons, "the pass has not failed by an error of a program")
