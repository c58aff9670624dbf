"""Pretrained models: whether answers are right, how close to ONNX Runtime's, and how fast.

`python -m benchmarks.real_models` puts every question of `benchmarks.answers` to ONNX Runtime
and to the contenders, and writes `benchmarks/results/real_models.md`.
"""

import argparse
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np
import onnxruntime
from rich.console import Console
from rich.table import Table

from benchmarks.answers import QUESTIONS, Question, Run, Verdict
from benchmarks.contenders.case import Case, Feeds, Outputs
from benchmarks.harness import Contender, ContenderError, Measurement, measure, relative_error
from benchmarks.machine import machine_line
from benchmarks.report import RESULTS, speedup

REPLAYED = 32  # calls of a judge whose values are compared with ONNX Runtime's
HEADINGS = ("model", "engine", "right", "found", "error", "median ms", "Relay is", "compile s")


@dataclass
class Reference:
    """ONNX Runtime in this process: answers a judge, and records the calls."""

    model: Path
    calls: list[tuple[Feeds, Outputs]] = field(default_factory=list[tuple[Feeds, Outputs]])

    def __post_init__(self) -> None:
        """Create the session."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        self._session = onnxruntime.InferenceSession(str(self.model), options)

    def __call__(self, feeds: Feeds) -> Outputs:
        """Run the model, and record the first calls."""
        outputs = cast(Outputs, self._session.run(None, feeds))
        if len(self.calls) < REPLAYED:
            self.calls.append(({k: np.array(v) for k, v in feeds.items()}, outputs))
        return outputs


class Remote:
    """One model in an engine's process, as a `Run`."""

    def __init__(self, process: Contender, model: Path, feeds: Feeds, folder: Path) -> None:
        """Load the model; raises `ContenderError`."""
        self._process = process
        self._inputs, self._outputs = folder / "in.npz", folder / "out.npz"
        folder.mkdir()
        np.savez(self._inputs, **feeds)  # pyright: ignore[reportArgumentType] - no feed is a flag
        process.load(Case(model, self._inputs))

    def __call__(self, feeds: Feeds) -> Outputs:
        """Run the model on other inputs."""
        np.savez(self._inputs, **feeds)  # pyright: ignore[reportArgumentType] - no feed is a flag
        self._process.ask("call", feeds=str(self._inputs), path=str(self._outputs))
        with np.load(self._outputs) as archive:
            return [archive[name] for name in archive.files]


@dataclass
class Answered:
    """The answer of one engine to one question, or the reason why there is none."""

    verdict: Verdict
    errors: list[float]


def answer(question: Question, contender: str, references: Sequence[Reference]) -> Answered:
    """Ask an engine a question, and compare its outputs with those of the references."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        runs: list[Run] = []
        try:
            for index, reference in enumerate(references):
                process = stack.enter_context(Contender(contender, 1, folder))
                feeds = reference.calls[0][0]
                runs.append(Remote(process, reference.model, feeds, folder / str(index)))
            verdict = question.judge(*runs)
            errors = [_worst(run, r.calls) for run, r in zip(runs, references, strict=True)]
        except ContenderError as error:
            return Answered(Verdict(False, str(error)), [float("nan")] * len(references))
    return Answered(verdict, errors)


def _worst(run: Run, calls: Sequence[tuple[Feeds, Outputs]]) -> float:
    return max(relative_error(run(feeds), expected) for feeds, expected in calls)


def ask(question: Question, contenders: Sequence[str], rounds: int) -> list[tuple[str, ...]]:
    """Return the table's rows of one question: a row for each model and engine."""
    references = [Reference(model) for model in question.models()]
    answers = {"ort": Answered(question.judge(*references), [0.0] * len(references))}
    answers |= {name: answer(question, name, references) for name in contenders}
    rows: list[tuple[str, ...]] = []
    for index, reference in enumerate(references):
        feeds = reference.calls[0][0]
        measured = measure(reference.model, feeds, list(answers), rounds=rounds)
        label = question.name if len(references) == 1 else f"{question.name} {index + 1}"
        ratio = speedup(measured)
        rows += [_row(label, m, answers[m.contender], index, ratio) for m in measured]
    return rows


def _row(
    label: str, measured: Measurement, answered: Answered, index: int, ratio: float | None
) -> tuple[str, ...]:
    faster = f"{ratio:.2f}×" if ratio and measured.contender == "relay" else ""
    median, compiled = measured.median_seconds, measured.cold_seconds
    return (
        label,
        measured.contender,
        "yes" if answered.verdict.right else "no",
        answered.verdict.found.replace("|", "/")[:100],
        f"{answered.errors[index]:.1e}",
        "–" if median is None else f"{median * 1e3:.3f}",
        faster,
        "–" if compiled is None else f"{compiled:.2f}",
    )


def main() -> None:
    """Ask the chosen questions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", default=",".join(QUESTIONS), help="names, by commas")
    parser.add_argument("--contenders", default="relay", help="beside ONNX Runtime, by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    contenders = [name for name in options.contenders.split(",") if name]
    rows: list[tuple[str, ...]] = []
    for name in options.questions.split(","):
        answered = ask(QUESTIONS[name], contenders, options.rounds)
        _print(answered)
        rows += answered
    if not options.dry:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "real_models.md").write_text(_markdown(rows))


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*row)
    Console(width=None if Console().is_terminal else 160).print(table)


def _markdown(rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["# Pretrained models, one thread", "", machine_line(), ""]
    lines += ["`error` is the worst of a judge's first calls against ONNX Runtime. `Relay is` the"]
    lines += ["best peer's median over Relay's: above 1 Relay is faster.", ""]
    lines += [f"| {' | '.join(row)} |" for row in (HEADINGS, ["---"] * len(HEADINGS), *rows)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
