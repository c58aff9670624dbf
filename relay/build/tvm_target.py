"""Reads the machine from TVM's `target` arguments: a string, or strings by kind of device."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

Targets: TypeAlias = str | Sequence[str] | Mapping[object, str] | None
"""A machine's name, or a name for each kind of device; None is this machine."""


def one_target(target: Targets) -> str:
    """Return the name of the machine that a TVM target names. Raise `U069` for several.

    >>> one_target(None), one_target({"cpu": "llvm -mcpu=haswell"})
    ('llvm', 'llvm -mcpu=haswell')
    """
    if target is None:
        return "llvm"
    if isinstance(target, str):
        return target
    named = {*(target.values() if isinstance(target, Mapping) else target)}
    if len(named) != 1:
        raise UsageError(
            ErrorCode.U069,
            f"{len(named)} host targets are given, but a program has one",
            notes=[f"given: {', '.join(map(str, named)) or 'none'}"],
            help=(
                "pass one host target, and place operators on other devices: "
                "relay.annotation.on_device(x, 'npu')"
            ),
        )
    return named.pop()
