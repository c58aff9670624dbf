"""Check the laws of programs on many random ones: `python tools/fuzz_programs.py --count 100000`.

Programs follow from their numbers: a failure is printed with its number, and
`--first NUMBER --count 1` makes it again. Exits with 1 if a law was broken.
"""

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from relay.support.collector import paused_collector
from relay.testing.programs import RandomChoices, random_program
from relay.testing.programs.laws import CORE, LAWS, check_program

CHUNK = 50


def check_range(first: int, count: int, size: int, every: int) -> list[tuple[int, str, str]]:
    """Check that many programs; return number, headline and details of those that break a law."""
    broken: list[tuple[int, str, str]] = []
    with paused_collector():
        for number in range(first, first + count):
            try:
                laws = CORE if number % every else LAWS
                check_program(random_program(RandomChoices(number), size), laws)
            except Exception as error:  # noqa: BLE001 - every one is a finding
                where = traceback.extract_tb(error.__traceback__)[-1]
                headline = f"{type(error).__name__}: {str(error).splitlines()[0]} ({where.name})"
                broken.append((number, headline, traceback.format_exc()))
    return broken


def chunks(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the first number and the length of each chunk."""
    for start in range(first, first + count, CHUNK):
        yield start, min(CHUNK, first + count - start)


def bar() -> Progress:
    """Return a progress bar that says how many programs are done and how long the rest takes."""
    columns = (TextColumn("programs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns)


def main() -> int:
    """Check the programs in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--size", type=int, default=40)
    help_ = "how often laws besides the text's, names' and A-normal form's are checked"
    parser.add_argument("--every", type=int, default=1, help=help_)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    start = time.perf_counter()
    found: list[tuple[int, str, str]] = []
    with ProcessPoolExecutor(options.jobs) as pool, bar() as progress:
        task = progress.add_task("", total=options.count)
        parts = list(chunks(options.first, options.count))
        starts, counts = zip(*parts, strict=True)
        same = ([option] * len(parts) for option in (options.size, options.every))
        results = pool.map(check_range, starts, counts, *same)
        for broken, (_, count) in zip(results, parts, strict=True):
            found += broken
            progress.advance(task, count)
    report(found)
    seconds = time.perf_counter() - start
    print(f"{options.count} programs, {len(found)} break a law; {seconds:.0f} s")
    return 1 if found else 0


def report(found: list[tuple[int, str, str]]) -> None:
    """Print how often each kind of failure was met, and one of each in full."""
    kinds = Counter(headline for _, headline, _ in found)
    for kind, times in kinds.most_common():
        number, _, details = next(each for each in found if each[1] == kind)
        print(f"{times} times, first in program {number}: {kind}\n{details}\n")


if __name__ == "__main__":
    sys.exit(main())
