"""Test the tests: draw mutants of a folder's sources, and run the tests that enter them.

    python tools/mutants.py --of relay/transform --tests tests/transform tests/classic --count 20

All mutants (`mutant_sites.py`) are shuffled by a seed, and `--first` and `--count` choose some of
them: a shard. The tests of a mutant are those that entered its function when coverage was recorded,
which happens first unless `--coverage` names a file that is there; the quickest come first, and
they have two minutes. What no test notices is probed for passes (`mutant_probe.py`) on random
programs.

A shard is written to `benchmarks/results/mutants`, and `benchmarks/results/mutants.md` is made of
all shards; with `--count 0` of those that are there.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mutant_sites import Mutant, mutants_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks/results/mutants"
TABLE = ROOT / "benchmarks/results/mutants.md"
SECONDS = 120
"""The processor time that the tests of a mutant have: other programs share the machine."""

PLANNED = 60.0
"""The seconds of tests that are chosen, as they were recorded."""

_GOLDEN = "tests/transform/test_golden.py::test_golden["


class Copy:
    """A copy of the sources in which mutants are applied, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy"
        for name in _files():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
        self._environment = os.environ | {
            "PYTHONPATH": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "1",  # the byte code of a mutant must not outlive it
            "CI": "1",  # property tests draw the same examples each time
        }

    def run(self, *command: str, seconds: int = SECONDS) -> "subprocess.CompletedProcess[str]":
        """Run Python in the copy; the system ends it after so many seconds of processor time."""
        return subprocess.run(
            [str(shutil.which("prlimit")), f"--cpu={seconds}", sys.executable, *command],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def outcome(self, mutant: Mutant, tests: Sequence[str], cases: str, draws: int) -> Any:
        """Return what tests and programs say of a mutant."""
        file = self.root / mutant.path
        original = file.read_bytes()
        file.write_bytes(mutant.applied(original))
        try:
            found: dict[str, Any] = {"caught": self._caught(tests)}
            if mutant.path.startswith("relay/transform/"):
                found |= self._probed(mutant, cases, 0 if found["caught"] else draws)
            return found
        finally:
            file.write_bytes(original)

    def _caught(self, tests: Sequence[str]) -> str:
        """Return the test that fails, or why there is no result; "" if all pass."""
        if not tests:
            return ""
        listed = self.root / "chosen_tests.txt"
        listed.write_text("\n".join(tests), encoding="utf-8")
        options = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-n", "0"]
        done = self.run("-m", "pytest", *options, f"@{listed}")
        if done.returncode < 0:
            return f"the tests end with signal {-done.returncode}"
        lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        return (failed or lines[-1:] or ["ended"])[0][:160] if done.returncode else ""

    def _probed(self, mutant: Mutant, cases: str, draws: int) -> Mapping[str, Any]:
        done = self.run("tools/mutant_probe.py", mutant.path, cases, str(draws), seconds=600)
        if done.returncode:
            last = (done.stderr.splitlines() or [""])[-1][:160]
            return {"named": None, "drawn": f"the probe ends with {done.returncode}: {last}"}
        found: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found


def _files() -> Sequence[str]:
    """Return the files of the checkout, those that are new included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def recorded(path: Path, of: str, tests: Sequence[str]) -> Mapping[str, Any]:
    """Return the coverage in a file, which is made if it is not there."""
    if not path.exists():
        options = ["--functions-of", of, "--coverage-file", str(path), "-n", "0"]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "mutant_coverage", *options, *tests],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tools'}", "CI": "1"},
            check=False,
        )
    found: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def tests_of(mutant: Mutant, coverage: Mapping[str, Any]) -> list[str]:
    """Return the tests that enter a mutant's function, or its file if it is in none."""
    functions: Mapping[str, list[str]] = coverage["functions"]
    key = f"{mutant.path}:{mutant.function}"
    whole = f"{mutant.path}:"
    found = [key] if mutant.function else [each for each in functions if each.startswith(whole)]
    tests = {test for each in found for test in functions.get(each, [])}
    return list(_planned(sorted(tests, key=coverage["tests"].get), coverage["tests"]))


def _planned(tests: Sequence[str], seconds: Mapping[str, float]) -> Iterator[str]:
    left = PLANNED
    for test in tests:
        left -= seconds[test]
        if left < 0:
            return
        yield test


def drawn(of: str, seed: int) -> list[Mutant]:
    """Return all mutants of a folder's sources in a random order."""
    files = sorted(path for path in (ROOT / of).rglob("*.py"))
    found = [
        each
        for path in files
        for each in mutants_of(path.relative_to(ROOT).as_posix(), path.read_bytes())
    ]
    random.Random(seed).shuffle(found)  # noqa: S311 - no secrets here
    return found


def shard(options: argparse.Namespace) -> list[Any]:
    """Return the outcomes of some mutants."""
    outcomes: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        path = options.coverage or Path(folder) / "coverage.json"
        coverage = recorded(path, options.of, options.tests)
        copy = Copy(Path(folder))
        chosen = drawn(options.of, options.seed)[options.first : options.first + options.count]
        for number, mutant in enumerate(chosen, options.first):
            tests = tests_of(mutant, coverage)
            golden = [each for each in tests if each.startswith(_GOLDEN)]
            cases = ",".join(each.removeprefix(_GOLDEN).rstrip("]") for each in golden)
            found = copy.outcome(mutant, tests, cases, options.draws)
            outcomes.append({"number": number, "mutant": str(mutant), "tests": len(tests)} | found)
            print(json.dumps(outcomes[-1]), flush=True)
    return outcomes


def table(shards: Sequence[Any]) -> str:
    """Return the page that all shards make."""
    lines = [
        "# Mutants",
        "",
        "Made by `tools/mutants.py`. A mutant is *caught* if a test fails; *shown* if no test",
        "fails, but a random program or a golden case has another type or value; otherwise it may",
        "be *the same* program. Functions *not entered* have no recorded test. Verification has",
        "*named* a pass, and its minimised program has so many nodes.",
        "",
        "| sources | mutants | caught | shown | the same | not entered | named | ≤ 10 nodes |",
        "|---|---|---|---|---|---|---|---|",
    ]
    folders = sorted({each["of"] for each in shards})
    left: list[str] = []
    for of in folders:
        outcomes = [one for each in shards if each["of"] == of for one in each["outcomes"]]
        count = Counter(map(kind, outcomes))
        named = [one["named"] for one in outcomes if one.get("named")]
        small = sum((each["nodes"] or 99) <= 10 for each in named)
        cells = (len(outcomes), *(count[each] for each in KINDS), len(named), small)
        lines.append(f"| `{of}` | {' | '.join(map(str, cells))} |")
        left += [
            f"- {kind(one)}: {one['mutant']} ({one['tests']} tests)"
            for one in outcomes
            if kind(one) != "caught"
        ]
    return "\n".join([*lines, "", "## Not caught", "", *left]) + "\n"


KINDS = ("caught", "shown", "the same", "not entered")


def kind(outcome: Mapping[str, Any]) -> str:
    """Return what became of a mutant."""
    if outcome["caught"]:
        return "caught"
    if outcome.get("named") or outcome.get("drawn"):
        return "shown"
    return "the same" if outcome["tests"] else "not entered"


def main() -> None:
    """Run a shard, and write the table of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", default="relay/transform", help="the folder whose sources change")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="the tests to record")
    parser.add_argument("--coverage", type=Path, help="a file of recorded coverage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--draws", type=int, default=200, help="random programs for a survivor")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.count:
        found = {"of": options.of, "seed": options.seed, "outcomes": shard(options)}
        name = f"{options.of.replace('/', '-')}-{options.seed}-{options.first}-{options.count}.json"
        (FOLDER / name).write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
    shards = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    TABLE.write_text(table(shards), encoding="utf-8")


if __name__ == "__main__":
    main()
