"""Run random programs about sizes in every way: `python tools/fuzz_sizes.py --count 20000`.

Annotations of variables, parameters and results say of sizes what they like. Of the programs that
inference accepts, virtual machine and native program must give what the evaluator gives, for inputs
of several sizes, or stop where it does. Programs follow from their numbers: a failure is printed
with its number, and `--first NUMBER --count 1` makes it again. Exits with 1 if executors disagreed.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.programs import RandomChoices
from tools.fuzzing.programs.sizes import check_sizes, random_sizes


def check(number: int, depth: int, levels: tuple[int, ...]) -> None:
    """Check one program."""
    program = random_sizes(RandomChoices(number), depth)
    if program is not None:
        check_sizes(program, levels)


def main() -> int:
    """Check the programs in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, count=200)
    parser.add_argument("--depth", type=int, default=3, help="how deep expressions are nested")
    parser.add_argument("--levels", type=int, nargs="*", default=(0, 3))
    options = parser.parse_args()
    return run(partial(check, depth=options.depth, levels=tuple(options.levels)), options)


if __name__ == "__main__":
    sys.exit(main())
