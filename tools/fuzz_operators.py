"""Compare random calls of operators with their references: `python tools/fuzz_operators.py`.

A case is a program of 32 calls, or of 10 with open sizes, which is compiled once and called at 60
shapes. Each call is an example of an operator, any of them, with random changes: other sizes (none,
one, primes, vector widths and their neighbours), axes (up to 12), element types, attributes, and
elements (NaN, infinities, ends of ranges). Half of the programs are compiled with few passes and
little optimisation. Arguments, and in half of the programs results, are placed next to inaccessible
memory. A failure is printed with its number, and `--first NUMBER --count 1 --alone` compiles and
names each of its calls. Exits with 1 if any differed.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.operators.check import check_calls


def main() -> int:
    """Check the calls in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 100)
    parser.add_argument("--alone", action="store_true", help="compile and print each call")
    options = parser.parse_args()
    return run(partial(check_calls, alone=options.alone), options)


if __name__ == "__main__":
    sys.exit(main())
