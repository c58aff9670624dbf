"""Compare compiled random ONNX graphs with ONNX Runtime: `python tools/fuzz_onnx.py --count 200`.

Graphs of 5 to 40 nodes over the common operators follow from their numbers; every other one has
open sizes, and is also run at other sizes if ONNX Runtime is. A failure is printed with its number,
and `--first NUMBER --count 1` makes it again; `--show` prints the graph, too. Exits with 1 if a
result differs, or a graph is refused.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.support.errors import RelayError
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.onnx_graphs import Array, RandomGraph, random_graph

_NOISE = 1e-6
"""The relative perturbation of inputs whose effect on results counts as rounding error."""


def onnx_runtime(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Sequence[Array]:
    """Run a model as it is written, without optimisations."""
    engine: Any = import_module("onnxruntime")  # an oracle, without annotations
    options = engine.SessionOptions()
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = engine.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, dict(inputs))


def check(number: int, *, show: bool) -> str:
    """Compare one graph, and return what sizes it has."""
    is_open = number % 2 == 1
    graph = random_graph(number, onnx_runtime, is_open=is_open)
    if show:
        print(onnx.printer.to_text(graph.model))
    program = relay.compile(relay.load(graph.model), threads=1)
    _compare(graph, program, graph.inputs)
    if graph.others is None:
        return "of fixed sizes"
    return f"of open sizes, {_at_other_sizes(graph, program, graph.others)}"


def _at_other_sizes(graph: RandomGraph, program: Any, inputs: Mapping[str, Array]) -> str:
    """Compare at other sizes, if ONNX Runtime can run the model at them."""
    try:
        onnx_runtime(graph.model, inputs)
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        try:
            program(*inputs.values())
        except RelayError:
            return "whose other sizes both refuse"
        return "whose other sizes ONNX Runtime refuses"
    _compare(graph, program, inputs)
    return "compared at two"


def _compare(graph: RandomGraph, program: Any, inputs: Mapping[str, Array]) -> None:
    """Raise if results differ by more than rounding errors explain."""
    expected = onnx_runtime(graph.model, inputs)
    moved = _moved_by_noise(graph.model, inputs) or expected
    found: Any = program(*inputs.values())
    results = found if len(expected) > 1 else (found,)
    names = [each.name for each in graph.model.graph.output]
    for name, one, other, near in zip(names, results, expected, moved, strict=True):
        if one.dtype != other.dtype or one.shape != other.shape:
            raise AssertionError(
                f"{name} is {one.dtype}{one.shape}, not {other.dtype}{other.shape}"
            )
        if near.shape != other.shape:
            continue  # noise decides how many elements there are
        pair = [np.asarray(each, np.float64) for each in (one, other)]
        largest = float(np.max(np.abs(pair[1]), initial=1, where=np.isfinite(pair[1])))
        bound = 1e-5 * largest + 50 * _distance(near, other)
        if not np.allclose(*pair, rtol=2e-4, atol=bound, equal_nan=True):
            raise AssertionError(f"{name} differs by {np.nanmax(np.abs(pair[0] - pair[1])):.3g}")


def _moved_by_noise(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Sequence[Array] | None:
    """Return the results for perturbed inputs; None if the perturbation makes sizes mismatch."""
    try:
        return onnx_runtime(model, {name: _with_noise(array) for name, array in inputs.items()})
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return None


def _with_noise(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    signs = np.random.default_rng(0).choice([-1, 1], array.shape)
    return np.asarray(array * (1 + _NOISE * signs) + _NOISE * signs, array.dtype)


def _distance(near: Array, other: Array) -> float:
    """Return by how much the perturbation changes a result."""
    apart = np.abs(near.astype(np.float64) - other.astype(np.float64))
    return float(np.max(apart, initial=0, where=np.isfinite(apart)))


def main() -> int:
    """Compare the graphs and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 200)
    parser.add_argument("--show", action="store_true", help="print the graphs")
    options = parser.parse_args()
    return run(partial(check, show=options.show), options)


if __name__ == "__main__":
    sys.exit(main())
