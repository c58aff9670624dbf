"""Test the tests: draw mutants of sources, and run the tests that enter them.

    PYTHONPATH=. CI=1 pytest -p tools.mutant_coverage --coverage-file /tmp/transform.json \
        tests/transform tests/classic
    python tools/mutants.py --name transform --coverage /tmp/transform.json --count 20

All mutants (`mutant_sites.py`) have an order that a seed determines; a change of the sources moves
none of the others. The first so many are run that have no outcome yet; with `--again`, also those
that no test has caught and that no reason excuses. The tests of a mutant are those that enter its
function, the quickest first.

1. They run in a fork of a process that has collected them (`mutant_server.py`).
2. What runs during imports, before any test, is mutated in a copy of the sources instead.
3. What no test notices in a pass is probed on random programs (`mutant_probe.py`).

Outcomes are kept in `benchmarks/results/mutants`, in a file for each survey, which also names the
sources, beside `reasons.json`, the reasons why no test needs to catch some mutants:
`benchmarks/results/mutants.md` is made of both.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutant_sites import Mutant, mutants_of
from mutant_table import FOLDER, Survey, write_table

ROOT = Path(__file__).parents[1]

PLANNED = 10.0
"""The limit of the recorded time of the tests chosen for a mutant, in seconds."""

_GOLDEN = "tests/transform/test_golden.py::test_golden["
_CASES = 6
_COLLECTION = -1


@dataclass(frozen=True)
class Coverage:
    """The tests that enter each function, fastest first, and the functions that imports enter."""

    tests: Mapping[str, Sequence[str]]
    seconds: Mapping[str, float]
    imported: frozenset[str]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests of a mutant for which there is time."""
        return list(self._planned(self.all_of(mutant)))

    def all_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that enter a mutant's function, or else its file, fastest first."""
        names = [_entered(mutant)]
        if not mutant.function:
            names = [name for name in self.tests if name.startswith(f"{mutant.path}:")]
        found = {test for name in names for test in self.tests.get(name, ())}
        return sorted(found, key=lambda test: (self.seconds[test], test))

    def _planned(self, tests: Sequence[str]) -> Iterator[str]:
        left = PLANNED
        for test in tests:
            left -= self.seconds[test]
            if left < 0:
                return
            yield test


def _entered(mutant: Mutant) -> str:
    return f"{mutant.path}:{mutant.function}"


def coverage(paths: Sequence[Path]) -> Coverage:
    """Return the merged records of some coverage files."""
    tests: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}
    imported: set[str] = set()
    for path in paths:
        found = json.loads(path.read_text("utf-8"))
        names = [name for name, _ in found["tests"]]
        seconds |= dict(found["tests"])
        for function, numbers in found["functions"].items():
            entering = [names[number] for number in numbers if number != _COLLECTION]
            tests.setdefault(function, []).extend(entering)
            if _COLLECTION in numbers:
                imported.add(function)
    return Coverage(tests, seconds, frozenset(imported))


def drawn(places: Sequence[str], seed: int) -> list[Mutant]:
    """Return all mutants of the sources in some folders, or of some files, in a random order."""
    files = sorted(path for name in places for path in _sources(ROOT / name))
    found = [
        each
        for path in files
        for each in mutants_of(path.relative_to(ROOT).as_posix(), path.read_bytes())
    ]
    return sorted(found, key=lambda each: hashlib.sha256(f"{seed} {each}".encode()).digest())


def _sources(place: Path) -> Sequence[Path]:
    return [place] if place.is_file() else list(place.rglob("*.py"))


def job(mutant: Mutant, tests: Sequence[str], draws: int) -> dict[str, Any]:
    """Return a job for the server: a mutant, its tests, and the number of random programs."""
    source = mutant.applied((ROOT / mutant.path).read_bytes()).decode()
    made: dict[str, Any] = {"mutant": str(mutant), "path": mutant.path, "source": source}
    made["tests"] = tests
    if mutant.path.startswith("relay/transform/"):
        golden = [each for each in tests if each.startswith(_GOLDEN)][:_CASES]
        made["cases"] = [each.removeprefix(_GOLDEN).rstrip("]") for each in golden]
        made["draws"] = draws
    return made


