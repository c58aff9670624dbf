"""Machines by the names that programs are compiled for."""

from relay.kernels.machines import machine_named
from relay.runtime.pool import pool
from relay.support.errors import UsageError
from relay.targets.cpu import CpuTarget
from relay.targets.target import Target

HERE = ("llvm", "native")
"""The names of the machine that this process runs on."""


def target_named(name: str, threads: int | None = None) -> Target:
    """Return the target of a name; raises `U062` for one that is not known.

    >>> target_named("llvm") is target_named("native")
    True
    """
    if name not in HERE:
        raise UsageError(
            "U062", f"there is no target '{name}'", help=f"the targets are {', '.join(HERE)}"
        )
    return CpuTarget.host(threads)


def target_for(name: str | None, threads: int | None) -> CpuTarget:
    """Return the machine that a program is compiled for: without a name, that of this process.

    One that is named has one core unless more are asked for. Raises `C150`.
    """
    if name is not None:
        return CpuTarget(machine_named(name, threads or 1))
    return CpuTarget.host(None if threads is None else pool().threads(threads))
