"""Compare random ONNX nodes with ONNX Runtime: `python tools/fuzz_onnx_nodes.py --count 1000`.

A case is one of the cases of the ONNX standard's suite with other sizes, element types and
attributes; every other one has open sizes. What ONNX Runtime computes is compiled and compared;
what it refuses may be an error of Relay's, or have a value. `--first NUMBER --count 1 --show`
prints a node. Exits with 1 if a result differs, or another exception is raised.
"""

import argparse
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.support.dtype import dtype
from relay.support.errors import RelayError
from relay.testing.argument_values import precision
from tools.fuzz_onnx import onnx_runtime
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.onnx_nodes import Array, random_node

_TOLERANCE = 1e-4
"""The largest difference of float32 results, relative to the largest element."""


def check(number: int, *, show: bool) -> str:
    """Compare one node, and return what became of it."""
    node = random_node(number, is_open=number % 2 == 1)
    if show:
        print(node.name, onnx.printer.to_text(node.model))
    with warnings.catch_warnings(action="ignore"):
        try:
            wanted = onnx_runtime(node.model, node.inputs)
        except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
            wanted = None
        try:
            program: Any = relay.compile(relay.load(node.model), threads=1)
            found = program(*node.inputs.values())
        except RelayError as error:
            return "refused by both" if wanted is None else f"refused with {error.code}"
    if wanted is None:
        return "refused by ONNX Runtime"
    is_empty = any(each.size == 0 for each in node.inputs.values())
    results: Any = found if len(wanted) > 1 else (found,)
    for one, other in zip(results, wanted, strict=True):
        array: Array = np.asarray(one)
        _compare(node.name, array, np.resize(array, other.shape) if is_empty else other)
    return "equal in shape: of no elements" if is_empty else "equal"


def _compare(name: str, found: Array, wanted: Array) -> None:
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        raise AssertionError(
            f"{name} is {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}"
        )
    one, other = (np.asarray(each, np.float64) for each in (found, wanted))
    largest = float(np.max(np.abs(other), initial=1, where=np.isfinite(other)))
    bound = _TOLERANCE * precision(dtype(wanted.dtype)) * largest if wanted.dtype.kind == "f" else 0
    if not np.allclose(one, other, rtol=0, atol=bound, equal_nan=True):
        raise AssertionError(f"{name} differs by {np.nanmax(np.abs(one - other)):.3g}")


def main() -> int:
    """Compare the nodes and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 1000)
    parser.add_argument("--show", action="store_true", help="print the nodes")
    options = parser.parse_args()
    return run(partial(check, show=options.show), options)


if __name__ == "__main__":
    sys.exit(main())
