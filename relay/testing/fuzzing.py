"""Checking many numbered cases in parallel, with a bar that says how far it has come."""

import argparse
import multiprocessing
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from relay.support.collector import paused_collector
from relay.support.node import node

CHUNK = 25
_PROCESSES = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang


@node
class Finding:
    """A case that failed: its number, a line that says how, and the whole story."""

    number: int
    headline: str
    details: str


def add_options(parser: argparse.ArgumentParser, count: int = 1000) -> None:
    """Declare how many cases are checked, from which on, and by how many processes."""
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)


def run(check: Callable[[int], None], options: argparse.Namespace) -> int:
    """Check the cases that the options ask for, print what was found, and return a status.

    `check` raises for a case that fails; it goes to other processes.
    """
    start = time.perf_counter()
    found: list[Finding] = []
    with _bar() as progress:
        task = progress.add_task("", total=options.count)
        for part, broken in _checked(check, _chunks(options.first, options.count), options.jobs):
            found += broken
            progress.advance(task, len(part))
    _report(found)
    seconds = time.perf_counter() - start
    print(f"{options.count} cases, {len(found)} fail; {seconds:.0f} s")  # noqa: T201 - a tool's
    return 1 if found else 0


def _checked(
    check: Callable[[int], None], parts: list[range], jobs: int
) -> Iterator[tuple[range, list[Finding]]]:
    """Yield what is found in each part; a process that dies takes no other part with it."""
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


def _one_by_one(check: Callable[[int], None], numbers: range) -> list[Finding]:
    """Check cases in a process each, to learn which of them kill it."""
    found: list[Finding] = []
    for number in numbers:
        with ProcessPoolExecutor(1, _PROCESSES) as pool:
            try:
                found += pool.submit(_check_all, check, range(number, number + 1)).result()
            except BrokenProcessPool as error:
                found.append(Finding(number, "the process died", str(error)))
    return found


def _check_all(check: Callable[[int], None], numbers: range) -> list[Finding]:
    found: list[Finding] = []
    with paused_collector():
        for number in numbers:
            try:
                check(number)
            except Exception as error:  # noqa: BLE001 - every one is a finding
                where = traceback.extract_tb(error.__traceback__)[-1]
                line = str(error).splitlines()[0] if str(error) else ""
                headline = f"{type(error).__name__}: {line} ({where.name})"
                found.append(Finding(number, headline, traceback.format_exc()))
    return found


def _chunks(first: int, count: int) -> list[range]:
    end = first + count
    return [range(start, min(start + CHUNK, end)) for start in range(first, end, CHUNK)]


def _bar() -> Progress:
    columns = (TextColumn("cases"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns)


def _report(found: list[Finding]) -> None:
    """Print how often each kind of failure was met, and one of each in full."""
    kinds = Counter(each.headline for each in found)
    for kind, times in kinds.most_common():
        first = next(each for each in found if each.headline == kind)
        print(f"{times} times, first in case {first.number}: {kind}\n{first.details}\n")  # noqa: T201
