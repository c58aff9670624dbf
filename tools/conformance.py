"""Run what CI does not: other frameworks, other Pythons, and what takes hours; `make conformance`.

    python tools/conformance.py                 every check whose packages are installed
    python tools/conformance.py jax wheel       the checks whose names contain these words
    python tools/conformance.py "random onnx"   the check with exactly this name
    CASES=60 python tools/conformance.py random     cases of each generator, instead of 200
    EVERY=20 python tools/conformance.py values     every twentieth test, instead of all
    LITE_MODELS=folder python tools/conformance.py LiteRT       .tflite models of a folder
    MXNET_NETWORKS=folder python tools/conformance.py MXNet    what mxnet_models.py wrote with MXNet
    LANGUAGE_MODEL=path python tools/conformance.py language    a .gguf file, such as SmolLM2's
    CONFORMANCE_PYTHONS=/venvs/keras/bin/python:/venvs/jax/bin/python make conformance

Frameworks that cannot be installed together have environments of their own: a check runs in the
first one that has its packages, this one or one of `CONFORMANCE_PYTHONS`. They need the packages
that Relay needs, and pytest with pytest-xdist; Relay itself is taken from this checkout.

Writes `docs/conformance.md`: a line for each check with its result, the commit on which it ran, and
the versions of what was compared. A check that was not chosen keeps its line. Exits with 1 if a
check fails; one whose packages are missing is not a failure, and the table names them.
"""

import functools
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # tools are those of this checkout
from tools.conformance_checks import ELSEWHERE, EVERY, NOT_YET, ROOT, Check, checks, git

PAGE = ROOT / "docs" / "conformance.md"
RELAY = ("numpy", "llvmlite", "ml-dtypes", "onnx", "rich")
"""The packages that Relay itself needs."""
_SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] \S+ (.+)$")
_ROW = re.compile(r"^\| ([^|]+?) \| .*\|$", re.MULTILINE)

LIST = """
import importlib.metadata, json
print(json.dumps([(each.name, each.version) for each in importlib.metadata.distributions()]))
"""

HEAD = """\
# Results of checks that CI does not run

`make conformance` runs checks for which CI has no time or no packages: comparisons with other
frameworks, other versions of Python, and long runs. The table has the last result of each check.
A check whose packages were not installed is marked as not run. If the long runs of a check are in
another table, date and commit are those of the last change of that table. After `in`, the commit is
the one that recorded the result.

| check | result | seconds | date | commit | with |
|---|---|---|---|---|---|
"""


def environments() -> list[str]:
    """Return the interpreters in which checks may run, in the order of preference."""
    others = os.environ.get("CONFORMANCE_PYTHONS", "").split(os.pathsep)
    return [sys.executable, *filter(None, others)]


@functools.cache
def versions(python: str) -> dict[str, str]:
    """Return the versions of the distributions that an interpreter finds, by normalised name."""
    done = subprocess.run([python, "-c", LIST], capture_output=True, text=True, check=True)
    return {_normalised(name): version for name, version in json.loads(done.stdout)}


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def environment_of(check: Check) -> str | None:
    """Return the first environment that has the distributions of a check."""
    needed = {*RELAY, *check.needs} if check.needs else set[str]()
    return next((each for each in environments() if needed <= versions(each).keys()), None)


def missing(check: Check) -> list[str]:
    """Return the distributions that a check needs and that this environment lacks."""
    known = versions(sys.executable)
    return [name for name in (*RELAY, *check.needs) if name not in known]


def row(check: Check) -> tuple[str, bool]:
    """Run a check; return its line of the table, and whether it failed."""
    python = environment_of(check)
    if python is None or not check.command:
        absent = missing(check)
        reason = f"{', '.join(absent)} not installed" if absent else check.otherwise
        if check.table:
            print(f"{check.name}: not run: {reason}")
            return check.not_run, False
        return f"| {check.name} | not run: {reason} | – | – | – | – |", False
    command = [python if word == sys.executable else word for word in check.command]
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    start = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths, **dict(check.environment)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - start
    said = [line for line in done.stdout.splitlines() if line.strip()] or ["nothing"]
    last = re.sub(r"\s+in [\d.]+s.*", "", said[-1].strip(" =").replace("|", "/"))[:160]
    last += skipped(said)
    if "--every" in command:
        last = f"one in {EVERY} tests: {last}"
    if done.returncode:
        print("\n".join(said[-40:]))
    state = "**failed**: " if done.returncode else ""
    used = ", ".join(f"{name} {versions(python)[name]}" for name in check.needs) or "–"
    today = datetime.now(UTC).date().isoformat()
    line = f"| {check.name} | {state}{last} | {seconds:.0f} | {today} | {state_of()} | {used} |"
    return line, bool(done.returncode)


def skipped(said: Sequence[str]) -> str:
    """Return why tests were skipped, with counts, from the lines that pytest prints; "" if none."""
    reasons: Counter[str] = Counter()
    for match in filter(None, map(_SKIPPED.match, said)):
        reasons[match[2].replace("|", "/")] += int(match[1])
    listed = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
    return listed and f" ({listed})"


def state_of() -> str:
    """Return the commit of this checkout, and whether its code has changes."""
    changes = git("status", "--porcelain", "--", "relay", "tests", "tools")
    commit = git("rev-parse", "--short=8", "HEAD") or "–"
    return f"{commit} with changes" if changes else commit


def foot() -> str:
    """Return the versions of the packages that most checks use."""
    found = versions(sys.executable)
    names = ("relay-compiler", *RELAY, "onnxruntime")
    known = [f"{name} {found[name]}" for name in names if name in found]
    where = f"Python {platform.python_version()} on {platform.machine()}"
    return f"\nRun with {where}: {', '.join(known)}.\n"


def record(name: str, line: str) -> None:
    """Write the line of a check into the table; other checks keep theirs."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    rows = {match[1]: match[0] for match in _ROW.finditer(page)}
    results = {each: row for each, row in rows.items() if not _is_without_result(row)}
    known = results | {name: line}
    lines = [known.get(check.name, check.not_run) for check in checks()]
    PAGE.write_text(HEAD + "\n".join(lines) + "\n" + foot(), encoding="utf-8")


def _is_without_result(line: str) -> bool:
    return f" | {NOT_YET} |" in line or f" | {ELSEWHERE} [" in line


def is_chosen(name: str, words: Sequence[str]) -> bool:
    """Whether a check is to run: a word that is the whole name of a check chooses that one only."""
    names = {each.name.lower() for each in checks()}
    return not words or any(
        word.lower() == name.lower() if word.lower() in names else word.lower() in name.lower()
        for word in words
    )


def main(words: Sequence[str]) -> int:
    """Run the chosen checks, and write the line of each when it is done."""
    if any(word.startswith("-") for word in words):
        print(__doc__)
        return int(words[0] not in ("-h", "--help"))
    failed = False
    for check in checks():
        if is_chosen(check.name, words):
            line, is_bad = row(check)
            failed |= is_bad
            print(line, flush=True)
            record(check.name, line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
