"""Analysis of the variables and symbolic sizes that a local function captures."""

from collections.abc import Iterable, Mapping

from relay.build.code.calling_conventions import CallingConvention
from relay.build.kernel_sizes import dimensions
from relay.ir.dims import DimVar, in_order
from relay.ir.expr import Function, Var
from relay.ir.walk import free_vars
from relay.support.node import node


@node
class LocalFunction:
    """A local function that never escapes, so that it is compiled like a global function.

    `captured` are the free variables that each call passes before the arguments; `sizes` are the
    captured dimension names, which come before those.
    """

    index: int
    form: CallingConvention
    captured: tuple[Var, ...]
    sizes: tuple[DimVar, ...] = ()


def captured_by(
    function: Function, known: Mapping[Var, LocalFunction], itself: Var | None = None
) -> tuple[Var, ...]:
    """Return the variables that a function literal captures, in order of appearance.

    A captured name of a function in `known` is replaced by the captures of that function.
    """
    found: dict[Var, None] = {}
    for var in free_vars(function):
        if var is itself:
            continue
        found.update(dict.fromkeys(known[var].captured if var in known else (var,)))
    return tuple(found)


def sizes_used(
    function: Function, known: Mapping[Var, LocalFunction], available: Iterable[DimVar]
) -> tuple[DimVar, ...]:
    """Return the dimensions that a function literal captures, among those in scope around it."""
    used = set(dimensions(function))
    for var in free_vars(function):
        if var in known:
            used.update(known[var].sizes)
    return tuple(in_order(used.intersection(available)))
