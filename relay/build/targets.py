"""Machines by the names that programs are compiled for."""

from relay.kernels.machines import machine_named
from relay.runtime.machine import Machine
from relay.runtime.pool import pool
from relay.targets.cpu import CpuTarget


def target_for(name: str | None, threads: int | None) -> CpuTarget:
    """Return the machine that a program is compiled for: without a name, that of this process.

    One that is named has one core unless more are asked for. Raises `C150`.
    """
    if name is not None:
        return CpuTarget(machine_named(name, threads or 1))
    return CpuTarget.host(None if threads is None else pool().threads(threads))


def target_here(name: str) -> CpuTarget:
    """Return the target of a name, with all cores, for programs that this process runs.

    Raises `C150` for a name that is not known, `A007` and `A008` for that of another machine.

    >>> target_here("llvm") is target_here("native") is target_for(None, None)
    True
    """
    machine = machine_named(name, pool().threads(None))
    Machine(machine.triple, machine.cpu, machine.features).check_runs_here()
    return CpuTarget(machine)
