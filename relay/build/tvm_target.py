"""Reads the machine from TVM's `target` arguments: a string, or strings by kind of device."""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

Targets: TypeAlias = str | Sequence[str] | Mapping[object, str] | None
"""A machine's name, or a name for each kind of device; None is this machine."""


def one_target(target: Targets) -> str:
    """Return the name of the machine that a TVM target names; raises `U069` for several or none.

    >>> one_target(None), one_target({"cpu": "llvm -mcpu=haswell"})
    ('llvm', 'llvm -mcpu=haswell')
    """
    if target is None:
        return "llvm"
    if isinstance(target, str):
        return target
    values = [*(target.values() if isinstance(target, Mapping) else target)]
    others = [each for each in values if not isinstance(each, str)]  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
    if others:
        raise UsageError(
            ErrorCode.U069,
            f"a target is a string, not an object of the class {type(others[0]).__name__}",
            help="name the target before the weights: relay.build(mod, 'llvm', params=params)",
        )
    named = {*values}
    if len(named) != 1:
        raise UsageError(
            ErrorCode.U069,
            f"expected one target, the machine that runs the program, but found {_listed(named)}",
            help=(
                "pass the target of the CPU alone, such as target='llvm', and choose the operators "
                "that run on another device: relay.annotation.on_device(x, 'npu')"
            ),
        )
    return named.pop()


def _listed(named: Collection[str]) -> str:
    return f"{len(named)}: {', '.join(map(str, named))}" if named else "none"
