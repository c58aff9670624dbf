"""Run the tests of many mutants in forks of one process that has collected all tests.

    PYTHONPATH=. pytest -p tools.mutant_server --mutants FILE tests/semantics …

FILE lists jobs as JSON; `run_job` says what is in one. Each outcome is printed as a line of JSON to
the file `--outcomes`. Linux only.
"""

import json
import os
import resource
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tools.mutant_patch import UnpatchableError, patch

SECONDS = 60
"""The limit of a fork's processor time; its wall-clock time may be ten times as long."""

MEMORY = 8 << 30


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the files that are read and written."""
    parser.addoption("--mutants", type=Path)
    parser.addoption("--outcomes", type=Path)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the jobs instead of all tests."""
    path, outcomes_path = map(session.config.getoption, ("--mutants", "--outcomes"))
    if path is None or outcomes_path is None:
        return None
    items = {item.nodeid: item for item in session.items}
    sound: set[str] = set()
    with outcomes_path.open("w", encoding="utf-8") as outcomes:
        for job in json.loads(path.read_text("utf-8")):
            outcomes.write(json.dumps(run_job(job, items, sound)) + "\n")
            outcomes.flush()
    return True


def run_job(
    job: Mapping[str, Any], items: Mapping[str, pytest.Item], sound: set[str]
) -> Mapping[str, Any]:
    """Return the outcome of a job: a mutant, its tests in order, golden cases and random programs.

    The mutated `source` of a file `path` is applied in the fork; without one, the files that were
    imported are the mutant's. A failing test has caught it if the same tests, up to this one, pass
    in a fork without it; `sound` are tests that did so before. `probed` is what `mutant_probe.py`
    says of `cases` and `draws`, if the job has them.
    """
    tests = [items[name] for name in job["tests"] if name in items]

    def mutated() -> None:
        if "source" in job:
            patch(job["path"], job["source"].encode())

    found = forked(lambda say: _failure(tests, mutated, say))
    caught = found.get("caught")
    if caught and "source" in job and caught not in sound:
        until = [each.nodeid for each in tests].index(caught) + 1
        plain = forked(lambda say: _failure(tests[:until], lambda: None, say))
        if plain.get("caught"):
            found = {"caught": "", "unpatchable": f"{plain['caught']} fails without the mutant"}
        else:
            sound.update(each.nodeid for each in tests[:until])
    if "cases" in job and "unpatchable" not in found:
        draws = 0 if caught else job["draws"]
        found |= {"probed": forked(lambda say: _probe(job, draws, mutated, say))}
    return {"mutant": job["mutant"], "tests": len(tests)} | found


Say = Callable[[Mapping[str, Any]], None]


def forked(work: Callable[[Say], None], seconds: int = SECONDS) -> dict[str, Any]:
    """Run a function in a fork; return its last message and the signal that ended it.

    Its processor time is limited to `seconds`.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.json"
        path.write_text("{}", encoding="utf-8")
        child = os.fork()
        if not child:
            _limited(Path(folder), work, path, seconds)
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it has started
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if os.WIFSIGNALED(status):
        found["message"] = signal.strsignal(os.WTERMSIG(status))
    return found


def _limited(folder: Path, work: Callable[[Say], None], path: Path, seconds: int) -> None:
    """Run the work of a fork with its own cache and limits, then exit."""
    try:
        os.setpgid(0, 0)
        os.environ["RELAY_CACHE_DIR"] = str(folder)  # kernels of a mutant stay its own
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10 * seconds)

        def say(found: Mapping[str, Any]) -> None:
            path.with_suffix(".new").write_text(json.dumps(found), encoding="utf-8")
            path.with_suffix(".new").replace(path)

        work(say)
    except BaseException:  # noqa: BLE001 - nothing may run in the fork afterwards
        path.write_text(json.dumps({"unpatchable": traceback.format_exc()[-400:]}), "utf-8")
    finally:
        os._exit(0)


def _failure(tests: Sequence[pytest.Item], mutated: Callable[[], None], say: Say) -> None:
    """Report the first test that fails, and its message."""
    try:
        mutated()
    except UnpatchableError as error:
        say({"caught": "", "unpatchable": str(error)})
        return
    for item, following in pairwise([*tests, None]):
        assert item is not None
        say({"caught": item.nodeid, "message": "the process ends"})
        for message in _messages(item, following):
            say({"caught": item.nodeid, "message": message})
            return
    say({"caught": ""})


def _messages(item: pytest.Item, following: pytest.Item | None) -> Iterator[str]:
    try:
        reports = runtestprotocol(item, log=False, nextitem=following)
    except BaseException as error:  # noqa: BLE001 - a mutant may raise anything
        yield f"{type(error).__name__}: {error}"[:160]
        return
    for report in reports:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            yield str(crash.message if crash else report.longrepr).partition("\n")[0][:160]


def _probe(job: Mapping[str, Any], draws: int, mutated: Callable[[], None], say: Say) -> None:
    """Report the results of a mutated pass on golden cases and random programs."""
    from tools import mutant_probe  # noqa: PLC0415 - it imports passes, which tests may do first

    mutated()
    mutant_probe.probe(job["path"], job["cases"], draws, say)
