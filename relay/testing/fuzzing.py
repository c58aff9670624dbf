"""Checking many numbered cases in parallel, with a bar that says how far it has come."""

import argparse
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from relay.support.collector import paused_collector
from relay.support.node import node

CHUNK = 25


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
    parts = list(_chunks(options.first, options.count))
    with ProcessPoolExecutor(options.jobs) as pool, _bar() as progress:
        task = progress.add_task("", total=options.count)
        for part, broken in zip(parts, pool.map(partial(_check_all, check), parts), strict=True):
            found += broken
            progress.advance(task, len(part))
    _report(found)
    seconds = time.perf_counter() - start
    print(f"{options.count} cases, {len(found)} fail; {seconds:.0f} s")  # noqa: T201 - a tool's
    return 1 if found else 0


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


def _chunks(first: int, count: int) -> Iterator[range]:
    for start in range(first, first + count, CHUNK):
        yield range(start, min(start + CHUNK, first + count))


def _bar() -> Progress:
    columns = (TextColumn("cases"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns)


def _report(found: list[Finding]) -> None:
    """Print how often each kind of failure was met, and one of each in full."""
    kinds = Counter(each.headline for each in found)
    for kind, times in kinds.most_common():
        first = next(each for each in found if each.headline == kind)
        print(f"{times} times, first in case {first.number}: {kind}\n{first.details}\n")  # noqa: T201
