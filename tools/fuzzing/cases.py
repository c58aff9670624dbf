"""Check many numbered cases in parallel, with a progress bar."""

import argparse
import multiprocessing
import os
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TypeAlias

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from relay.support.garbage_collector import paused_collector
from relay.support.node import node

Check: TypeAlias = Callable[[int], "str | Counter[str] | None"]
"""A check of a numbered case, which may return its outcome as a word, or several with counts."""

CHUNK = 25
_PROCESSES = multiprocessing.get_context("spawn")  # a forked process with threads may hang


@node
class Finding:
    """A failed case: its number, a one-line summary, and the details."""

    number: int
    headline: str
    details: str


@node
class Checked:
    """The result of some cases: those that failed, and how often others had each outcome."""

    findings: list[Finding]
    outcomes: Counter[str]


def add_options(parser: argparse.ArgumentParser, count: int = 1000) -> None:
    """Declare the options for the number of cases, the first case, and the processes."""
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    help_ = "append commit, command, cases and failures as a row to this table in Markdown"
    parser.add_argument("--record", type=Path, help=help_)


def run(check: Check, options: argparse.Namespace) -> int:
    """Check the requested cases, print the findings, and return an exit status.

    `check` raises for a case that fails, and may return words for its outcome, which are counted;
    it is sent to other processes.
    """
    os.environ["RELAY_STRICT"] = "1"  # a schedule that fails is an error, not a slower kernel
    start = time.perf_counter()
    found: list[Finding] = []
    outcomes = Counter[str]()
    with _bar() as progress:
        task = progress.add_task("", total=options.count)
        for part, checked in _checked(check, _chunks(options.first, options.count), options.jobs):
            found += checked.findings
            outcomes += checked.outcomes
            progress.advance(task, len(part))
    _report(found)
    seconds = time.perf_counter() - start
    if outcomes:
        print(", ".join(f"{count} {word}" for word, count in outcomes.most_common()))
    print(f"{options.count} cases, {len(found)} fail; {seconds:.0f} s")
    if options.record is not None:
        _record(options, found, outcomes, seconds)
    return 1 if found else 0


_COLUMNS = ("commit", "command", "first case", "cases", "fail", "seconds", "outcomes", "failing")


def _record(
    options: argparse.Namespace, found: list[Finding], outcomes: Counter[str], seconds: float
) -> None:
    """Append a row about a run to the table that `--record` names, which is created if absent."""
    failing = " ".join(str(each.number) for each in found[:20]) + (" …" if len(found) > 20 else "")
    cases = (options.first, options.count, len(found), round(seconds))
    counted = ", ".join(f"{count} {word}" for word, count in outcomes.most_common())
    row = (_commit(), _command(), *map(str, cases), counted, failing)
    new = not options.record.exists()
    with options.record.open("a", encoding="utf-8") as table:
        if new:
            table.write(f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}\n")
        table.write(f"| {' | '.join(row)} |\n")


def _commit() -> str:
    """Return the abbreviated commit of the sources, with a `+` if they were changed after it."""
    described = ("git", "describe", "--always", "--exclude=*", "--dirty=+")
    root = Path(__file__).parent
    answer = subprocess.run(described, cwd=root, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


_OWN_COLUMNS = ("--first", "--count", "--jobs", "--record")


def _command() -> str:
    """Return the tool and its options, without those that have columns of their own or none."""
    words = iter(sys.argv[1:])
    kept: list[str] = []
    for word in words:
        if word in _OWN_COLUMNS:
            next(words, None)
        elif word.split("=")[0] not in _OWN_COLUMNS:
            kept.append(word)
    return " ".join((Path(sys.argv[0]).stem, *kept))


def _checked(check: Check, parts: list[range], jobs: int) -> Iterator[tuple[range, Checked]]:
    """Yield the findings of each part; a process that dies does not affect other parts."""
    done = 0
    while done < len(parts):
        with ProcessPoolExecutor(jobs, _PROCESSES) as pool:
            try:
                for broken in pool.map(partial(_check_all, check), parts[done:]):
                    yield parts[done], broken
                    done += 1
            except BrokenProcessPool:
                yield parts[done], _one_by_one(check, parts[done])
                done += 1


def _one_by_one(check: Check, numbers: range) -> Checked:
    """Check each case in its own process, to find those that kill it."""
    found, outcomes = list[Finding](), Counter[str]()
    for number in numbers:
        with ProcessPoolExecutor(1, _PROCESSES) as pool:
            try:
                one = pool.submit(_check_all, check, range(number, number + 1)).result()
                found += one.findings
                outcomes += one.outcomes
            except BrokenProcessPool as error:
                found.append(Finding(number, "the process died", str(error)))
    return Checked(found, outcomes)


def _check_all(check: Check, numbers: range) -> Checked:
    found, outcomes = list[Finding](), Counter[str]()
    with paused_collector():
        for number in numbers:
            try:
                outcome = check(number)
                outcomes.update([outcome] if isinstance(outcome, str) else outcome)
            except Exception as error:  # noqa: BLE001 - every one is a finding
                where = traceback.extract_tb(error.__traceback__)[-1]
                line = str(error).splitlines()[0] if str(error) else ""
                headline = f"{type(error).__name__}: {line} ({where.name})"
                found.append(Finding(number, headline, traceback.format_exc()))
    return Checked(found, outcomes)


def _chunks(first: int, count: int) -> list[range]:
    end = first + count
    return [range(start, min(start + CHUNK, end)) for start in range(first, end, CHUNK)]


def _bar() -> Progress:
    columns = (TextColumn("cases"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns)


def _report(found: list[Finding]) -> None:
    """Print the number of failures of each kind, and one of each in full."""
    kinds = Counter(each.headline for each in found)
    for kind, times in kinds.most_common():
        first = next(each for each in found if each.headline == kind)
        print(f"{times} times, first in case {first.number}: {kind}\n{first.details}\n")
