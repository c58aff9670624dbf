"""Targets by the names that programs are compiled for, and those of devices beside the host.

A host runs what is between kernels, so it is a CPU: this one, a level of x86-64, or another by its
triple (`relay.kernels.machines`). The target of a device is an entry point of a package:

    [project.entry-points."relay.targets"]
    npu = "npu.target:target"

where `target` is a `Target`, or a function that makes one. Its device part has an entry point of
the same name in the group `relay.devices` (`relay.runtime.devices`).
"""

from importlib.metadata import entry_points

from relay.kernels.machine import CpuModel
from relay.kernels.machines import machine_named
from relay.runtime.machine import HostRequirements as RuntimeMachine
from relay.runtime.pool import pool
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.targets.cpu import cpu_target, this_cpu
from relay.targets.target import HostTarget, Target

GROUP = "relay.targets"


def target_for(name: str | None, threads: int | None) -> HostTarget:
    """Return the machine that a program is compiled for: without a name, that of this process.

    One that is named has one core unless more are asked for. Raises `C150`; `C171` for a device.
    """
    if name is not None:
        return cpu_target(_host_machine(name, threads or 1))
    return this_cpu(None if threads is None else pool().threads(threads))


def target_here(name: str) -> HostTarget:
    """Return the target of a name, with all cores, for programs that this process runs.

    Raises `C150` for a name that is not known, `A007` and `A008` for that of another machine.

    >>> target_here("llvm") is target_here("native") is target_for(None, None)
    True
    """
    machine = _host_machine(name, pool().threads(None))
    RuntimeMachine(*machine.llvm).check_runs_here()
    return cpu_target(machine)


def is_device(name: str) -> bool:
    """Whether an installed package brings the target of a device of this name."""
    return name in entry_points(group=GROUP).names


def device_target(name: str) -> Target:
    """Return the target of a device; raises `C171` where no installed package brings it."""
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise CompileError(
            ErrorCode.C171,
            f"no installed package brings the target '{name}'",
            notes=[f"targets of devices here: {known}"],
            help="install the package, or place the operators on the host",
        )
    made = next(iter(found)).load()
    target: Target = made if isinstance(made, Target) else made()
    return target


def _host_machine(name: str, cores: int) -> CpuModel:
    """Return the machine of a name; raises `C171` for the name of a device."""
    try:
        return machine_named(name, cores)
    except CompileError as error:
        if not is_device(name):
            raise
        raise CompileError(
            ErrorCode.C171,
            f"'{name}' is a device: it runs kernels, but not what is between them",
            help=f"leave target out, and place operators: relay.annotation.on_device(x, '{name}')",
        ) from error
