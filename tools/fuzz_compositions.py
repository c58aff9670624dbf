"""Check `grad`, `vmap`, `jit` and their compositions on random Python functions.

`python tools/fuzz_compositions.py --count 200`. A failure is printed with its number and the
function. Exits with 1 if a derivative was wrong.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.testing.fuzzing import add_options, run
from relay.testing.programs.compositions import check_compositions


def main() -> int:
    """Check the functions and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 200)
    return run(check_compositions, parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
