"""Run random programs with every executor: `python tools/fuzz_executors.py --count 20000`.

The evaluator, the virtual machine, native programs and the graph executor must agree at every level
of optimisation, in values and in traps. A program is determined by its number: a failure is printed
with its number, and `--first NUMBER --count 1` reproduces it. Every second program reads at indices
that may be out of range, and in every fourth program some matches lack a clause. Programs with
symbolic sizes are compiled once and run at several sizes; in every third of them such tensors
broadcast. Exits with 1 if executors disagreed.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.executors import LEVELS, check_executors
from tools.fuzzing.programs.open_sizes import check_open_sizes, has_open_sizes
from tools.fuzzing.programs.partial import without_clauses


def check(number: int, size: int, levels: tuple[int, ...]) -> None:
    """Check one program."""
    choices = RandomChoices(number)
    program = random_program(
        choices, size, guarded_reads=number % 2 == 1, open_meetings=number % 3 == 2
    )
    if number % 4 == 3:
        program = without_clauses(program, choices)
    check_executors(program, levels)
    if has_open_sizes(program):
        check_open_sizes(program, level=levels[number % len(levels)])


def main() -> int:
    """Check the programs in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, count=200)
    parser.add_argument("--size", type=int, default=40, help="nodes of each function, about")
    parser.add_argument("--levels", type=int, nargs="*", default=LEVELS)
    options = parser.parse_args()
    return run(partial(check, size=options.size, levels=tuple(options.levels)), options)


if __name__ == "__main__":
    sys.exit(main())
