"""Hundreds of random convolutions and matrix products, compared with rooflines and other engines.

`python -m benchmarks.sweep` draws seeded shapes, runs each as a one-node model in every engine,
checks the values, and writes `benchmarks/results/sweep.{json,md,svg}`.
"""

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.contenders.case import Case, Feeds, Outputs
from benchmarks.harness import REFERENCE, Contender, ContenderError, relative_error
from benchmarks.roofline import Roofline
from benchmarks.sweep_report import write_report
from benchmarks.sweep_shapes import Shape, model_of, random_shapes


@dataclass
class Sample:
    """The result of one engine for one shape.

    `roof_seconds` is the roofline plus the cost of a call.
    """

    shape: str
    contender: str
    flops: float
    intensity: float
    seconds: float | None = None
    roof_seconds: float | None = None
    error: float | None = None
    failure: str | None = None

    @property
    def share(self) -> float | None:
        """Return the share of the roofline that was reached."""
        return self.roof_seconds / self.seconds if self.seconds and self.roof_seconds else None


class Runner:
    """One engine's process, restarted after a crash, and its cost of an empty call."""

    def __init__(self, name: str, folder: Path) -> None:
        """Start the process and measure a model that computes one element."""
        self.name, self._folder = name, folder
        self._cache = folder / f"{name}-cache"
        self._cache.mkdir()
        self._process = Contender(name, 1, self._cache)
        self.overhead = 0.0
        try:
            self.overhead, _ = self.run(*_tiny_model())
        except ContenderError:
            self._restart()

    def run(self, model: onnx.ModelProto, feeds: Feeds) -> tuple[float, Outputs]:
        """Return the minimum time of a call, and the values; raise `ContenderError`."""
        path = self._folder / f"{self.name}.onnx"
        inputs, results = path.with_suffix(".in.npz"), path.with_suffix(".out.npz")
        onnx.save(model, path)
        np.savez(inputs, **feeds)  # pyright: ignore[reportArgumentType] - no feed is a flag
        try:
            self._process.load(Case(path, inputs))
            self._process.ask("outputs", path=str(results))
            times = self._process.ask("run", seconds=0.02, at_least=5)["times"]
        except ContenderError:
            self._restart()
            raise
        with np.load(results) as archive:
            return min(times), [archive[name] for name in archive.files]

    def _restart(self) -> None:
        self.close()
        self._process = Contender(self.name, 1, self._cache)

    def close(self) -> None:
        """End the process."""
        self._process.__exit__(None, None, None)


def _tiny_model() -> tuple[onnx.ModelProto, Feeds]:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "tiny", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {"x": np.ones(1, np.float32)}


def sample(shape: Shape, seed: int, runners: Sequence[Runner], roof: Roofline) -> list[Sample]:
    """Run one shape through every runner; the reference goes first."""
    model, feeds = model_of(shape, seed)
    expected: Outputs | None = None
    samples: list[Sample] = []
    for runner in runners:
        row = Sample(shape.name, runner.name, shape.flops, shape.flops / shape.traffic)
        try:
            row.seconds, values = runner.run(model, feeds)
            row.roof_seconds = runner.overhead + roof.seconds(shape.flops, shape.traffic)
            expected = values if runner.name == REFERENCE else expected
            row.error = None if expected is None else relative_error(values, expected)
        except ContenderError as error:
            row.failure = str(error)
        samples.append(row)
    return samples


def sweep(shapes: Sequence[Shape], contenders: Sequence[str], roof: Roofline) -> list[Sample]:
    """Run every shape through every contender, the reference first."""
    ordered = sorted(contenders, key=lambda name: name != REFERENCE)
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as folder:
        runners = [Runner(name, Path(folder)) for name in ordered]
        try:
            for seed, shape in enumerate(shapes):
                samples += sample(shape, seed, runners, roof)
        finally:
            for runner in runners:
                runner.close()
    return samples


def main() -> None:
    """Measure all cases of the sweep and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--contenders", default="relay,ort")
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    roof = Roofline.measure()
    shapes = random_shapes(options.count, options.seed)
    rows = [
        {**asdict(row), "share": row.share}
        for row in sweep(shapes, options.contenders.split(","), roof)
    ]
    write_report(rows, roof, keep=not options.dry)


if __name__ == "__main__":
    main()
