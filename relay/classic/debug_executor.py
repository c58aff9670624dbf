"""TVM's debug executor: a graph executor that measures each kernel.

It is different from `relay.create_executor("debug")`, which is the reference evaluator.
"""

import csv
import time
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from relay.runtime.artefact import unwritable
from relay.runtime.device import CPU, Device
from relay.runtime.executable import Executable
from relay.runtime.graph_executor import GraphModule, Library, check_index
from relay.runtime.profile import Profile, refuse_collectors
from relay.runtime.repeated_timing import BenchmarkResult


def create(
    graph_json_str: str,
    libmod: GraphModule | Library | Executable,
    device: Device = CPU,
    dump_root: str | PathLike[str] | None = None,
) -> "GraphModuleDebug":
    """Return a module that runs a library and measures its kernels.

    The graph argument is ignored. Each run writes its outputs and the time of each kernel to the
    folder `dump_root`.
    """
    return GraphModuleDebug(libmod, device, graph_json_str, dump_root)


class GraphModuleDebug(GraphModule):
    """A graph executor that measures its kernels; `create` returns one."""

    def __init__(
        self,
        module: GraphModule | Library | Executable,
        device: Device | Sequence[Device] = CPU,
        graph_json_str: str = "",
        dump_root: str | PathLike[str] | None = None,
    ) -> None:
        del device, graph_json_str  # there is one kind of device, and the module has its graph
        super().__init__(module)
        self._folder = None if dump_root is None else Path(dump_root)

    def run(self, **inputs: Any) -> None:
        """Run the program; write outputs and kernel times to the dump folder, if there is one.

        Raises `A009` if they cannot be written.
        """
        super().run(**inputs)
        if self._folder is not None:
            try:
                self._write(self._folder)
            except OSError as error:
                raise unwritable(self._folder, error) from None

    def profile(self, collectors: None = None, **inputs: Any) -> Profile:
        """Return the time and the work of each kernel, after setting inputs; it can be printed.

        Raises `U072` if `collectors`, TVM's additional counters, are passed.
        """
        refuse_collectors(collectors)
        self.set_input(**inputs)
        return self.executable.profile(**self.inputs)

    def run_individual(
        self, number: int = 1, repeat: int = 1, min_repeat_ms: float = 0, **_limits: float
    ) -> list[list[float]]:
        """Return the seconds of each kernel in each of `repeat` measurements.

        A measurement is the fastest of `number` runs, or of more runs until `min_repeat_ms`.
        Options for pauses have no effect.
        """
        rounds = [self._fastest(number, min_repeat_ms) for _ in range(repeat)]
        return [list(each) for each in zip(*rounds, strict=True)]

    def run_individual_node(
        self, index: int, number: int = 10, repeat: int = 1, min_repeat_ms: float = 0
    ) -> BenchmarkResult:
        """Return the seconds of one kernel, by its index in the result of `run_individual`.

        Raises `R015` if there is no such kernel.
        """
        found = self.run_individual(number, repeat, min_repeat_ms)
        check_index(index, len(found), "kernel")
        return BenchmarkResult(tuple(found[index]))

    def _fastest(self, number: int, min_repeat_ms: float) -> list[float]:
        end, best = time.perf_counter() + min_repeat_ms / 1e3, list[float]()
        while not best or time.perf_counter() < end:
            steps = self.executable.profile(repeats=number, **self.inputs).steps
            times = [step.milliseconds / 1e3 for step in steps]
            best = [*map(min, best, times)] if best else times
        return best

    def exit(self) -> None:
        """Remove the files that runs have written to the dump folder."""
        if self._folder is not None:
            for path in (*self._folder.glob("output_*.npy"), self._folder / _TIMES):
                path.unlink(missing_ok=True)

    def _write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for index in range(self.get_num_outputs()):
            np.save(folder / f"output_{index}.npy", self.get_output(index).numpy())
        with (folder / _TIMES).open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(("kernel", "calls", "milliseconds"))
            steps = self.executable.profile(repeats=1, **self.inputs).steps
            rows.writerows((step.label, step.calls, step.milliseconds) for step in steps)


_TIMES = "kernels.csv"
