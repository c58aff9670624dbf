"""Compare compiled TensorFlow Lite models with LiteRT, on random inputs.

    python tools/tflite_compare.py model.tflite …

It needs the packages tflite and ai-edge-litert. For each model it prints which share of all output
numbers is equal to those of LiteRT's reference kernels and of its default ones, the greatest
difference from either, and how long a run takes with one thread. It exits with 1 if some model
differs from both by more than a hundredth of its largest number.
"""

# What LiteRT gives has no types.
# pyright: reportUnknownArgumentType=none, reportUnknownVariableType=none

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

litert: Any = import_module("ai_edge_litert.interpreter")
_RANDOM = np.random.default_rng(0)
_RUNS = 10
_NEAR = 1e-2  # of the largest number: quantised results may differ by one step

Numbers = Sequence[Any]


def sample(detail: Any) -> Any:
    """Return random numbers for an input; integers cover the whole range of their type."""
    shape, kind = detail["shape"], np.dtype(detail["dtype"])
    if kind == np.bool_:
        return _RANDOM.random(shape) > 0.5
    if kind.kind == "f":
        return _RANDOM.standard_normal(shape).astype(kind)
    info = np.iinfo(kind)
    return _RANDOM.integers(info.min, info.max, shape, kind, endpoint=True)


def runner(engine: Any) -> Callable[[Numbers], Numbers]:
    """Return a function of inputs in order that an interpreter of LiteRT computes."""
    engine.allocate_tensors()

    def run(inputs: Numbers) -> Numbers:
        for detail, value in zip(engine.get_input_details(), inputs, strict=True):
            engine.set_tensor(detail["index"], value)
        engine.invoke()
        return [engine.get_tensor(each["index"]) for each in engine.get_output_details()]

    return run


def timed(run: Callable[[Numbers], Numbers], inputs: Numbers) -> float:
    """Return the least time of some runs, in milliseconds."""
    times: list[float] = []
    for _ in range(_RUNS):
        begin = perf_counter()
        run(inputs)
        times.append(perf_counter() - begin)
    return min(times) * 1000


def compared(name: str, mine: Sequence[Numbers], others: Sequence[Numbers]) -> float:
    """Print the share of equal numbers over all runs, and return the relative difference."""
    ours, theirs = (
        np.concatenate([np.ravel(each).astype(np.float64) for run in runs for each in run])
        for runs in (mine, others)
    )
    share = np.mean(ours == theirs)
    greatest = float(np.abs(ours - theirs).max())
    print(f"  {name}: {share:.2%} equal, greatest difference {greatest:.3g}")
    return greatest / max(float(np.abs(theirs).max()), 1e-30)


def main(paths: Sequence[str]) -> int:
    """Compare each of some files; return the exit status."""
    kinds = litert.OpResolverType
    worst = 0.0
    for path in paths:
        compiled: Any = relay.compile(relay.load(path), threads=1)

        def ours(inputs: Numbers, function: Any = compiled) -> Numbers:
            found = function(*inputs)
            return found if isinstance(found, tuple) else [found]

        engines = [
            litert.Interpreter(path, experimental_op_resolver_type=kind, num_threads=1)
            for kind in (kinds.BUILTIN_REF, kinds.AUTO)
        ]
        inputs = [[sample(each) for each in engines[0].get_input_details()] for _ in range(_RUNS)]
        reference, default = map(runner, engines)
        mine = [ours(each) for each in inputs]
        print(path)
        exact = compared("reference", mine, [reference(each) for each in inputs])
        usual = compared("default", mine, [default(each) for each in inputs])
        worst = np.maximum(worst, np.fmin(exact, usual))  # NaN stays
        found = f"{timed(ours, inputs[0]):.3f} ms, LiteRT {timed(default, inputs[0]):.3f} ms"
        print(" ", found, flush=True)
    print(f"{len(paths)} models, the greatest relative difference is {worst:.2g}")
    return int(not worst <= _NEAR)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
