"""A name of a size is known where a `let` that tells it is around; elsewhere it is another one."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TypeAlias, cast

from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Function, Let
from relay.ir.patterns import Match
from relay.ir.types import FuncType, TupleType, dim_variables
from relay.ir.walk import bound_by, fold, outside_kernels, post_order, with_children
from relay.support.node import replace
from relay.transform.promises import tells_sizes
from relay.transform.specialize import Specialize

_Names: TypeAlias = frozenset[DimVar]
_NONE: _Names = frozenset()


def names_apart(root: Function) -> Function:
    """Return a function in which no two lets tell one name, unless one of them is around the other.

    What is computed when is chosen later: there, a name would be known that is another one. Names
    stay that the result of a local function has and its body tells: callers have them too.
    """
    order = post_order(root, edges=outside_kernels)
    lets = [expr for expr in order if isinstance(expr, Let) and tells_sizes(expr)]
    names = _often([_told(let) for let in lets])
    if not names:
        return root
    around = _around(order, names)
    first = {id(let): (_told(let) & names) - around[id(let)] for let in lets}
    again = _often([*first.values()]) - _promised(order, around)
    fresh = {id(let): _fresh(first[id(let)] & again, n) for n, let in enumerate(lets[1:])}

    def visit(old: Expr, new: list[Expr]) -> Expr:
        expr = with_children(old, new) if new else old
        sizes = fresh.get(id(old), ())
        return _renamed(expr, sizes) if sizes and isinstance(expr, Let) else expr

    return cast("Function", fold(root, visit, edges=outside_kernels))


def _fresh(names: _Names, number: int) -> tuple[tuple[str, DimVar], ...]:
    """Return names that no user can write, beside those in whose place they are to stand."""
    return tuple((name.name, DimVar(f"{name}'{number}")) for name in names)


def _renamed(let: Let, sizes: tuple[tuple[str, DimVar], ...]) -> Let:
    """Return a let with other names of sizes in its variable and its body."""
    inside = Specialize(sizes).run(Function((let.var,), let.body))
    return replace(let, var=inside.params[0], body=inside.body, ty=None)


def _told(let: Let) -> _Names:
    return dim_variables(let.var.type) - dim_variables(let.value.type)


def _often(sets: list[_Names]) -> _Names:
    counts = Counter(name for names in sets for name in names)
    return frozenset(name for name, count in counts.items() if count > 1)


def _promised(order: list[Expr], around: dict[int, _Names]) -> _Names:
    """Return the names in results of local functions that are not known around these."""
    functions = [expr for expr in order[:-1] if isinstance(expr, Function)]
    types = [(cast("FuncType", each.type), around[id(each)]) for each in functions]
    return _NONE.union(*(dim_variables(ty.result) - known for ty, known in types))


def _around(order: list[Expr], names: _Names) -> dict[int, _Names]:
    """Return which of the names stand for something around each node."""
    found = defaultdict[int, _Names](frozenset)
    for expr in reversed(order):  # users before what they use
        for child, told in _scopes(expr):
            found[id(child)] |= found[id(expr)] | (told & names)
    return found


def _scopes(expr: Expr) -> Iterator[tuple[Expr, _Names]]:
    """Yield what a node uses, with the names of sizes that are told there."""
    match expr:
        case Function(params, body):
            yield body, dim_variables(TupleType(tuple(param.type for param in params)))
        case Let(var, bound, body):
            yield bound, _NONE
            yield body, dim_variables(var.type)
        case Match(data, clauses):
            yield data, _NONE
            for clause in clauses:
                bound_types = tuple(var.type for var in bound_by(clause.pattern))
                yield clause.body, dim_variables(TupleType(bound_types))
        case _:
            for child in outside_kernels(expr):
                yield child, _NONE
