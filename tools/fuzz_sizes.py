"""Run random programs about sizes with every executor: `python tools/fuzz_sizes.py --count 20000`.

Annotations of variables, parameters and results contain arbitrary sizes. For programs that type
inference accepts, the virtual machine and the native program must return what the evaluator
returns, for inputs of several sizes, or trap where it does. A program is determined by its number:
a failure is printed with its number, and `--first NUMBER --count 1` reproduces it. Exits with 1 if
executors disagreed.
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
