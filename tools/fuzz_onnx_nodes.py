"""Compare random ONNX nodes with ONNX Runtime: `python tools/fuzz_onnx_nodes.py --count 100`.

A case is a program of 32 nodes, or of 10 with open sizes, which is compiled once and called at 40
shapes. A node is one of the cases of the ONNX standard's suite with other sizes, element types and
attributes. What ONNX Runtime computes is compared; what it refuses may be an error of Relay's, or
have a value. `--first NUMBER --count 1 --alone` prints and compiles each node. Exits with 1 if a
result differs, or another exception is raised.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.joined.check import check
from tools.fuzzing.onnx_subjects import random_nodes, subject_of
from tools.fuzzing.operators.check import settings_of


def check_nodes(number: int, *, alone: bool) -> Counter[str]:
    """Compare the nodes of a program, and return what became of them."""
    words, settings = Counter[str](), settings_of(number)
    random = Random(number + 1)  # noqa: S311 - a case, not a secret
    nodes = random_nodes(number)
    found = [subject_of(node, random, words) for node in nodes]
    subjects = [each for each in found if each is not None]
    for node, each in zip(nodes, found, strict=True) if alone else ():
        print(node.name, onnx.printer.to_text(node.model), flush=True)
        if each is not None:
            check([each], settings)
    return words + check(subjects, settings)


def main() -> int:
    """Compare the nodes and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 100)
    parser.add_argument("--alone", action="store_true", help="print and compile each node")
    options = parser.parse_args()
    return run(partial(check_nodes, alone=options.alone), options)


if __name__ == "__main__":
    sys.exit(main())
