"""Check gradients of random programs: `python tools/fuzz_gradients.py --count 5000`.

A gradient must agree with finite differences and with forward mode, and all executors must agree on
it. A program is determined by its number: a failure is printed with its number, and `--first NUMBER
--count 1` reproduces it. Exits with 1 if a gradient was wrong.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.gradients import check_gradient_of


def check(number: int, size: int, every: int, levels: tuple[int, ...]) -> str:
    """Check one program and return the outcome; every `every`-th one is also compiled."""
    choices = RandomChoices(number)
    program = random_program(choices, size, guarded_reads=number % 2 == 1, smooth=number % 3 > 0)
    return check_gradient_of(program, () if number % every else levels)


def main() -> int:
    """Check the programs in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--size", type=int, default=30, help="nodes of each function, about")
    parser.add_argument("--every", type=int, default=10, help="how seldom a program is compiled")
    parser.add_argument("--levels", type=int, nargs="*", default=(0, 3))
    options = parser.parse_args()
    return run(
        partial(check, size=options.size, every=options.every, levels=tuple(options.levels)),
        options,
    )


if __name__ == "__main__":
    sys.exit(main())
