"""Run every operator at sizes that its type leaves open: `python tools/sweep_sizes.py`.

Each example of each operator becomes programs with symbolic sizes: all of them unknown (`?`), each
with its own name, equal ones with one name, or one of them alone. Each program is compiled once and
must return what the evaluator returns, or trap for the same reason, at the sizes of the example and
at others: one more, one less, twice as much, none, one, and random ones. Arguments are placed next
to inaccessible memory, so that a read out of bounds ends the process. Cases have numbers: `--list`
describes them, and `--first NUMBER --count 1` reproduces one. Exits with 1 if a case fails.
"""

import argparse
import sys
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.sizes.opened import KINDS, Opened, opened
from tools.fuzzing.sizes.sweep import check_opened


@cache
def cases(kinds: tuple[str, ...], examples: int | None) -> list[Opened]:
    """Return the cases, in order."""
    return opened(kinds, examples)


def check(number: int, kinds: tuple[str, ...], examples: int | None, level: int, vm: bool) -> None:
    """Check one case."""
    check_opened(cases(kinds, examples)[number], level, vm=vm)


def main() -> int:
    """Check the cases in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, count=1_000_000)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS[:3])
    parser.add_argument("--examples", type=int, help="how many of each operator; all of them")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--vm", action="store_true", help="the virtual machine, too")
    parser.add_argument("--list", action="store_true", help="say what the cases are")
    options = parser.parse_args()
    chosen = tuple(options.kinds), options.examples
    options.count = max(0, min(options.count, len(cases(*chosen)) - options.first))
    if options.list:
        for number in range(options.first, options.first + options.count):
            print(number, cases(*chosen)[number])
        return 0
    kinds, examples = chosen
    work = partial(check, kinds=kinds, examples=examples, level=options.level, vm=options.vm)
    return run(work, options)


if __name__ == "__main__":
    sys.exit(main())
