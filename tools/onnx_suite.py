"""Run the test suite of the ONNX standard on compiled models, and compare with expected states.

`python tools/onnx_suite.py` takes about seven minutes on one core. Names select cases that contain
them; `--sample` runs the cases that CI runs, one for each operator. Exits with 1 if the state of a
case differs from `tests/frontend/onnx_suite.toml`, for better or for worse.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.onnx_cases import PASSES, case_names, expected_states, sample, short, state

EXPECTED = Path("tests/frontend/onnx_suite.toml")


def check(names: list[str], number: int) -> None:
    """Check one of the cases."""
    name = names[number]
    found, wanted = state(name), expected_states(EXPECTED).get(name, PASSES)
    if short(found) != wanted:
        raise AssertionError(f"{name}: {found}; expected: {wanted}")


def main() -> int:
    """Run the cases in parallel, and print unexpected states."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sample", action="store_true")
    add_options(parser)
    options = parser.parse_args()
    every = sample() if options.sample else case_names()
    names = [n for n in every if not options.names or any(each in n for each in options.names)]
    options.first, options.count = 0, len(names)
    status = run(partial(check, names), options)
    known = set(case_names())
    gone = [name for name in expected_states(EXPECTED) if name not in known]
    print(*(f"there is no case {name}" for name in gone), sep="\n")
    passing = len(known) - len(expected_states(EXPECTED))
    print(f"{passing} of {len(known)} cases are expected to pass: {passing / len(known):.1%}")
    return status or int(bool(gone))


if __name__ == "__main__":
    sys.exit(main())
