"""The outcomes of mutants: surveys in `benchmarks/results/mutants`, and the summary page.

A survey is a file of outcomes. `equivalent.json` in the same folder lists mutants that do not
change the program's behaviour, with reasons.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from mutant_sites import Mutant

RESULTS = Path(__file__).parents[1] / "benchmarks/results"
FOLDER = RESULTS / "mutants"
EQUIVALENT = FOLDER / "equivalent.json"
TABLE = RESULTS / "mutants.md"

KINDS = ("caught", "equivalent", "shown", "not caught", "not entered")

HEAD = """# Mutants

Made by `tools/mutants.py`. A mutant is *caught* if a test fails; *equivalent* if it is the same
program, for the reason below; *shown* if no test fails, but a random program or a golden case has
another type or value. Functions *not entered* have no recorded test. The shares are those of the
caught among those that are not equivalent: at *first*, before any test was added for a mutant, and
*now*. Of mutants of passes, verification has *named* so many on golden cases, and minimised so many
programs to at most ten nodes.

| of | drawn | caught | equivalent | shown | not caught | not entered | first | now | named | ≤ 10 |
|---|---|---|---|---|---|---|---|---|---|---|
"""


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
        done = caught | _reasons().keys() if again else self.outcomes.keys()
        return [each for each in mutants if str(each) not in done]

    def add(self, outcome: dict[str, Any]) -> None:
        """Write an outcome; `again` marks that of a mutant that has been run before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        name = outcome.pop("mutant")
        again = {"again": True} if name in self.outcomes else {}
        self.outcomes[name] = outcome | again
        found = {"of": self.of, "outcomes": self.outcomes}
        text = json.dumps(found, indent=0, ensure_ascii=False)
        self.path.write_text(f"{text}\n", encoding="utf-8")


def kind(name: str, outcome: Mapping[str, Any], reasons: Mapping[str, str]) -> str:
    """Return the outcome of a mutant as one word."""
    if outcome.get("caught"):
        return "caught"
    if name in reasons:
        return "equivalent"
    probed = outcome.get("probed", {})
    if probed.get("named") or probed.get("drawn"):
        return "shown"
    return "not caught" if outcome["tests"] else "not entered"


def write_table() -> None:
    """Write the page of all surveys."""
    paths = [path for path in sorted(FOLDER.glob("*.json")) if path != EQUIVALENT]
    surveys = {path.stem: Survey(path).outcomes for path in paths}
    TABLE.write_text(table(surveys, _reasons()), encoding="utf-8")


def _reasons() -> dict[str, str]:
    return json.loads(EQUIVALENT.read_text("utf-8")) if EQUIVALENT.exists() else {}


def table(surveys: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str]) -> str:
    """Return the page that surveys make."""
    lines: list[str] = []
    left: dict[str, list[str]] = {each: [] for each in KINDS[1:]}
    for survey, outcomes in surveys.items():
        kinds = {name: kind(name, one, reasons) for name, one in outcomes.items()}
        lines.append(_row(survey, list(kinds.values()), outcomes.values()))
        for name, what in kinds.items():
            if what in left:
                left[what].append(f"- {name}" + (f": {reasons[name]}" if name in reasons else ""))
    for what, entries in left.items():
        lines += ["", f"## {what.capitalize()}", "", *entries] if entries else []
    return HEAD + "\n".join(lines) + "\n"


def _row(survey: str, kinds: Sequence[str], outcomes: Collection[Mapping[str, Any]]) -> str:
    counts = [kinds.count(each) for each in KINDS]
    first = sum(bool(one.get("caught")) and "again" not in one for one in outcomes)
    shares = [f"{caught / max(1, len(kinds) - counts[1]):.1%}" for caught in (first, counts[0])]
    found = [one.get("probed", {}).get("named") for one in outcomes]
    named = [each for each in found if each]
    small = sum((each["nodes"] or 99) <= 10 for each in named)
    return f"| {' | '.join(map(str, (survey, len(kinds), *counts, *shares, len(named), small)))} |"
