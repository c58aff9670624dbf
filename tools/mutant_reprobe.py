"""Probe mutants of passes again: what verification names today, and how small its programs are.

    PYTHONPATH=. pytest -p tools.mutant_coverage --coverage-file FILE tests/transform/test_golden.py
    python tools/mutant_reprobe.py --coverage FILE --draws 200

Each mutant with an outcome in the survey is applied to today's sources, and verified on the golden
cases that enter its function, first the one that has named it before, and then on random programs
(`mutant_programs.py`). What runs during imports is mutated in a copy of the sources instead. A
random program on which the pass also fails without the mutant is left out. If the mutant's file or
function has another name now, the only mutant of the same folder with the same change is taken.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutant_sites import Mutant, Sites
from mutant_table import FOLDER, Survey, write_table
from mutants import ROOT, Copy, Coverage, coverage, drawn

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools import mutant_probe
from tools.mutant_patch import UnpatchableError, patch
from tools.mutant_programs import FEW, RandomTrials, Trial, golden_case
from tools.mutant_server import Say, forked

SECONDS = 300
"""The limit of a mutant's processor time."""

_GOLDEN = "tests/transform/test_golden.py::test_golden["


@dataclass(frozen=True)
class Prober:
    """What probes mutants: the mutants of today's sources, their golden cases, random programs."""

    sites: Sites
    known: Coverage
    random: RandomTrials

    def outcome(self, name: str, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outcome of a mutant, with what verification says today."""
        mutant = self.sites.find(name)
        old: dict[str, Any] = before.get("probed", {})
        if mutant is None:
            return {**before, "probed": {**old, "gone": True}}
        first: list[str] = [old["named"]["case"]] if old.get("named") else []
        new = self._probed(mutant, cases_of(mutant, self.known, first))
        if "unpatchable" in new:
            return {**before, "probed": {**old, **new}}
        moved = {} if str(mutant) == name else {"site": str(mutant)}
        named: dict[str, Any] = new.get("named") or {}
        if "text" in named:
            named |= mutant_probe.size_of(named.pop("text"))
        drawn = {"drawn": old["drawn"]} if "drawn" in old else {}
        return {**before, "probed": {**drawn, **moved, **new}}

    def _probed(self, mutant: Mutant, cases: Sequence[str]) -> dict[str, Any]:
        """Return what verification says of a mutant on golden cases and on random programs."""
        found = verified(mutant, cases, ())
        if "unpatchable" in found:
            return imported(mutant, cases, self.random.count)
        if "message" in found or found["named"]:
            return found
        trials = [*self.random.of(mutant.path, cases[:FEW])]
        while trials:
            found = verified(mutant, (), trials)
            report: dict[str, Any] = found.get("named") or {}
            broken = [each for each in trials if each.name == report.get("case")]
            if not (broken and _fails(broken)):
                break
            trials = trials[trials.index(broken[0]) + 1 :]
        return {**found, "programs": len(trials)}


def cases_of(mutant: Mutant, known: Coverage, first: Sequence[str]) -> list[str]:
    """Return the golden cases that enter a mutant's function, `first` ones first."""
    tests = known.all_of(mutant)
    golden = [each.removeprefix(_GOLDEN).rstrip("]") for each in tests if _GOLDEN in each]
    return [*first, *(each for each in golden if each not in first)]


def verified(mutant: Mutant, names: Sequence[str], trials: Sequence[Trial]) -> dict[str, Any]:
    """Return what verification says of a mutant on some golden cases and other trials."""

    def work(say: Say) -> None:
        try:
            patch(mutant.path, mutant.applied((ROOT / mutant.path).read_bytes()))
        except UnpatchableError as error:
            say({"unpatchable": str(error)})
        else:
            golden = [case for name in names if (case := golden_case(name))]
            _verify([*map(mutant_probe.golden_trial, golden), *trials], say)

    return {"named": None} | forked(work, SECONDS)


def imported(mutant: Mutant, cases: Sequence[str], draws: int) -> dict[str, Any]:
    """Return what verification says of a mutant in a copy of the sources, which are imported."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        Copy(root)
        (root / mutant.path).write_bytes(mutant.applied((ROOT / mutant.path).read_bytes()))
        command = [sys.executable, "tools/mutant_probe.py", mutant.path, "--draws", str(draws)]
        environment = os.environ | {"PYTHONPATH": folder, "RELAY_CACHE_DIR": f"{folder}/cache"}
        done = subprocess.run(
            [*command, "--cases", *cases],
            cwd=root, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        return {"unpatchable": done.stderr[-400:]}
    return json.loads(done.stdout.splitlines()[-1])


def _fails(trials: Sequence[Trial]) -> bool:
    """Whether verification names a pass on some trials without a mutant."""
    return bool(forked(lambda say: _verify(trials, say), SECONDS).get("named"))


def _verify(trials: Sequence[Trial], say: Say) -> None:
    say({"named": mutant_probe.named(trials)})


def main() -> None:
    """Probe all mutants of a survey, and write the table of all surveys."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="transform", help="the name of the survey")
    parser.add_argument("--coverage", nargs="+", type=Path, help="recorded coverage")
    parser.add_argument("--only", default="", help="only mutants with this text in their names")
    parser.add_argument("--unnamed", action="store_true", help="only mutants that are not named")
    parser.add_argument(
        "--new", action="store_true", help="only caught ones without random programs"
    )
    parser.add_argument("--draws", type=int, default=200, help="random programs for a mutant")
    options = parser.parse_args()
    survey = Survey(FOLDER / f"{options.name}.json")
    sites = Sites(drawn(survey.of, 0))
    prober = Prober(sites, coverage(options.coverage), RandomTrials(options.draws))
    for name, before in [*survey.outcomes.items()]:
        old = before.get("probed", {})
        is_done = (options.unnamed and old.get("named")) or (
            options.new and ("programs" in old or not before.get("caught"))
        )
        if options.only in name and not is_done:
            after = prober.outcome(name, before)
            print(name, json.dumps(after["probed"], ensure_ascii=False), flush=True)
            survey.update(name, after)
    write_table()


if __name__ == "__main__":
    main()
