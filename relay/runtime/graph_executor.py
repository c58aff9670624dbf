"""`GraphModule`: an executable with the interface of TVM's graph executor.

Callers set inputs, run the program, and then get outputs.
"""

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, NoReturn, Protocol

import numpy as np

from relay.runtime.arguments import ArgumentChecker, Array
from relay.runtime.cast_inputs import cast_input
from relay.runtime.code.signature import ValueSpec
from relay.runtime.device import CPU, Device
from relay.runtime.dlpack import array_of
from relay.runtime.executable import Executable
from relay.runtime.interruptible_copies import copied, copy_elements
from relay.runtime.ndarray import as_classic
from relay.runtime.program import Signature, TensorSpec
from relay.runtime.repeated_timing import BenchmarkResult, Repetition
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError, UsageError
from relay.support.late_binding import module_above


def create(
    graph_json_str: str, libmod: "GraphModule | Library | Executable", device: Device = CPU
) -> "GraphModule":
    """Return the module that runs a library; the graph argument of TVM is ignored."""
    del graph_json_str, device
    return GraphModule(libmod)


class Library(Protocol):
    """The interface of a compiled program that also knows the parameters compiled into it."""

    @property
    def executable(self) -> Executable:
        """Return the executable."""
        ...

    @property
    def bound(self) -> Mapping[str, Array]:
        """Return the parameters that were compiled into the program, by name."""
        ...


class LoadedLibrary:
    """A program from a file, with TVM's interface: `library["default"](device)` runs it."""

    def __init__(self, executable: Executable) -> None:
        self.executable = executable
        self.bound: Mapping[str, Array] = {}

    def __getitem__(self, name: str) -> "Callable[..., GraphModule]":
        """Return the function that creates a module; every name denotes the only program."""
        if name == "debug_create":
            return by_name(self.__getitem__)
        return self._create

    def _create(self, device: Device = CPU) -> "GraphModule":
        del device  # there is only one kind of device
        return GraphModule(self)


def by_name(
    library: Callable[[str], "Callable[..., GraphModule]"],
) -> "Callable[..., GraphModule]":
    """Return TVM's function `lib["debug_create"]`, which takes the name of a program first."""

    def create(name: str, device: Device = CPU) -> GraphModule:
        return library(name)(device)

    return create


def load_module(path: str | PathLike[str]) -> LoadedLibrary:
    """Return the program in a file that `export_library` wrote: `.relay`, `.so` or `.tar`.

    Raises the errors of `relay.Executable.load`.
    """
    return LoadedLibrary(Executable.load(path))


