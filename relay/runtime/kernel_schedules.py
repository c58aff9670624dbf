"""The schedules of a program's kernels, stored with the program."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from relay.runtime.program import Program
from relay.support.node import node

KEY = "schedules"
"""The key of the kernels' schedules in `Program.metadata`."""


@node
class KernelSchedule:
    """The schedule of a kernel, with the kernel's symbol and its unique name in the program.

    `fields` has the name of the schedule's rule and its options; it is empty for plain loops.
    """

    symbol: str
    name: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        return described(self.fields)


def described(fields: Mapping[str, Any]) -> str:
    """Return a schedule as a line of text.

    >>> described({"rule": "products", "wide": 14, "parallel": False})
    'products(wide=14, parallel=False)'
    >>> described({})
    'plain loops'
    """
    if not fields:
        return "plain loops"
    shown = [
        f"{name}={described(cast('Mapping[str, Any]', each)) if isinstance(each, dict) else each}"
        for name, each in fields.items()
        if name != "rule"
    ]
    return f"{fields.get('rule', '')}({', '.join(shown)})"


def schedules_entry(kernels: Iterable[KernelSchedule]) -> tuple[str, str]:
    """Return schedules as an entry of `Program.metadata`."""
    rows = [[each.symbol, each.name, dict(each.fields)] for each in kernels]
    return KEY, json.dumps(rows, separators=(",", ":"))


def schedules_of(program: Program) -> tuple[KernelSchedule, ...]:
    """Return the schedules of a program; none if its metadata is invalid."""
    try:
        rows = json.loads(dict(program.metadata).get(KEY, "[]"))
        return tuple(KernelSchedule(str(s), str(n), dict(fields)) for s, n, fields in rows)
    except (ValueError, TypeError, RecursionError):
        return ()  # metadata must never keep a program from running
