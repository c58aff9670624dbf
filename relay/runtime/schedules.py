"""How the loops of a program's kernels are arranged, as data that travels with the program."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from relay.runtime.program import Program
from relay.support.node import node

KEY = "schedules"
"""Where in `Program.metadata` the schedules of kernels are kept."""


@node
class KernelSchedule:
    """A kernel: its symbol, its name among those of the program, and its schedule.

    The schedule names its rule and the fields of a configuration; one of plain loops is empty.
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
    """Return the schedules that a program carries; none if none can be read."""
    try:
        rows = json.loads(dict(program.metadata).get(KEY, "[]"))
        return tuple(KernelSchedule(str(s), str(n), dict(fields)) for s, n, fields in rows)
    except (ValueError, TypeError, RecursionError):
        return ()  # words about the program must never keep it from running
