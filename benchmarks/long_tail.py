"""Less common operators, compared with ONNX Runtime and PyTorch.

    python -m benchmarks.long_tail [--rounds 9] [--threads 1] [--only TEXT] [--note TEXT]

Each case is one operator, or a few, on inputs of usual sizes. Everything runs in this process;
engines alternate, and a time is the minimum processor time of all rounds, which other load affects
little. Results are compared with ONNX Runtime's, or with PyTorch's if ONNX Runtime does not have
the operator. Without `--only`, the table is written to `benchmarks/results/long_tail.md`.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import onnxruntime
import torch

import relay
from benchmarks.long_tail_cases import (
    convolutions,
    images,
    indexing,
    ordering,
    products,
    signals,
    trees,
)
from benchmarks.long_tail_cases.case import Case
from benchmarks.machine import describe_machine
from relay.ir.module import Module

RESULT = Path(__file__).parent / "results" / "long_tail.md"
FAMILIES = (indexing, ordering, images, signals, convolutions, products, trees)
_LEAST_SECONDS = 2e-3  # a round repeats shorter calls, for the clock's sake
Run = Callable[[], Any]
LEAST = 0.8
"""The speed ratio that every case should reach."""


def cases() -> Iterable[Case]:
    """Yield all cases."""
    for family in FAMILIES:
        yield from family.cases()


def ours(case: Case, threads: int) -> Run:
    """Return a run of Relay."""
    module = relay.load(case.model) if case.function is None else Module.of(case.function)
    compiled: Any = relay.compile(module, threads=threads)
    arguments = list(case.inputs.values())
    return lambda: compiled(*arguments)


def onnx_runtime(case: Case, threads: int) -> Run | None:
    """Return a run of ONNX Runtime."""
    if case.model is None:
        return None
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session: Any = onnxruntime.InferenceSession(
        case.model.SerializeToString(), options, ["CPUExecutionProvider"]
    )
    feeds = dict(case.inputs)
    return lambda: session.run(None, feeds)


def pytorch(case: Case) -> Run | None:
    """Return a run of PyTorch."""
    function = case.torch
    if function is None:
        return None
    tensors = [torch.from_numpy(np.ascontiguousarray(each)) for each in case.arguments]

    def run() -> Any:
        with torch.inference_mode():
            return function(*tensors)

    return run


def measured(case: Case, threads: int, rounds: int) -> list[float | str]:
    """Return the time of each engine, or the reason why it has none; results must agree."""
    starts: list[Callable[[], Run | None]] = [
        lambda: ours(case, threads),
        lambda: onnx_runtime(case, threads),
        lambda: pytorch(case),
    ]
    runs, times = list[Run | None](), list[float | str]()
    for start in starts:
        try:
            run = start()
            if run is not None:
                run()
        except Exception as error:  # noqa: BLE001 - whatever an engine raises is its result
            runs.append(None)
            times.append(f"{type(error).__name__}: {str(error).splitlines()[0][:120]}")
        else:
            runs.append(run)
            times.append(float("inf") if run else "")
    for _ in range(rounds):
        for place, run in enumerate(runs):
            if run is not None:
                times[place] = min(float(times[place]), _seconds(run))
    times.append(_error(runs))
    return times


def _seconds(run: Run) -> float:
    """Return the processor time of a call, averaged over several if calls are short."""
    start, count = time.process_time(), 0
    while (spent := time.process_time() - start) < _LEAST_SECONDS:
        run()
        count += 1
    return spent / count


def _error(runs: Sequence[Run | None]) -> float:
    """Return the largest difference from another engine's results, divided by their largest."""
    mine, other = runs[0], runs[1] or runs[2]
    if mine is None or other is None:
        return float("nan")
    worst = 0.0
    for one, wanted in zip(_arrays(mine()), _arrays(other()), strict=True):
        if one.shape != wanted.shape:
            return float("inf")
        apart = np.abs(one.astype(np.float64) - wanted.astype(np.float64))
        largest = max(1.0, float(np.max(np.abs(wanted), initial=0)))
        worst = np.maximum(worst, np.max(apart, initial=0) / largest)  # NaN stays
    return float(worst)


def _arrays(found: Any) -> list[np.ndarray]:
    return [np.asarray(each) for each in (found if isinstance(found, list | tuple) else [found])]


def ratio(times: Sequence[float | str]) -> float | None:
    """Return how much faster Relay is than the best of the others; None without a comparison."""
    others = [each for each in times[1:3] if isinstance(each, float)]
    mine = times[0]
    return min(others) / mine if isinstance(mine, float) and others else None


def row(case: Case, times: Sequence[float | str]) -> str:
    """Return a row of the table."""
    shown = [_milliseconds(each) for each in times[:3]]
    quotient, error = ratio(times), float(times[3])
    cells = [*shown, "–" if quotient is None else f"{quotient:.2f}", f"{error:.1e}"]
    return f"| {case.name} | {' | '.join(cells)} |"


def _milliseconds(seconds: float | str) -> str:
    return seconds or "–" if isinstance(seconds, str) else f"{seconds * 1e3:.3f}"


TEXT = """
{threads} thread(s); milliseconds of processor time, the least of {rounds} rounds in which engines
alternate. *Ratio* is the best time of ONNX Runtime {ort} and PyTorch {torch} over that of Relay.
*Error* is the largest difference from ONNX Runtime, or else PyTorch, over the largest result.

| case | Relay | ONNX Runtime | PyTorch | ratio | error |
| --- | ---: | ---: | ---: | ---: | ---: |
"""


def main() -> None:
    """Measure the cases, print the table, keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the name of a case")
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    machine = ", ".join(f"{name} {value}" for name, value in describe_machine().items())
    text = f"# Less common operators\n\nMachine: {machine}.\n"
    text += f"\n{given.note}\n" if given.note else ""
    text += TEXT.format(
        threads=given.threads, rounds=given.rounds, ort=onnxruntime.__version__,
        torch=torch.__version__,
    )  # fmt: skip
    ratios: list[float] = []
    for case in cases():
        if given.only in case.name:
            times = measured(case, given.threads, given.rounds)
            ratios += [each] if (each := ratio(times)) is not None else []
            text += row(case, times) + "\n"
            print(text.splitlines()[-1], flush=True)
    good = sum(each >= LEAST for each in ratios)
    text += (
        f"\n{len(ratios)} cases: the geometric mean of the ratios is {geometric_mean(ratios):.2f}, "
        f"the least {min(ratios):.2f}; {good} are at least {LEAST}.\n"
    )
    print(text.splitlines()[-1])
    if not given.only:
        RESULT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
