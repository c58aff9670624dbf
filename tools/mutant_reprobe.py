"""Probe mutants of passes again: what verification names today, and how small its programs are.

    PYTHONPATH=. pytest -p tools.mutant_coverage --coverage-file FILE tests/transform/test_golden.py
    python tools/mutant_reprobe.py --coverage FILE

Each mutant with an outcome in the survey is applied to today's sources, and verified on the golden
cases that enter its function, first the one that has named it before. If its file or function has
another name now, the only mutant of the same folder with the same change is taken.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mutant_sites import Mutant, Sites
from mutant_table import FOLDER, Survey, write_table
from mutants import ROOT, Coverage, coverage, drawn

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools import mutant_probe
from tools.mutant_patch import UnpatchableError, patch
from tools.mutant_server import Say, forked

SECONDS = 120
"""The limit of a mutant's processor time."""

_GOLDEN = "tests/transform/test_golden.py::test_golden["


def cases_of(mutant: Mutant, known: Coverage, first: Sequence[str]) -> list[str]:
    """Return the golden cases that enter a mutant's function, `first` ones first."""
    tests = known.all_of(mutant)
    golden = [each.removeprefix(_GOLDEN).rstrip("]") for each in tests if _GOLDEN in each]
    return [*first, *(each for each in golden if each not in first)]


def probed(mutant: Mutant, cases: Sequence[str]) -> dict[str, Any]:
    """Return what verification says of a mutant on some golden cases."""

    def work(say: Say) -> None:
        try:
            patch(mutant.path, mutant.applied((ROOT / mutant.path).read_bytes()))
        except UnpatchableError as error:
            say({"unpatchable": str(error)})
        else:
            mutant_probe.probe(mutant.path, cases, 0, say)

    return forked(work, SECONDS)


def outcome(name: str, before: Mapping[str, Any], sites: Sites, known: Coverage) -> dict[str, Any]:
    """Return the outcome of a mutant, with what verification says today."""
    mutant = sites.find(name)
    old: dict[str, Any] = before.get("probed", {})
    if mutant is None:
        return {**before, "probed": {**old, "gone": True}}
    first: list[str] = [old["named"]["case"]] if old.get("named") else []
    new = probed(mutant, cases_of(mutant, known, first))
    if "unpatchable" in new:
        return {**before, "probed": {**old, **new}}
    moved = {} if str(mutant) == name else {"site": str(mutant)}
    return {**before, "probed": {**old, **moved, **new}}


def main() -> None:
    """Probe all mutants of a survey, and write the table of all surveys."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="transform", help="the name of the survey")
    parser.add_argument("--coverage", nargs="+", type=Path, help="recorded coverage")
    parser.add_argument("--only", default="", help="only mutants with this text in their names")
    parser.add_argument("--unnamed", action="store_true", help="only mutants that are not named")
    options = parser.parse_args()
    survey = Survey(FOLDER / f"{options.name}.json")
    sites, known = Sites(drawn(survey.of, 0)), coverage(options.coverage)
    for name, before in [*survey.outcomes.items()]:
        is_left = options.unnamed and before.get("probed", {}).get("named")
        if options.only in name and not is_left:
            after = outcome(name, before, sites, known)
            print(name, json.dumps(after["probed"], ensure_ascii=False), flush=True)
            survey.update(name, after)
    write_table()


if __name__ == "__main__":
    main()
