"""`GraphModule`: an executable with the interface of the classic graph executor.

Callers set inputs, run the program, and then get outputs.
"""

import time
from collections.abc import Mapping
from statistics import mean, median, pstdev
from typing import Any, Protocol

import numpy as np

from relay.runtime.arguments import Array, Door
from relay.runtime.casting import cast_input
from relay.runtime.code.signature import ValueSpec
from relay.runtime.device import CPU, Device
from relay.runtime.dlpack import array_of
from relay.runtime.executable import Executable
from relay.runtime.ndarray import as_classic
from relay.runtime.program import Signature, TensorSpec
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.late_binding import module_above
from relay.support.node import Value, set_field, value


@value
class BenchmarkResult(Value):
    """The seconds of several measurements; each is a mean over its calls."""

    results: tuple[float, ...]

    def __post_init__(self) -> None:
        set_field(self, "results", tuple(self.results))

    @property
    def mean(self) -> float:
        """Return the mean."""
        return mean(self.results)

    @property
    def median(self) -> float:
        """Return the median."""
        return median(self.results)

    @property
    def min(self) -> float:
        """Return the minimum."""
        return min(self.results)

    @property
    def max(self) -> float:
        """Return the maximum."""
        return max(self.results)

    @property
    def std(self) -> float:
        """Return the standard deviation."""
        return pstdev(self.results)

    def __str__(self) -> str:
        names = ("mean", "median", "max", "min", "std")
        return "  ".join(f"{name} {getattr(self, name) * 1e3:.4f} ms" for name in names)


def create(
    graph_json_str: str, libmod: "GraphModule | Library | Executable", device: Device = CPU
) -> "GraphModule":
    """Return the module that runs a library; the graph is redundant and ignored."""
    del graph_json_str, device
    return GraphModule(libmod)


class Library(Protocol):
    """A compiled program, and the parameters that are part of it."""

    @property
    def executable(self) -> Executable:
        """Return the program."""
        ...

    @property
    def bound(self) -> Mapping[str, Array]:
        """Return the parameters that are constants of the program, by name."""
        ...


class GraphModule:
    """An executable with stored inputs, and outputs that are kept until the next run.

    `GraphModule(lib["default"](dev))` is the usual form; wrapping a `GraphModule` has no effect.
    """

    def __init__(self, module: "GraphModule | Library | Executable") -> None:
        self.executable = module if isinstance(module, Executable) else module.executable
        self.bound: Mapping[str, Array] = {} if isinstance(module, Executable) else module.bound
        self._inputs: dict[str, Any] = {}
        self._outputs: list[Array] = []

    def set_input(self, key: str | int | None = None, value: Any = None, **params: Any) -> None:
        """Set an input by name or number, and others by name; values are copied.

        A parameter that `relay.build` compiled into the program may only be set to its own value.
        Floats and integers of another width are converted. Raises `R002` for an unknown input, and
        the errors of a call for a value that does not fit.
        """
        if key is not None:
            params = {self._name(key): value, **params}
        for name, given in params.items():
            if name in self.bound:
                self._check_bound(name, given)
                continue
            self._inputs[self._name(name)] = self._admitted(self._name(name), given)

    def load_params(self, params_bytes: bytes) -> None:
        """Set the inputs that `relay.save_param_dict` wrote."""
        self.set_input(**module_above("relay.container").load_param_dict(params_bytes))

    @property
    def inputs(self) -> dict[str, Any]:
        """Return the inputs that are set, by name."""
        return dict(self._inputs)

    def run(self, **inputs: Any) -> None:
        """Run the program with the stored inputs, after setting those passed here."""
        self.set_input(**inputs)
        self._outputs = list(self.executable.run(**self._inputs).values())

    def get_output(self, index: int, out: Array | None = None) -> Any:
        """Return an output of the last run, copied into `out` if given. Raise `R015` if unknown."""
        if not 0 <= index < len(self._outputs):
            raise RunError(
                ErrorCode.R015,
                f"there is no output {index}",
                help=f"the program has {self.get_num_outputs()}, once it has run",
            )
        found = self._outputs[index]
        if out is None:
            return as_classic(found)
        np.copyto(out, found)
        return out

    def get_input(self, index: int | str) -> Any:
        """Return the stored value of an input, or None."""
        return self._inputs.get(self._name(index))

    def get_input_index(self, name: str) -> int:
        """Return the index of the input with a name, or -1."""
        names = self._names()
        return names.index(name) if name in names else -1

    def get_input_info(self) -> tuple[dict[str, tuple[int | str, ...]], dict[str, str]]:
        """Return the shapes and the element types of all tensor inputs, by name."""
        specs = [s for s in self.executable.signature.inputs if isinstance(s, TensorSpec)]
        return {s.name: s.shape for s in specs}, {s.name: str(s.dtype) for s in specs}

    def get_num_inputs(self) -> int:
        """Return the number of inputs."""
        return len(self.executable.signature.inputs)

    def get_num_outputs(self) -> int:
        """Return the number of outputs."""
        return len(self.executable.signature.outputs)

    def benchmark(
        self, device: Device = CPU, func_name: str = "run", repeat: int = 5, number: int = 5
    ) -> BenchmarkResult:
        """Return the times of `repeat` measurements of `number` calls with the stored inputs."""
        del device, func_name  # there is only one of each
        return BenchmarkResult(tuple(self._measure(number) for _ in range(repeat)))

    def _measure(self, number: int) -> float:
        start = time.perf_counter()
        for _ in range(number):
            self.run()
        return (time.perf_counter() - start) / number

    def _admitted(self, name: str, given: Any) -> Any:
        """Return a checked copy of a tensor input; other values are returned unchanged."""
        spec = self.executable.signature.inputs[self._names().index(name)]
        if isinstance(spec, ValueSpec):
            return given  # checked by the run
        (array,) = Door(Signature((spec,), ())).admit((cast_input(given, spec),), {})
        return array.copy()

    def _check_bound(self, name: str, given: Any) -> None:
        """Require that a parameter has the value that it had when the program was compiled."""
        if not np.array_equal(self.bound[name], array_of(given), equal_nan=True):
            message = f"the parameter {name!r} was compiled into the program, with another value"
            help_ = "build without it, and it is an input: relay.build(mod, params={…})"
            raise RunError(ErrorCode.R002, message, help=help_)

    def _names(self) -> list[str]:
        return [spec.name for spec in self.executable.signature.inputs]

    def _name(self, key: str | int) -> str:
        names = self._names()
        if isinstance(key, int) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            listed = ", ".join(names) or "none"
            raise RunError(
                ErrorCode.R002, f"there is no input {key!r}", help=f"the inputs are {listed}"
            )
        return str(key)
