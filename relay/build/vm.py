"""TVM's interface to the virtual machine, available as `relay.vm`.

>>> import numpy as np
>>> from relay.frontend.text import parse
>>> text = '#[version = "0.0.5"]' + "def @main(%n: int32) -> int32 { add(%n, 1) }"
>>> executable = compile(parse(text))
>>> VirtualMachine(executable).run(np.int32(4)).numpy()
array(5, dtype=int32)
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from relay.build.code.interface_types import external_types_of, has_data
from relay.build.code.virtual_machine_code import build_virtual_code
from relay.build.multi_device_steps import refuse_devices
from relay.build.pass_report import pass_entries, with_report
from relay.build.pipeline import run_pipeline
from relay.build.restore_result_type import with_promised_result
from relay.build.tvm_target import Targets, one_target
from relay.build.unknown_size_errors import refuse_unknown_sizes
from relay.build.unsupported_types import refuse_unsupported_types
from relay.ir.expr import Function
from relay.ir.module import HasModule, Module, ModuleLike, defaults_of, module_of
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime.arguments import Array
from relay.runtime.cast_inputs import cast_input
from relay.runtime.compilation_report import Report
from relay.runtime.device import CPU, Device
from relay.runtime.graph_executor import LoadedLibrary, copy_output
from relay.runtime.ndarray import as_classic
from relay.runtime.profile import Profile, refuse_collectors
from relay.runtime.repeated_timing import BenchmarkResult, Repetition
from relay.runtime.virtual_machine_executable import (
    VirtualDataExecutable,
    VirtualExecutable,
    VirtualProgram,
    require_main,
)
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.garbage_collector import paused_collector
from relay.support.misspelt_options import suggests_options
from relay.support.node import replace
from relay.targets.registry import target_here
from relay.targets.target import HostTarget
from relay.transform.bind_parameters import bind_parameters
from relay.transform.lower_complex import LowerComplex
from relay.transform.pass_context import PassContext
from relay.transform.to_a_normal_form import ToANormalForm

Executable = VirtualExecutable
"""The type of compiled programs."""


@suggests_options
def compile(  # noqa: A001 - the public name
    mod: HasModule | Function,
    target: Targets = "llvm",
    target_host: Targets = None,
    params: Mapping[str, object] | None = None,
    *,
    batch: bool = False,
) -> VirtualExecutable:
    """Compile a module or function for the virtual machine: interpreted code, native kernels.

    `params` by name become constants; `target_host` is accepted for compatibility and ignored. The
    passes that run are those of the `PassContext` around the call; `batch` is as for
    `relay.compile`, though the virtual machine runs one call after another.
    """
    del target_host
    given = Module.of(mod) if isinstance(mod, Function) else module_of(mod)
    module = infer(bind_parameters(infer(given), params or {}))
    machine = target_here(one_target(target))
    program = compile_virtual(module, machine, Options(), KernelCache(), batch=batch)
    if has_data(module.main):
        return VirtualDataExecutable(program, external_types_of(module)).with_defaults(
            defaults_of(mod)
        )
    return VirtualExecutable(program).with_defaults(defaults_of(mod))


def compile_virtual(
    module: Module,
    target: HostTarget,
    options: Options,
    cache: KernelCache | None = None,
    context: PassContext | None = None,
    *,
    batch: bool = False,
) -> VirtualProgram:
    """Return a typed module optimised and compiled for the virtual machine.

    Raises `C103` for a tensor whose size cannot be determined.
    """
    refuse_unsupported_types(module)
    module = LowerComplex()(module)
    optimised, records = run_pipeline(module, target, context, batch=batch)
    refuse_devices(optimised, "the virtual machine runs programs for the CPU alone")
    refuse_unknown_sizes(optimised)
    with paused_collector():
        start = time.perf_counter()
        normal = ToANormalForm()(with_promised_result(optimised, module))
        program = build_virtual_code(normal, target, options, cache)
        seconds = time.perf_counter() - start
    report = Report(pass_entries(module, records), seconds)
    return replace(program, native=with_report(program.native, report))


class VMCompiler:
    """A compilation in steps: `lower` takes a program, `codegen` compiles, `get_exec` returns it.

    >>> from relay.frontend.text import parse
    >>> compiler = VMCompiler()
    >>> compiler.lower(parse('#[version = "0.0.5"] def @main(%n: int32) { %n }'), "llvm")
    >>> compiler.codegen()
    >>> compiler.get_exec().get_function_params("main")
    ['n']
    """

    def __init__(self) -> None:
        self._params: Mapping[str, object] = {}
        self._given: tuple[HasModule | Function, Targets] | None = None
        self._executable: VirtualExecutable | None = None

    def set_params(self, params: Mapping[str, object]) -> None:
        """Set arrays, by parameter name, that become constants."""
        self._params = dict(params)

    def lower(
        self, mod: HasModule | Function, target: Targets = "llvm", target_host: Targets = None
    ) -> None:
        """Set the program and its target."""
        del target_host
        self._given, self._executable = (mod, target), None

    def codegen(self) -> None:
        """Compile the program. Raise `U061` where `lower` was not called."""
        if self._given is None:
            raise _no_program("lower(mod, target)")
        mod, target = self._given
        self._executable = compile(mod, target, params=self._params)

    def optimize(
        self,
        mod: ModuleLike,
        target: Targets = "llvm",
        target_host: Targets = None,
        params: Mapping[str, object] | None = None,
    ) -> tuple[ModuleLike, Mapping[str, object]]:
        """Return the optimised program, and an empty mapping: no parameters remain to be set."""
        del target_host
        bound = bind_parameters(infer(mod.module), {**self._params, **(params or {})})
        after, _ = run_pipeline(infer(bound), target_here(one_target(target)))
        return mod.with_module(after), {}

    def get_exec(self) -> VirtualExecutable:
        """Return the compiled program. Raise `U061` where `codegen` was not called."""
        if self._executable is None:
            raise _no_program("codegen()")
        return self._executable


def _no_program(first: str) -> UsageError:
    help_ = "call relay.vm.compile(mod, target), which performs all steps"
    return UsageError(
        ErrorCode.U061, f"the program is not compiled yet: call {first} first", help=help_
    )


class VirtualMachine:
    """A runner of a virtual-machine executable, by `invoke("main", x)` or `run(x)`.

    Inputs may also be set before.
    """

    def __init__(
        self,
        exe: VirtualExecutable | LoadedLibrary,
        device: Device = CPU,
        memory_cfg: object = None,
    ) -> None:
        del memory_cfg  # Python manages the memory
        self.executable = exe.executable if isinstance(exe, LoadedLibrary) else exe
        self.device = device
        self._args: tuple[Any, ...] = ()
        self._named: dict[str, Any] = {}
        self._outputs: list[Any] = []
        self._written: Sequence[Array] = ()

    def set_input(self, func_name: str, *args: Any, **named: Any) -> None:
        """Keep inputs for the next `invoke` or `run` without arguments.

        Floats and integers of another width are converted.
        """
        require_main(func_name)
        specs = self.executable.signature.inputs
        by_name = {spec.name: spec for spec in specs}
        self._args = (*map(cast_input, args, specs), *args[len(specs) :])
        self._named = {
            name: cast_input(given, by_name[name]) if name in by_name else given
            for name, given in named.items()
        }

    def set_one_input(self, func_name: str, *args: Any, **named: Any) -> None:
        """Set one input and keep the others: `set_one_input("main", "x", x)`, or by its number."""
        key, given = args or next(iter(named.items()))
        names = [spec.name for spec in self.executable.signature.inputs]
        known = dict(zip(names, self._args, strict=False)) | self._named
        known[names[key] if isinstance(key, int) else key] = given
        self.set_input(func_name, **known)

    def set_outputs(self, func_name: str, *arrays: Array) -> None:
        """Set arrays to which later runs write the results, in order."""
        require_main(func_name)
        self._written = arrays

    def invoke(self, func_name: str, *args: Any, **named: Any) -> Any:
        """Return the result of `main` for inputs; raises `U061` for any other function.

        Its arrays have a `numpy()` method, as those of `relay.create_executor` have.
        """
        require_main(func_name)
        if args or named:
            self.set_input(func_name, *args, **named)
        result: Any = as_classic(self.executable(*self._args, **self._named))
        self._outputs = (
            [*cast("tuple[Any, ...]", result)] if isinstance(result, tuple) else [result]
        )
        for found, out in zip(self._outputs, self._written, strict=False):
            copy_output(found, out)
        return cast("Any", result)

    def invoke_stateful(self, func_name: str, *args: Any, **named: Any) -> None:
        """Run `main`; `get_outputs` returns the results."""
        self.invoke(func_name, *args, **named)

    def invoke_with_outputs(
        self, func_name: str, input_args: Mapping[str, Any], output_args: Sequence[Array]
    ) -> None:
        """Run `main` with inputs by name, and write its results to arrays."""
        before, self._written = self._written, output_args
        try:
            self.invoke(func_name, **input_args)
        finally:
            self._written = before

    def run(self, /, *args: Any, **named: Any) -> Any:
        """Return the result of `main` for these inputs, or for those set before."""
        return self.invoke("main", *args, **named)

    def benchmark(
        self,
        device: Device = CPU,
        *args: Any,
        func_name: str = "main",
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: float | None = None,
        limit_zero_time_iterations: int = 100,
        end_to_end: bool = False,
        cooldown_interval_ms: float = 0,
        repeats_to_cooldown: int = 1,
        **named: Any,
    ) -> BenchmarkResult:
        """Return the times of `repeat` measurements of `number` calls.

        The options are those of `relay.graph_executor.GraphModule.benchmark`.
        """
        del device, limit_zero_time_iterations  # there is one device, and no time is zero
        if args or named:
            self.set_input(func_name, *args, **named)
        given, by_name = (args, named) if end_to_end else ((), {})
        how = Repetition(
            repeat, number, min_repeat_ms or 0, cooldown_interval_ms, repeats_to_cooldown
        )
        return how.measure(lambda: self.invoke(func_name, *given, **by_name))

    def get_outputs(self) -> list[Any]:
        """Return the results of the last run."""
        return list(self._outputs)

    def get_input_index(self, input_name: str, func_name: str = "main") -> int:
        """Return the index of the input with a name, or -1."""
        require_main(func_name)
        names = list(self.executable.input_names)
        return names.index(input_name) if input_name in names else -1


class VirtualMachineProfiler(VirtualMachine):
    """A runner that also measures kernels, TVM's `profiler_vm.VirtualMachineProfiler`."""

    def profile(
        self, *args: Any, func_name: str = "main", collectors: None = None, **named: Any
    ) -> Profile:
        """Return the time and the work of each kernel, for these inputs or for those set before.

        Raises `U072` if `collectors`, TVM's additional counters, are passed.
        """
        refuse_collectors(collectors)
        require_main(func_name)
        if args or named:
            self.set_input(func_name, *args, **named)
        return self.executable.profile(*self._args, **self._named)
