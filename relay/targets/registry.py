"""Lookup of targets by name: host CPUs, and devices that packages provide.

A host runs the code between kernels, so it is a CPU: this one, a level of x86-64, or another by its
triple (`relay.kernels.machine_names`). The target of a device is an entry point of a package:

    [project.entry-points."relay.targets"]
    npu = "npu.target:target"

where `target` is a `Target`, or a function that returns one. Its device part has an entry point of
the same name in the group `relay.devices` (`relay.runtime.device_interface`).
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import cast

from relay.kernels.cpu_model import CpuModel
from relay.kernels.machine_names import machine_named
from relay.runtime.host_requirements import HostRequirements as RuntimeMachine
from relay.support.entry_points import loaded
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.targets.cpu import cpu_target, this_cpu
from relay.targets.target import HostTarget, Target

GROUP = "relay.targets"


def target_for(name: str | None) -> HostTarget:
    """Return the host target with a name, for which programs are compiled; this machine if None.

    Raises `C150` for an unknown name, `C171` for a device.
    """
    return this_cpu() if name is None else cpu_target(_host_machine(name))


def target_here(name: str) -> HostTarget:
    """Return the target with a name, for programs that this process runs.

    Raises `C150` for an unknown name, `A007` and `A008` for that of an incompatible machine.

    >>> target_here("llvm") is target_here("native") is target_for(None)
    True
    """
    machine = _host_machine(name)
    RuntimeMachine(*machine.llvm).check_runs_here()
    return cpu_target(machine)


def is_device(name: str) -> bool:
    """Whether an installed package provides a device target with this name."""
    return name in entry_points(group=GROUP).names


def device_target(name: str) -> Target:
    """Return the target of a device.

    Raises `C171` if no installed package provides it, `U323` if that package is broken.
    """
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise CompileError(
            ErrorCode.C171,
            f"no installed package provides the target '{name}'",
            notes=[f"installed device targets: {known}"],
            help="install the package of the target, or run the operators on the CPU",
        )
    made = loaded(next(iter(found)), "the target")
    return made if isinstance(made, Target) else cast("Callable[[], Target]", made)()


def _host_machine(name: str) -> CpuModel:
    """Return the CPU with a name; raises `C171` for the name of a device."""
    try:
        return machine_named(name)
    except CompileError as error:
        if not is_device(name):
            raise
        raise CompileError(
            ErrorCode.C171,
            f"the target '{name}' is a device that runs kernels, but not whole programs",
            help=(
                "omit target, and place operators on the device: relay.annotation.on_device(x, "
                f"'{name}')"
            ),
        ) from error
