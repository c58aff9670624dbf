"""The arithmetic operations and bytes of each kernel call, which are stored with a program.

They may depend on the size arguments of a kernel.
"""

import json
from collections.abc import Iterable
from typing import Any

from relay.runtime.program import Program
from relay.support.dims.algebra import (
    ANY,
    Broadcast,
    Dim,
    DimVar,
    FloorDiv,
    Maximum,
    Polynomial,
    floor_divide,
    product,
)
from relay.support.dims.bounds import broadcast, maximum
from relay.support.node import Value, value

KEY = "kernels"
"""The key of the kernels' work in `Program.metadata`."""


@value
class KernelWork(Value):
    """A kernel: its symbol, label and arguments, and the operations and bytes of one call.

    `measures` means that the kernel has a function that returns its workspace size; see
    `KernelUse`.
    """

    symbol: str
    label: str
    pointers: int
    sizes: tuple[DimVar, ...]
    flops: Dim
    bytes: Dim
    measures: bool = False


def work_entry(kernels: Iterable[KernelWork]) -> tuple[str, str]:
    """Return the work of kernels as an entry of `Program.metadata`."""
    rows = [
        [
            each.symbol,
            each.label,
            each.pointers,
            [str(size) for size in each.sizes],
            _json(each.flops),
            _json(each.bytes),
            each.measures,
        ]
        for each in kernels
    ]
    return KEY, json.dumps(rows, separators=(",", ":"))


def work_of(program: Program) -> tuple[KernelWork, ...]:
    """Return the work of the kernels that a program calls; empty if its metadata is invalid."""
    symbols = _not_inlined(program)
    return tuple(kernel for kernel in _all_work(program) if kernel.symbol in symbols)


def inlined_notes(program: Program) -> tuple[str, ...]:
    """Return a line that lists the kernels that were inlined into a program, if any."""
    symbols = _not_inlined(program)
    found = [str(label) for symbol, label, *_ in _rows(program) if symbol not in symbols]
    listed = ", ".join(sorted(set(found)))
    return (f"small kernels that are part of the program: {listed}",) if found else ()


def _not_inlined(program: Program) -> set[str]:
    """Return the symbols of the kernels that were not inlined."""
    return {item.symbol for item in (*program.objects, *program.external)}


def _all_work(program: Program) -> tuple[KernelWork, ...]:
    try:
        return tuple(_from_row(*row) for row in _rows(program))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return ()  # metadata must never keep a program from running


def _rows(program: Program) -> list[list[Any]]:
    return json.loads(dict(program.metadata).get(KEY, "[]"))


def _from_row(
    symbol: str,
    label: str,
    pointers: int,
    sizes: list[str],
    flops: object,
    traffic: object,
    measures: object,
) -> KernelWork:
    return KernelWork(
        symbol=str(symbol),
        label=str(label),
        pointers=int(pointers),
        sizes=tuple(DimVar(str(name)) for name in sizes),
        flops=_dim(flops),
        bytes=_dim(traffic),
        measures=bool(measures),
    )


def _json(dim: Dim) -> Any:
    """Return a dimension as JSON; its nesting bounds the recursion."""
    match dim:
        case int():
            return dim
        case DimVar():
            return str(dim)
        case FloorDiv(a, b):
            return ["//", _json(a), _json(b)]
        case Maximum(a, b):
            return ["max", _json(a), _json(b)]
        case Broadcast(sizes):
            return ["broadcast", *map(_json, sizes)]
        case Polynomial(terms):
            return ["+", *(["*", c, *map(_json, atoms)] for c, atoms in terms)]
        case _:
            return None


def _dim(found: Any) -> Dim:
    """Return the dimension that `_json` encoded."""
    match found:
        case int():
            return found
        case str():
            return DimVar(found)
        case ["//", a, b]:
            return floor_divide(_dim(a), _dim(b))
        case ["max", a, b]:
            return maximum(_dim(a), _dim(b))
        case ["broadcast", *sizes]:
            return broadcast(*map(_dim, sizes))
        case ["+", *terms]:
            total: Dim = 0
            for term in terms:
                total += _dim(term)
            return total
        case ["*", *factors]:
            return product(map(_dim, factors))
        case _:
            return ANY
