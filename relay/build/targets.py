"""Machines by the names that programs are compiled for."""

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
