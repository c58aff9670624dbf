"""Check laws of all programs on random ones: `python tools/fuzz_programs.py --count 100000`.

A program is determined by its number: a failure is printed with its number, and `--first NUMBER
--count 1` reproduces it. Every second program reads at indices that may be out of range. Exits with
1 if a law was broken.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.laws import CORE, LAWS, check_program


def check(number: int, size: int, every: int) -> None:
    """Check one program."""
    laws = CORE if number % every else LAWS
    choices, guarded = RandomChoices(number), number % 2 == 1
    program = random_program(choices, size, generic_values=True, guarded_reads=guarded)
    check_program(program, laws)


def main() -> int:
    """Check the programs in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--size", type=int, default=40)
    help_ = "how often laws besides the text's, names' and A-normal form's are checked"
    parser.add_argument("--every", type=int, default=1, help=help_)
    options = parser.parse_args()
    return run(partial(check, size=options.size, every=options.every), options)


if __name__ == "__main__":
    sys.exit(main())
