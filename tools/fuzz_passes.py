"""Check passes on random programs: `python tools/fuzz_passes.py --first 0 --count 500`.

A draw is a program and a pass (in turn, so each is drawn equally often), or with `--length 5` a
sequence of passes. Three of four programs have a golden case of a drawn pass in them, so that
passes find something to do. Types are checked after each pass, values by the evaluator before and
after; one of ten results runs on all executors, and one of twenty is differentiated before and
after.

A run is a shard: it writes `benchmarks/results/passes/LENGTH-FIRST-COUNT.json`, and
`benchmarks/results/passes.md` is made of all shards, and of those that are there with `--count 0`.
Several shards may run simultaneously. A failure stays on the page; `mended` in
its shard says what has mended it. Exits with 1 if a pass broke a program; `--first NUMBER
--count 1 --debug` makes it again. A new pass changes which number draws which pass. With the number
of passes as `--step`, all draws have the same pass. With `--having NAMES`, sequences have one of
these passes in them, in turn.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.programs.changed_meanings import CHANGING
from tools.fuzzing.programs.pass_cases import read_case
from tools.fuzzing.programs.pass_draws import ABSENT, NEVER, draw
from tools.fuzzing.programs.seeds import Seeds

ROOT = Path(__file__).parents[1]

# The example compilers, as if they were installed: regions are for them.
sys.path += [str(ROOT / "tests/build/external"), str(ROOT / "examples/compilers")]

CASES = ROOT / "tests/transform/golden"
FOLDER = Path("benchmarks/results/passes")
TABLE = Path("benchmarks/results/passes.md")
COLUMNS = ("draws", "changed", "refused", "on all executors", "differentiated", "failures")


def shard(
    first: int,
    count: int,
    step: int,
    length: int,
    every: int,
    having: Sequence[str],
    *,
    debug: bool,
) -> dict[str, Any]:
    """Return the counts of a shard by pass, and the failures."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    failures: list[dict[str, Any]] = []
    start = time.perf_counter()
    seeds = Seeds(map(read_case, sorted(CASES.glob("*.rly"))))
    for number in range(first, first + count * step, step):
        try:
            found = draw(number, length=length, every=every, seeds=seeds, having=having)
        except Exception as error:
            if debug:
                raise
            headline = (str(error).splitlines() or [""])[0]
            failures.append({"number": number, "error": f"{type(error).__name__}: {headline}"})
            print(number, failures[-1]["error"], flush=True)
            continue
        for title in found.passes:
            counts[title]["draws"] += 1
            counts[title]["changed"] += found.changed
            counts[title]["refused"] += bool(found.refused)
            counts[title]["on all executors"] += found.compiled
            counts[title]["differentiated"] += found.differentiated
    seconds = round(time.perf_counter() - start)
    draws: dict[str, Any] = {"length": length, "first": first, "count": count, "seconds": seconds}
    draws |= {"having": having} if having else {}
    return {**draws, "passes": counts, "failures": failures}


def table(shards: list[dict[str, Any]]) -> str:
    """Return the page that all shards make."""
    lines = ["# Draws of programs and passes", "", "Made by `tools/fuzz_passes.py`.", ""]
    for length in sorted({each["length"] for each in shards}):
        some = [each for each in shards if each["length"] == length]
        total: dict[str, Counter[str]] = defaultdict(Counter)
        for each in some:
            for title, counts in each["passes"].items():
                total[title] += Counter(counts)
        draws = sum(each["count"] for each in some)
        what = "one pass" if length == 1 else f"a sequence of {length} passes"
        failing = [(f["number"], _told(f)) for each in some for f in each["failures"]]
        lines += [
            f"## {draws} programs, each with {what}: {len(failing)} failures",
            "",
            f"| pass | {' | '.join(COLUMNS[:-1])} |",
            f"|{' --- |' * len(COLUMNS)}",
        ]
        lines += [
            f"| {title} | {' | '.join(str(total[title][name]) for name in COLUMNS[:-1])} |"
            for title in sorted(total)
        ]
        lines += ["", *(f"- {number}: {error}" for number, error in sorted(failing)), ""]
    return "\n".join([*lines, *_left_out()]).rstrip() + "\n"


def _told(failure: dict[str, Any]) -> str:
    """Return the error of a failure, and what has mended it, which is added by hand."""
    mended = failure.get("mended")
    return failure["error"] + (f" – mended: {mended}" if mended else " – **open**")


def _left_out() -> list[str]:
    changing = ", ".join(sorted(each.title() for each in CHANGING))
    laws = (
        "drawn alone, because they change what a program computes or how exactly. Lists of inputs "
        "give the lists of results; another batch size and then the old one give the program "
        "itself; rounding is within the bound of the narrow type."
    )
    return [
        "## Passes that are drawn otherwise, or never",
        "",
        f"- {changing}: {laws}",
        *(f"- {name}: never drawn, because it {why}." for name, why in sorted(NEVER.items())),
        *(f"- {name}: no longer exists; {why}." for name, why in sorted(ABSENT.items())),
        "",
    ]


def main() -> int:
    """Run a shard, and write the table of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--length", type=int, default=1, help="passes of a draw")
    parser.add_argument("--debug", action="store_true", help="raise the first failure")
    parser.add_argument("--step", type=int, default=1, help="between two draws' numbers")
    parser.add_argument("--every", type=int, default=10, help="compile one of so many draws")
    parser.add_argument("--having", default="", help="passes of which sequences have one, in turn")
    options = parser.parse_args()
    having = [each for each in options.having.split(",") if each]
    plan = (options.first, options.count, options.step, options.length, options.every, having)
    found = shard(*plan, debug=options.debug)
    if options.debug:
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.count:
        step = "" if options.step == 1 else f"x{options.step}"
        name = "-".join([f"{options.length}-{options.first}-{options.count}{step}", *having])
        name += ".json"
        (FOLDER / name).write_text(json.dumps(found) + "\n", encoding="utf-8")
    shards = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    TABLE.write_text(table(shards), encoding="utf-8")
    print(f"{options.count} draws, {len(found['failures'])} fail; {found['seconds']} s")
    return 1 if found["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
