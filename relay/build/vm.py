"""`relay.vm`: compilation for the virtual machine, with its classic names.

>>> import numpy as np
>>> from relay.frontend.text import parse
>>> text = '#[version = "0.0.5"]' + "def @main(%n: int32) -> int32 { add(%n, 1) }"
>>> executable = compile(parse(text))
>>> VirtualMachine(executable).run(np.int32(4))
array(5, dtype=int32)
"""

import time
from collections.abc import Mapping
from typing import Any, cast

from relay.build.code.external_types import border_of, has_data
from relay.build.code.virtual import build_virtual_code
from relay.build.pipeline import pipeline
from relay.build.placed_line import refuse_devices
from relay.build.report import pass_entries, with_report
from relay.build.result_type import with_promised_result
from relay.build.unknown_sizes import refuse_unknown_sizes
from relay.build.vector_types import refuse_lanes
from relay.ir.expr import Function
from relay.ir.module import HasModule, Module, defaults_of, module_of
from relay.kernels.cache import KernelCache
from relay.kernels.compiler import Options
from relay.runtime.casting import cast_input
from relay.runtime.device import CPU, Device
from relay.runtime.report import Report
from relay.runtime.virtual_executable import (
    VirtualDataExecutable,
    VirtualExecutable,
    VirtualProgram,
    require_main,
)
from relay.semantics.infer import infer
from relay.support.collector import paused_collector
from relay.support.node import replace
from relay.targets.registry import target_here
from relay.targets.target import HostTarget
from relay.transform.bind_parameters import bind_parameters
from relay.transform.context import PassContext
from relay.transform.pipeline import run_passes
from relay.transform.to_a_normal_form import ToANormalForm

Executable = VirtualExecutable
"""The type of compiled programs."""


def compile(  # noqa: A001 - the public name
    mod: HasModule | Function,
    target: str = "llvm",
    target_host: str | None = None,
    params: Mapping[str, object] | None = None,
    *,
    batch: bool = False,
) -> VirtualExecutable:
    """Compile a module, or a function, for the virtual machine: native kernels, interpreted code.

    `params` by name become constants; `target_host` is accepted for compatibility and ignored. The
    passes that run are those of the `PassContext` around the call; `batch` is as for
    `relay.compile`, though the virtual machine runs one call after another.
    """
    del target_host
    given = Module.of(mod) if isinstance(mod, Function) else module_of(mod)
    module = infer(bind_parameters(infer(given), params or {}))
    program = compile_virtual(module, target_here(target), Options(), KernelCache(), batch=batch)
    if has_data(module.main):
        return VirtualDataExecutable(program, border_of(module)).with_defaults(defaults_of(mod))
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
    """Optimise a typed module and compile it for the virtual machine.

    Raises `C103` for a tensor whose size cannot be determined.
    """
    refuse_lanes(module)
    optimised, records = run_passes(module, pipeline(target, context, batch=batch))
    refuse_devices(optimised, "the virtual machine runs on the host")
    refuse_unknown_sizes(optimised)
    with paused_collector():
        start = time.perf_counter()
        normal = ToANormalForm()(with_promised_result(optimised, module))
        program = build_virtual_code(normal, target, options, cache)
        seconds = time.perf_counter() - start
    report = Report(pass_entries(module, records), seconds)
    return replace(program, native=with_report(program.native, report))


class VirtualMachine:
    """A runner of an executable: `invoke("main", x)` or `run(x)`, or with inputs set before."""

    def __init__(
        self, exe: VirtualExecutable, device: Device = CPU, memory_cfg: object = None
    ) -> None:
        del memory_cfg  # Python manages the memory
        self.executable = exe
        self.device = device
        self._args: tuple[Any, ...] = ()
        self._named: dict[str, Any] = {}
        self._outputs: list[Any] = []

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

    def invoke(self, func_name: str, *args: Any, **named: Any) -> Any:
        """Return the result of `main`. Raise `U061` for any other name."""
        require_main(func_name)
        if args or named:
            self.set_input(func_name, *args, **named)
        result: Any = self.executable(*self._args, **self._named)
        self._outputs = (
            [*cast("tuple[Any, ...]", result)] if isinstance(result, tuple) else [result]
        )
        return cast("Any", result)

    def run(self, *args: Any, **named: Any) -> Any:
        """Return the result of `main`."""
        return self.invoke("main", *args, **named)

    def get_outputs(self) -> list[Any]:
        """Return the results of the last run."""
        return list(self._outputs)

    def get_input_index(self, input_name: str, func_name: str = "main") -> int:
        """Return the index of the input with a name, or -1."""
        require_main(func_name)
        names = list(self.executable.input_names)
        return names.index(input_name) if input_name in names else -1