class GraphModule:
    """An executable that stores inputs, and keeps outputs until the next run.

    `GraphModule(lib["default"](dev))` is the usual form; wrapping a `GraphModule` has no effect.
    """

    def __init__(self, module: "GraphModule | Library | Executable") -> None:
        if not (isinstance(module, Executable) or hasattr(module, "executable")):
            help_ = 'pass a library, as in GraphModule(relay.build(mod, "llvm")["default"](dev))'
            message = f"GraphModule takes what relay.build returns, not {type(module).__name__}"
            raise UsageError(ErrorCode.U003, message, help=help_)
        self.executable = module if isinstance(module, Executable) else module.executable
        self.bound: Mapping[str, Array] = {} if isinstance(module, Executable) else module.bound
        self._inputs: dict[str, Any] = {}
        self._outputs: list[Array] = []
        self._written: dict[int, Array] = {}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """Return a method by name, as TVM's modules do: `module["run"]()`."""
        found: Callable[..., Any] = getattr(self, name)
        return found

    def set_input(self, key: str | int | None = None, value: Any = None, **params: Any) -> None:
        """Set an input by name or number, and others by name; values are copied.

        A parameter that `relay.build` compiled into the program can only be set to its own value.
        Floats and integers of another width are converted. Raises `R002` for an unknown input, and
        the errors of a call for an invalid value.
        """
        if key is not None:
            params = {self._known(key): value, **params}
        for name, given in params.items():
            if name in self.bound:
                self._check_bound(name, given)
                continue
            self._inputs[self._name(name)] = self._admitted(self._name(name), given)

    def set_input_zero_copy(self, key: str | int, value: Array) -> None:
        """Use an array as an input without copying: runs see later writes to it.

        Raises the errors of `set_input`, and `R006` for an array of another width.
        """
        name = self._known(key)
        if name in self.bound:
            self._check_bound(name, value)
            return
        spec = self._spec(name)
        if isinstance(spec, TensorSpec):
            ArgumentChecker(Signature((spec,), ())).admit((value,), {})
        self._inputs[name] = value

    def set_output_zero_copy(self, index: int, value: Array) -> None:
        """Copy an output to an array after each run; raises `R015` if there is no such output."""
        check_index(index, self.get_num_outputs())
        self._written[index] = value

    def load_params(self, params_bytes: bytes) -> None:
        """Set the inputs that are in bytes written by `relay.save_param_dict`."""
        self.set_input(**module_above("relay.container").load_param_dict(params_bytes))

    def share_params(self, other: "GraphModule", params_bytes: bytes) -> None:
        """Use another module's arrays for the inputs named in bytes of `relay.save_param_dict`."""
        for name in module_above("relay.container").load_param_dict(params_bytes):
            if name not in self.bound:
                self._inputs[self._name(name)] = other.inputs[name]

    @property
    def inputs(self) -> dict[str, Any]:
        """Return the inputs that are set, by name."""
        return dict(self._inputs)

    def run(self, **inputs: Any) -> None:
        """Run the program with the stored inputs, after setting those passed here.

        Raises `R001` if an input is not set.
        """
        self.set_input(**inputs)
        self._outputs = list(self._ran().values())
        for index, array in self._written.items():
            copy_output(self._outputs[index], array)

    def _ran(self) -> dict[str, Array]:
        try:
            return self.executable.run(**self._inputs)
        except RunError as error:
            unset = [name for name in self._names() if name not in self._inputs]
            if error.code != ErrorCode.R001 or not unset:
                raise
            help_ = f'call set_input("{unset[0]}", …) before run() or benchmark()'
            what = f"the input {unset[0]!r} is not set"
            raise RunError(ErrorCode.R001, what, help=help_) from None

    def get_output(self, index: int, out: Array | None = None) -> Any:
        """Return an output of the last run, copied into `out` if that is passed.

        Raises `R015` if there is no such output.
        """
        check_index(index, len(self._outputs))
        found = self._outputs[index]
        return as_classic(found) if out is None else copy_output(found, out)

    def get_input(self, index: int | str) -> Any:
        """Return the stored value of an input, or None if it is not set."""
        return as_classic(self._inputs.get(self._name(index)))

    def get_input_index(self, name: str) -> int:
        """Return the index of an input by name, or -1."""
        names = self._names()
        return names.index(name) if name in names else -1

    def get_input_name(self, index: int) -> str:
        """Return the name of an input by index. Raise `R015` if there is no such input."""
        names = self._names()
        check_index(index, len(names), "input")
        return names[index]

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
        self,
        device: Device = CPU,
        func_name: str = "run",
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: float | None = None,
        limit_zero_time_iterations: int = 100,
        end_to_end: bool = False,
        cooldown_interval_ms: float = 0,
        repeats_to_cooldown: int = 1,
        **inputs: Any,
    ) -> BenchmarkResult:
        """Return the times of `repeat` measurements of `number` runs each, after setting inputs.

        `relay.runtime.repeated_timing` explains the other options. With `end_to_end`, each call
        also sets the inputs. `limit_zero_time_iterations` has no effect: no time here is zero.
        """
        del device, func_name, limit_zero_time_iterations  # only one device and function exist
        self.set_input(**inputs)
        given = inputs if end_to_end else {}
        how = Repetition(
            repeat, number, min_repeat_ms or 0, cooldown_interval_ms, repeats_to_cooldown
        )
        return how.measure(lambda: self.run(**given))

    @property
    def module(self) -> "GraphModule":
        """Return the module itself; TVM's code calls `module.time_evaluator`."""
        return self

    def time_evaluator(
        self,
        func_name: str = "run",
        device: Device = CPU,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: float = 0,
    ) -> Callable[[], BenchmarkResult]:
        """Return a function that measures runs with the stored inputs, as `benchmark` does."""
        del device, func_name
        how = Repetition(repeat, number, min_repeat_ms)
        return lambda: how.measure(self.run)

    def debug_get_output(self, node: int | str, out: Any = None) -> NoReturn:
        """Raise `U072`: values between kernels are not available in a native program."""
        del out
        message = (
            f"the value of the node {node!r} is not available, because the program is one "
            "native function"
        )
        help_ = (
            "add the value to the results of main; or print it, with relay.debug(x, print) and "
            'relay.create_executor("debug")'
        )
        raise UsageError(ErrorCode.U072, message, help=help_)

    def _admitted(self, name: str, given: Any) -> Any:
        """Return a checked copy of a tensor input; other values unchanged."""
        spec = self._spec(name)
        if isinstance(spec, ValueSpec):
            return given  # checked by the run
        (array,) = ArgumentChecker(Signature((spec,), ())).admit((cast_input(given, spec),), {})
        return copied(array)

    def _spec(self, name: str) -> TensorSpec | ValueSpec:
        return self.executable.signature.inputs[self._names().index(name)]

    def _check_bound(self, name: str, given: Any) -> None:
        """Raise an error unless a parameter has the value that was compiled into the program."""
        if not np.array_equal(self.bound[name], array_of(given), equal_nan=True):
            message = (
                f"the input {name!r} was compiled into the program as a constant, with another "
                "value"
            )
            help_ = "remove it from relay.build(mod, params={…}), so that it is an input"
            raise RunError(ErrorCode.R002, message, help=help_)

    def _known(self, key: str | int) -> str:
        """Return the name of an input or of a compiled-in parameter, by name or number."""
        return key if isinstance(key, str) and key in self.bound else self._name(key)

    def _names(self) -> list[str]:
        return [spec.name for spec in self.executable.signature.inputs]

    def _name(self, key: str | int) -> str:
        names = self._names()
        if isinstance(key, int) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            listed = ", ".join(names) or "none"
            raise RunError(
                ErrorCode.R002,
                f"the program has no input {key!r}",
                help=f"use one of the inputs {listed}",
            )
        return str(key)


def copy_output(found: Array, out: Array) -> Array:
    """Copy an output to the array `out` and return it; raises `R005` if the types differ."""
    if (found.shape, found.dtype) != (out.shape, out.dtype):
        raise RunError(
            ErrorCode.R005,
            f"the output is {found.dtype}{[*found.shape]}, but the array to fill is "
            f"{out.dtype}{[*out.shape]}",
            help="pass an array of the output's shape and element type",
        )
    copy_elements(out, found)
    return out


def check_index(index: int, count: int, what: str = "output") -> None:
    """Raise `R015` unless `index` is a valid index below `count`."""
    if not 0 <= index < count:
        match count:
            case 0:
                help_ = "call run() first: a program has outputs only after it has run"
            case 1:
                help_ = f"pass 0: there is one {what}"
            case _:
                help_ = f"pass a number from 0 to {count - 1}"
        raise RunError(ErrorCode.R015, f"there is no {what} {index}", help=help_)