def served(jobs: Sequence[Mapping[str, Any]], root: Path) -> Iterator[dict[str, Any]]:
    """Yield the outcomes of jobs, run in a folder of sources, as soon as they are available.

    There are none if the tests cannot be collected.
    """
    files = sorted({test.partition("::")[0] for each in jobs for test in each["tests"]})
    environment = os.environ | {
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",  # the byte code of a mutant must not outlive it
        "CI": "1",  # property tests draw the same examples each time
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as listed:
        json.dump(jobs, listed)
        listed.flush()
        reading, writing = os.pipe()
        options = ["--mutants", listed.name, "--outcomes", f"/dev/fd/{writing}"]
        options += ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tools.mutant_server"]
        command = [sys.executable, "-m", "pytest", *options, *files]
        with (
            open(reading, encoding="utf-8") as lines,  # noqa: PTH123 - a pipe
            subprocess.Popen(
                command, cwd=root, env=environment, stdout=subprocess.DEVNULL, pass_fds=[writing]
            ),
        ):
            os.close(writing)
            yield from map(json.loads, lines)


class Copy:
    """A copy of the sources in which mutants are applied to files, one at a time."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        for name in _files():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)

    def outcome(self, made: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outcome of a job whose source is applied here.

        Tests that also fail without it are left out.
        """
        tests = list(made["tests"])
        while True:
            found = self._run(made, tests, made["source"].encode())
            caught = found.get("caught")
            if caught not in tests:
                return found
            until = tests[: tests.index(caught) + 1]
            failing = self._run(made, until, (ROOT / made["path"]).read_bytes()).get("caught")
            if not failing:
                return found
            tests.remove(failing)

    def _run(self, made: Mapping[str, Any], tests: Sequence[str], source: bytes) -> dict[str, Any]:
        file = self._root / made["path"]
        file.write_bytes(source)
        left = {name: made[name] for name in made if name != "source"}
        try:
            for found in served([left | {"tests": tests}], self._root):
                return found
        finally:
            file.write_bytes((ROOT / made["path"]).read_bytes())
        return {"tests": len(tests), "caught": "the tests cannot be collected"}


def _files() -> Sequence[str]:
    """Return the files of the checkout, including new ones."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def outcomes(chosen: Sequence[Mutant], known: Coverage, draws: int) -> Iterator[dict[str, Any]]:
    """Yield the outcomes of mutants."""
    jobs = {str(each): job(each, known.of(each), draws) for each in chosen}
    imported = {str(each) for each in chosen if _entered(each) in known.imported}
    yield from ({"mutant": name, "tests": 0} for name in jobs if not jobs[name]["tests"])
    waiting: list[str] = []
    for found in served([each for each in jobs.values() if each["tests"]], ROOT):
        name = found["mutant"]
        if "unpatchable" in found or (not found["caught"] and name in imported):
            waiting.append(name)
        else:
            yield found
    if waiting:
        with tempfile.TemporaryDirectory() as folder:
            copied = Copy(Path(folder))
            yield from ({"mutant": name} | copied.outcome(jobs[name]) for name in waiting)


def main() -> None:
    """Run mutants, and write the table of all surveys."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="transform", help="the name of the survey")
    parser.add_argument("--of", nargs="+", help="folders or files, if the survey is new")
    parser.add_argument("--coverage", nargs="*", type=Path, default=[], help="recorded coverage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=0, help="the first so many are run")
    parser.add_argument("--again", action="store_true", help="run again what is not caught")
    parser.add_argument("--draws", type=int, default=200, help="random programs for a survivor")
    options = parser.parse_args()
    survey = Survey(FOLDER / f"{options.name}.json", options.of)
    chosen = survey.missing(drawn(survey.of, options.seed)[: options.count], options.again)
    for outcome in outcomes(chosen, coverage(options.coverage), options.draws):
        print(json.dumps(outcome, ensure_ascii=False), flush=True)
        survey.add(outcome)
    write_table()


if __name__ == "__main__":
    main()
