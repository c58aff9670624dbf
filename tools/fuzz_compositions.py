"""Check `grad`, `vmap`, `jit` and their compositions on random Python functions.

`python tools/fuzz_compositions.py --count 200`. For each function, `grad`, `vmap(grad)`,
`grad(vmap)` and `grad(grad)` are evaluated; every N-th function is also compiled (`--every N`). A
failure is printed with its number and the function. Exits with 1 if a derivative was wrong.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.programs.compositions import check_compositions


def check(number: int, every: int) -> str:
    """Check one function; every `every`-th one is also compiled."""
    outcome = check_compositions(number, compiled=number % every == 0)
    return f"{outcome}, compiled" if number % every == 0 else outcome


def main() -> int:
    """Check the functions and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 200)
    parser.add_argument("--every", type=int, default=1, help="how seldom a function is compiled")
    options = parser.parse_args()
    return run(partial(check, every=options.every), options)


if __name__ == "__main__":
    sys.exit(main())
