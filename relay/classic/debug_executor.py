"""The classic debug executor: a graph executor that measures each kernel.

`relay.create_executor("debug")` is something else, the evaluator that defines what programs mean.
"""

import csv
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from relay.runtime.device import CPU, Device
from relay.runtime.executable import Executable
from relay.runtime.graph_executor import GraphModule, Library
from relay.runtime.profile import Profile
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def create(
    graph_json_str: str,
    libmod: GraphModule | Library | Executable,
    device: Device = CPU,
    dump_root: str | PathLike[str] | None = None,
) -> "GraphModuleDebug":
    """Return the module that runs a library and measures its kernels.

    The graph is redundant and ignored. Each run writes its outputs and the time of each kernel to
    the folder `dump_root`.
    """
    del graph_json_str, device
    return GraphModuleDebug(libmod, dump_root=dump_root)


class GraphModuleDebug(GraphModule):
    """A graph executor whose kernels are measured; `create` makes one."""

    def __init__(
        self,
        module: GraphModule | Library | Executable,
        *,
        dump_root: str | PathLike[str] | None = None,
    ) -> None:
        super().__init__(module)
        self._folder = None if dump_root is None else Path(dump_root)

    def run(self, **inputs: Any) -> None:
        """Run the program, and write what the run did to the folder if there is one."""
        super().run(**inputs)
        if self._folder is not None:
            self._write(self._folder)

    def profile(self, **inputs: Any) -> Profile:
        """Return the time and the work of each kernel, after setting inputs; `print` shows them."""
        self.set_input(**inputs)
        return self.executable.profile(**self.inputs)

    def run_individual(self, number: int = 1, repeat: int = 1) -> list[list[float]]:
        """Return the seconds of each kernel in each of `repeat` measurements.

        A measurement is the fastest of `number` runs.
        """
        rounds = [self.executable.profile(repeats=number, **self.inputs) for _ in range(repeat)]
        steps = zip(*(each.steps for each in rounds), strict=True)
        return [[step.milliseconds / 1e3 for step in each] for each in steps]

    def debug_get_output(self, node: int | str, out: Any = None) -> NoReturn:
        """Raise `U072`: a program is one native function, which keeps no values between kernels."""
        del out
        message = f"the value of {node!r} is not kept: a program is one native function"
        help_ = "relay.debug(x) in the program prints a value; relay.vm steps through instructions"
        raise UsageError(ErrorCode.U072, message, help=help_)

    def exit(self) -> None:
        """Remove the files that runs wrote."""
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
