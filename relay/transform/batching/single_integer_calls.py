"""Analysis of leaf calls: calls of batched regions whose results depend on a single integer."""

from collections.abc import Mapping, Sequence

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.expr import Constant, Expr, Function, Tuple, Var
from relay.ir.types import TensorType, Type
from relay.ir.walk import free_vars, substitute
from relay.support.node import node
from relay.transform.batched_region_records import Fixed, region_of
from relay.transform.batching.deferrable_operators import close_scope, open_scope


@node
class Leaf:
    """The calls of a function whose results depend on one integer, so that tables can hold them.

    In these calls the `fixed` parameters hold the given constants, and the `results` depend on the
    parameter with the index `number` only.
    """

    name: str
    function: Function
    number: int
    fixed: tuple[Fixed, ...]
    results: tuple[int, ...]


def leaf_with_all_results(name: str, function: Function) -> Leaf | None:
    """Return the calls of a batched region in which one integer determines all results, if any."""
    region = region_of(function)
    if region is None or region.shared or len(region.fixed) != len(function.params) - 1:
        return None
    held = {each.index: each.constant for each in region.fixed}
    leaf = leaf_with_some_results(name, function, held)
    is_whole = leaf is not None and len(leaf.results) == len(_fields(open_scope(function.body)[1]))
    return leaf if is_whole else None


def leaf_with_some_results(
    name: str, function: Function, held: Mapping[int, Constant]
) -> Leaf | None:
    """Return the calls of a batched region in which one integer determines some results, if any.

    `held` are constants that parameters hold in some calls. If several integers qualify, the one
    that determines most results is chosen.
    """
    results: dict[int, list[int]] = {}
    fixed: dict[int, set[int]] = {}
    places = {param: place for place, param in enumerate(function.params)}
    for result in range(len(_fields(open_scope(function.body)[1]))):
        read = {places[var] for var in free_vars(_part(function.body, [result]))}
        left = read - held.keys()
        if len(left) == 1 and all(_is_number(function.params[place].type) for place in left):
            (number,) = left
            results.setdefault(number, []).append(result)
            fixed.setdefault(number, set()).update(read & held.keys())
    if not results:
        return None
    number = max(results, key=lambda each: len(results[each]))
    constants = tuple(Fixed(place, held[place]) for place in sorted(fixed[number]))
    return Leaf(name, function, number, constants, tuple(results[number]))


def leaf_code(leaf: Leaf, results: Sequence[int]) -> tuple[Var, list[tuple[Var, Expr]], list[Expr]]:
    """Return a leaf's integer parameter, and the bindings and values that compute `results`."""
    copy = with_fresh_variables(leaf.function)
    fixed: dict[Var, Expr] = {copy.params[each.index]: each.constant for each in leaf.fixed}
    bindings, made = open_scope(substitute(_part(copy.body, results), fixed))
    return copy.params[leaf.number], bindings, list(_fields(made))


def leaf_function(leaf: Leaf) -> Function:
    """Return a leaf's function without its fixed parameters and without its other results."""
    copy = with_fresh_variables(leaf.function)
    fixed: dict[Var, Expr] = {copy.params[each.index]: each.constant for each in leaf.fixed}
    kept = [param for param in copy.params if param not in fixed]
    return Function(tuple(kept), substitute(_part(copy.body, leaf.results), fixed))


def _fields(made: Expr) -> tuple[Expr, ...]:
    return made.fields if isinstance(made, Tuple) else (made,)


def _part(body: Expr, results: Sequence[int]) -> Expr:
    """Return a scope that computes only those results of `body` with the indices `results`."""
    bindings, made = open_scope(body)
    fields = _fields(made)
    wanted: Expr = fields[results[0]]
    if len(results) > 1 or isinstance(made, Tuple):
        wanted = Tuple(tuple(fields[result] for result in results))
    needed = set(free_vars(wanted))
    kept: list[tuple[Var, Expr]] = []
    for var, value in reversed(bindings):
        if var in needed:
            kept.append((var, value))
            needed.update(free_vars(value))
    return close_scope(kept[::-1], wanted)


def _is_number(ty: Type) -> bool:
    """Whether a type is an integer scalar that is wide enough to index every table."""
    return (
        isinstance(ty, TensorType)
        and ty.rank == 0
        and ty.dtype.is_integer
        and ty.dtype.itemsize >= 4
    )
