"""Which variables a local function takes along, and which local functions are only ever called."""

from collections.abc import Iterable, Mapping

from relay.build.dimensions import dimensions
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr, Function, Let, Var
from relay.ir.walk import children, free_vars, post_order
from relay.support.node import node


@node
class Known:
    """A local function that is only called: it becomes a function of the program.

    `captured` are the variables of its surroundings that each call passes in front, and `sizes`
    the names of sizes, before those.
    """

    index: int
    function: Function
    captured: tuple[Var, ...]
    sizes: tuple[DimVar, ...] = ()


def escaping(root: Expr) -> set[Var]:
    """Return the variables that are used as values, not only called."""
    found: set[Var] = set()
    for expr in post_order(root):
        match expr:
            case Call(_, args):
                used = args
            case Let(_, value, body):
                used = (value, body)
            case Function(_, body):
                used = (body,)
            case _:
                used = children(expr)
        found.update(each for each in used if isinstance(each, Var))
    return found


def captured_by(
    function: Function, known: Mapping[Var, Known], itself: Var | None = None
) -> tuple[Var, ...]:
    """Return the variables that a function literal must be given, in order of appearance.

    A known function is no variable: what it captures is passed on instead.
    """
    found: dict[Var, None] = {}
    for var in free_vars(function):
        if var is itself:
            continue
        found.update(dict.fromkeys(known[var].captured if var in known else (var,)))
    return tuple(found)


def sizes_used(
    function: Function, known: Mapping[Var, Known], available: Iterable[DimVar]
) -> tuple[DimVar, ...]:
    """Return the sizes that a function literal must be given, of those that are known around it."""
    used = set(dimensions(function))
    for var in free_vars(function):
        if var in known:
            used.update(known[var].sizes)
    return tuple(sorted(used.intersection(available), key=str))
