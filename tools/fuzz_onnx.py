"""Compare compiled random ONNX graphs with ONNX Runtime: `python tools/fuzz_onnx.py --count 200`.

Graphs of 5 to 40 nodes over the common operators follow from their numbers; every other one has
open sizes, and is also compared at up to three other sizes that ONNX Runtime accepts. Inputs are
placed next to inaccessible memory. A failure is printed with its number, and `--first NUMBER
--count 1` makes it again; `--show` prints the graph, too. Exits with 1 if a result differs, or a
graph is refused.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from tools.fuzzing.cases import add_options, run
from tools.fuzzing.onnx_graphs import Array, RandomGraph, random_graph
from tools.fuzzing.sizes.guarded import GuardedMemory

_SIZES, _REFUSED = 3, 12  # other sizes at which a graph is compared, and tries that may fail
_RECURRENT = ("GRU", "LSTM", "RNN")
_NOISE = 1e-6
"""What a rounding error may be, relative to an input: its effect on results is tolerated."""


def onnx_runtime(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Sequence[Array]:
    """Run a model as it is written, without optimisations."""
    return session_of(model).run(None, dict(inputs))


def session_of(model: onnx.ModelProto) -> Any:
    """Return ONNX Runtime's session for a model, without optimisations."""
    engine: Any = import_module("onnxruntime")  # an oracle, without annotations
    options = engine.SessionOptions()
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.enable_mem_reuse = False  # fails where sizes that it considers equal are different
    options.log_severity_level = 4
    return engine.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _session_unless_refused(model: onnx.ModelProto) -> Any:
    """Return the session for a model; None if ONNX Runtime refuses what it runs node by node.

    Its shape inference gives some poolings with `ceil_mode` another size than their kernel does.
    """
    try:
        return session_of(model)
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return None


class _Guarded:
    """A program that is called with copies of its arguments next to inaccessible memory."""

    def __init__(self, program: Any) -> None:
        self._program = program
        self._memory = GuardedMemory()

    def __call__(self, *args: Array) -> Any:
        """Return the results, which are valid until the next call."""
        pairs = enumerate(args)
        inputs = [self._memory.copy(place, each, at_end=place % 4 != 3) for place, each in pairs]
        results = self._program(*inputs)
        if not self._memory.is_intact():
            raise AssertionError("memory beside an input was written to")
        return results


def check(number: int, *, show: bool) -> Counter[str]:
    """Compare one graph, and return in words what was compared."""
    graph = random_graph(number, onnx_runtime, is_open=number % 2 == 1)
    if show:
        print(onnx.printer.to_text(graph.model))
    program = _Guarded(relay.compile(relay.load(graph.model), threads=1))
    session = _session_unless_refused(graph.model)
    if session is None:
        return Counter(["graphs that ONNX Runtime does not load"])
    _compare(graph, session, program, graph.inputs)
    if not graph.others:
        return Counter(["graphs of fixed sizes"])
    words = _at_other_sizes(graph, session, program)
    words["of which at no other sizes"] += words["other sizes"] == 0
    words["graphs of open sizes"] += 1
    return words


def _at_other_sizes(graph: RandomGraph, session: Any, program: Any) -> Counter[str]:
    """Compare at some of the other sizes that make sense to ONNX Runtime; return how many.

    Poolings of open sizes with longer strides than 1 trap where ONNX Runtime computes no window,
    because the data are smaller than a window by a stride or more.
    """
    refused, words = 0, Counter[str]()
    before = _before_recurrences(graph.model)
    ranks = [each.ndim for each in session.run(None, dict(graph.inputs))]
    for inputs in graph.others:
        if words.total() == _SIZES or refused == _REFUSED:
            break
        if any(_has_no_elements(each, inputs) for each in before):
            refused += 1
            continue
        if not _fits(session, inputs, ranks):
            refused += 1
            with suppress(RelayError):  # Relay may refuse it, or compute it
                program(*inputs.values())
            continue
        try:
            _compare(graph, session, program, inputs)
            words["other sizes"] += 1
        except RelayError as error:
            if error.code != ErrorCode.R054 or "pool" not in error.message:
                raise
            words["other sizes that are smaller than a window"] += 1
    return words


def _before_recurrences(model: onnx.ModelProto) -> list[Any]:
    """Return a session for the data of each recurrent node, in execution order.

    ONNX Runtime ends the process if such data are empty.
    """
    sessions: list[Any] = []
    for place, node in enumerate(model.graph.node):
        if node.op_type in _RECURRENT:
            part = onnx.ModelProto.FromString(model.SerializeToString())
            del part.graph.node[place:], part.graph.output[:]
            part.graph.output.append(onnx.helper.make_empty_tensor_value_info(node.input[0]))
            sessions.append(session_of(part))
    return sessions


def _has_no_elements(session: Any, inputs: Mapping[str, Array]) -> bool:
    """Whether the first result is empty, or ONNX Runtime refuses the inputs."""
    try:
        return session.run(None, dict(inputs))[0].size == 0
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return True


def _fits(session: Any, inputs: Mapping[str, Array], ranks: Sequence[int]) -> bool:
    """Whether ONNX Runtime accepts inputs, and results have the ranks that the model declares."""
    try:
        results = session.run(None, dict(inputs))
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return False
    return [each.ndim for each in results] == ranks


def _compare(graph: RandomGraph, session: Any, program: Any, inputs: Mapping[str, Array]) -> None:
    """Raise if results differ by more than rounding errors explain."""
    expected = session.run(None, dict(inputs))
    moved = _moved_by_noise(session, inputs) or expected
    found: Any = program(*inputs.values())
    results = found if len(expected) > 1 else (found,)
    names = [each.name for each in graph.model.graph.output]
    for name, one, other, near in zip(names, results, expected, moved, strict=True):
        if one.dtype != other.dtype or one.shape != other.shape:
            raise AssertionError(
                f"{name} is {one.dtype}{one.shape}, not {other.dtype}{other.shape}"
            )
        if near.shape != other.shape or np.isinf(_distance(near, other)):
            continue  # noise decides how many elements there are, or about infinities
        pair = [np.asarray(each, np.float64) for each in (one, other)]
        largest = float(np.max(np.abs(pair[1]), initial=1, where=np.isfinite(pair[1])))
        bound = 1e-5 * largest + 50 * _distance(near, other)
        if not np.allclose(*pair, rtol=2e-4, atol=bound, equal_nan=True):
            raise AssertionError(f"{name} differs by {np.nanmax(np.abs(pair[0] - pair[1])):.3g}")


def _moved_by_noise(session: Any, inputs: Mapping[str, Array]) -> Sequence[Array] | None:
    """Return the results of noisy inputs; None where noise decides about sizes that have to fit."""
    try:
        return session.run(None, {name: _with_noise(array) for name, array in inputs.items()})
    except Exception:  # noqa: BLE001 - ONNX Runtime's errors have no common class
        return None


def _with_noise(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    signs = np.random.default_rng(0).choice([-1, 1], array.shape)
    return np.asarray(array * (1 + _NOISE * signs) + _NOISE * signs, array.dtype)


def _distance(near: Array, other: Array) -> float:
    """Return how far noise moves a result; infinity if it decides about infinities."""
    if not np.array_equal(np.isfinite(near), np.isfinite(other)):
        return np.inf
    with np.errstate(invalid="ignore"):
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
