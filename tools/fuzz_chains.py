"""Run random chains of operators over mixed element types: `python tools/fuzz_chains.py`.

A chain is determined by its number: a failure is printed with its number, and `--first NUMBER
--count 1` reproduces it. `--machine x86-64-v3` restricts the instruction set. Exits with 1 if any
chain failed.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from relay.kernels.cpu_model import CpuModel
from relay.kernels.machine_names import machine_named
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.chains import check_chain


def main() -> int:
    """Check the chains in parallel and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, count=1000)
    parser.add_argument("--machine", help="a level of x86-64; this processor by default")
    options = parser.parse_args()
    machine = machine_named(options.machine) if options.machine else CpuModel.host()
    return run(partial(check_chain, machine=machine), options)


if __name__ == "__main__":
    sys.exit(main())
