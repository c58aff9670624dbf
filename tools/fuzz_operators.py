"""Compare random calls of operators with their references: `python tools/fuzz_operators.py`.

A case is a program of 16 calls. Each call is an example of an operator with random changes: other
sizes (none, one, primes, vector widths and their neighbours), axes (up to 12), element types,
attributes, and elements (NaN, infinities, ends of ranges). In every other case sizes are symbolic.
Arguments are placed next to inaccessible memory. A failure is printed with its number, and `--first
NUMBER --count 1 --alone` compiles and names each of its calls separately. Exits with 1 if any
result differed.
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
