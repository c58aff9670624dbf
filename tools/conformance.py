"""Run what CI does not: other frameworks, other Pythons, and what takes hours; `make conformance`.

    python tools/conformance.py                 every check whose packages are installed
    python tools/conformance.py jax wheel       the checks whose names contain these words
    python tools/conformance.py "random onnx"   the check with exactly this name
    CASES=60 python tools/conformance.py random     cases of each generator, instead of 200
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
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "conformance.md"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RELAY = ("numpy", "llvmlite", "ml-dtypes", "onnx", "rich")
"""The packages that Relay itself needs."""
COUNT = int(os.environ.get("CASES", "200"))
"""The number of cases that each generator draws here; `benchmarks/results` records longer runs."""

TABLES = {
    "chains": "chains",
    "compositions": "derivatives",
    "gradients": "derivatives",
    "passes": "passes",
}
"""The tables of generators in benchmarks/results."""

NOT_YET = "not run yet"
ELSEWHERE = "long runs are in"
"""The beginning of the result of a check whose long runs are in another table."""

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


@dataclass(frozen=True)
class Check:
    """A command, and the packages that it needs."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    otherwise: str = "no such Python here"
    """The reason why there is no command."""
    table: str = ""
    """The table of benchmarks/results in which long runs of the same tool are recorded."""

    @property
    def not_run(self) -> str:
        """Return the line of a check that was not run."""
        if not self.table:
            return f"| {self.name} | {NOT_YET} | – | – | – | – |"
        path = f"benchmarks/results/{self.table}.md"
        said = f"{ELSEWHERE} [{self.table}.md](../{path})"
        day, commit = (git("log", "-1", "--format=%as %h", "--", path) or "– –").split()
        return f"| {self.name} | {said} | – | {day} | {commit} | – |"


def checks() -> Iterator[Check]:
    """Yield all checks, cheap ones first."""
    for python in PYTHONS:
        yield Check(f"wheel on Python {python}", wheel_command(python), ("build",))
    yield Check("slow tests", pytest("-m", "slow"), ("torch", "scikit-learn"))
    optimised = (("OPTIMISED_VALUES", "1"),)
    yield Check(
        "values of optimised programs", pytest("-m", "values and not slow"), ("torch",), optimised
    )
    yield Check("functions of JAX", pytest("-m", "jax"), ("jax",))
    yield Check("modules of PyTorch", pytest("-m", "torch"), ("torch",))
    yield Check(
        "networks of Keras",
        tool("keras_models.py", "compare"),
        ("keras", "jax", "h5py"),
        (("KERAS_BACKEND", "jax"),),
    )
    yield Check(
        "networks of TensorFlow",
        tool("tensorflow_networks.py", "compare"),
        ("keras", "tensorflow-cpu"),
    )
    yield Check(
        "networks of MXNet's zoo",
        mxnet_command(),
        otherwise="MXNET_NETWORKS is to name a folder of networks",
        table="mxnet_networks",
    )
    yield Check(
        "networks of torchvision and transformers",
        tool("torch_models.py"),
        ("torch", "torchvision", "transformers"),
        table="torch_models",
    )
    yield Check(
        "models of TensorFlow Lite against LiteRT",
        lite_command(),
        ("tflite", "ai-edge-litert"),
        otherwise="LITE_MODELS is to name a folder of models",
    )
    yield Check(
        "a language model against transformers",
        language_command(),
        ("torch", "transformers", "gguf", "accelerate"),
        otherwise="LANGUAGE_MODEL is to name a .gguf file",
        table="language_model",
    )
    exported = tool("language_models.py")
    yield Check("exported language models against PyTorch", exported, ("torch", "onnxscript"))
    yield Check("the C runtime under sanitizers", ("make", "sanitize"))
    sanitized = functools.partial(tool, "sanitize_programs.py")
    programs = sanitized("programs", "--count", str(COUNT))
    yield Check("random programs under sanitizers", programs, table="robustness")
    for case in ("callers", "interrupts", "fork", "faults", "tests"):
        yield Check(f"{case} under sanitizers", sanitized(case))
    for what in ("artefacts", "models"):
        flips = tool("flip_bits.py", what, "--count", str(COUNT))
        yield Check(f"bits flipped in {what}", flips, ("onnxruntime",), table="robustness")
    yield Check("suite of the ONNX standard", tool("onnx_suite.py"), ("onnx",))
    yield Check(
        "samples of PyTorch's operators",
        tool("torch_operators.py"),
        ("torch", "expecttest"),
        table="torch_operators",
    )
    yield Check(
        "pipelines of scikit-learn", tool("sklearn_models.py"), ("scikit-learn", "skl2onnx")
    )
    for fuzzer in sorted((ROOT / "tools").glob("fuzz_*.py")):
        name = fuzzer.stem.removeprefix("fuzz_")
        command = tool(fuzzer.name, "--count", str(COUNT))
        yield Check(f"random {name}", command, table=TABLES.get(name, ""))


def tool(name: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a tool."""
    return (sys.executable, str(ROOT / "tools" / name), *arguments)


def pytest(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs tests."""
    return (sys.executable, "-m", "pytest", "-q", "-rs", "-n", "auto", *arguments)


def wheel_command(version: str) -> tuple[str, ...]:
    """Return the command that checks the wheel with a version of Python, or nothing without it."""
    found = python_of(version)
    return () if found is None else tool("check_wheel.py", "--python", found)


def python_of(version: str) -> str | None:
    """Return a Python interpreter of a version from the path or from pyenv.

    None if there is none.
    """
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    own = sorted(versions.glob(f"{version}.*/bin/python"))
    on_path = shutil.which(f"python{version}")
    found = (
        [sys.executable] if version == f"{sys.version_info.major}.{sys.version_info.minor}" else []
    )
    return next(iter([*found, *map(str, own), *([on_path] if on_path else [])]), None)


def lite_command() -> tuple[str, ...]:
    """Return the command that compares the models in the folder `LITE_MODELS`, if it is named."""
    folder = os.environ.get("LITE_MODELS")
    paths = sorted(Path(folder).glob("*.tflite")) if folder else []
    return tool("tflite_compare.py", *map(str, paths)) if paths else ()


def mxnet_command() -> tuple[str, ...]:
    """Return the command that compares the networks in `MXNET_NETWORKS`, if it is named."""
    folder = os.environ.get("MXNET_NETWORKS")
    return tool("compare_mxnet.py", folder) if folder else ()


def language_command() -> tuple[str, ...]:
    """Return the command that compares the model in the file `LANGUAGE_MODEL`, if it is named."""
    path = os.environ.get("LANGUAGE_MODEL")
    return tool("compare_language_model.py", path, "--rounds", "1") if path else ()


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


def git(*arguments: str) -> str:
    """Return what git prints about this checkout, or "" if it is none."""
    if shutil.which("git") is None:
        return ""
    command = ("git", "-C", str(ROOT), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


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
