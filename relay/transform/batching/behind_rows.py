"""Calls of regions that are given rows of tables: forms that look up what others multiply."""

from collections.abc import Mapping
from operator import eq
from typing import ClassVar, TypeAlias

from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, Var
from relay.ir.fresh import fresh
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import substitute
from relay.support.node import node, replace, value
from relay.transform.batching.batch_regions import (
    Behind,
    Fixed,
    Waiting,
    form_for_many,
    many_name,
    region_of,
)
from relay.transform.batching.callees import nodes_of
from relay.transform.batching.flow import Part, follow
from relay.transform.batching.scope import close_scope, open_scope, spares_product
from relay.transform.pipeline import Pass

_Origin: TypeAlias = tuple[str, int]
"""A region, and the number of one of its results."""


@value
class BehindRows(Pass):
    """Make forms of regions for calls that are given what calls with a constant state give.

    1. A region of which a number is left to say, where its other parameters are the constants that
       they are in some calls, gives rows of tables there: a leaf is known by its word.
    2. A region that is given such results, of one other region, and multiplies them, gets a form
       that takes the number instead. There the product is a row of a table, too.
    3. Which calls are those, their inputs say when the program runs: they are rows of the tables.
    """

    requires: ClassVar[str] = "typed, monomorphic, A-normal form, with regions"

    def transform(self, module: Module) -> Module:
        """Return the module with these forms."""
        named = ((name, _leaf(each)) for name, each in module.functions.items())
        leaves = {name: leaf for name, leaf in named if leaf is not None}
        if not leaves:
            return module
        origins = follow(module, _results(module, leaves), eq)
        new: dict[str, Function] = {}
        for name, function in module.functions.items():
            region = region_of(function)
            places = {} if region is None else _places(function, region, origins)
            if region is not None and places:
                (leaf,) = {leaf for leaf, _ in places.values()}
                results = {index: result for index, (_, result) in places.items()}
                form = _form(function, region, leaves[leaf], results)
                behind = Behind(behind_name(name), leaf, tuple(results.items()))
                many = form_for_many(replace(form, attrs={}), _shared(region, results))
                if many is not None:
                    new[name] = _marked(function, replace(region, behind=behind))
                    new[behind.form], new[many_name(behind.form)] = form, many
        return module.with_functions({**module.functions, **new}) if new else module


def behind_name(region: str) -> str:
    """Return the name of the form of a region for calls that are given rows."""
    return f"{region}_behind"


@node
class _Leaf:
    """A region of case 1: the place of its number, and what else it is given."""

    function: Function
    number: int
    fixed: tuple[Fixed, ...]


def _leaf(function: Function) -> _Leaf | None:
    region = region_of(function)
    if region is None or not region.fixed:
        return None
    fixed = {each.index for each in region.fixed}
    left = [index for index in range(len(function.params)) if index not in fixed]
    if region.shared or len(left) != 1 or not _is_number(function.params[left[0]].type):
        return None
    return _Leaf(function, left[0], region.fixed)


def _is_number(ty: Type) -> bool:
    """Whether a parameter can tell each row of every table."""
    return (
        isinstance(ty, TensorType)
        and ty.rank == 0
        and ty.dtype.is_integer
        and ty.dtype.itemsize >= 4
    )


def _results(module: Module, leaves: Mapping[str, _Leaf]) -> dict[Part, _Origin | None]:
    found: dict[Part, _Origin | None] = {}
    for expr in nodes_of(module):
        match expr:
            case Call(GlobalVar(name)) if name in leaves:
                if isinstance(expr.type, TupleType):
                    found.update({(expr, i): (name, i) for i in range(len(expr.type.fields))})
                else:
                    found[expr, None] = (name, 0)
            case _:
                pass
    return found


def _places(
    function: Function, region: Waiting, origins: Mapping[Part, _Origin | None]
) -> dict[int, _Origin]:
    """Return the parameters that may be rows, and what they are: those of case 2."""
    found: dict[int, _Origin] = {}
    for index, param in enumerate(function.params):
        origin = origins.get((param, None))
        if origin is not None and index not in region.shared:
            found[index] = origin
    bindings, _ = open_scope(function.body)
    known = {function.params[index] for index in (*found, *region.shared)}
    of_one = len({leaf for leaf, _ in found.values()}) == 1
    return found if of_one and spares_product(bindings, known) else {}


def _form(function: Function, region: Waiting, leaf: _Leaf, results: Mapping[int, int]) -> Function:
    """Return a region that makes some parameters itself, of the number that is its last one."""
    first, copy = fresh(leaf.function), fresh(function)
    fixed: dict[Var, Expr] = {first.params[each.index]: each.constant for each in leaf.fixed}
    bindings, made = open_scope(substitute(first.body, fixed))
    fields = made.fields if isinstance(made, Tuple) else (made,)
    given: dict[Var, Expr] = {copy.params[i]: fields[result] for i, result in results.items()}
    body = close_scope(bindings, substitute(copy.body, given))
    kept = [param for index, param in enumerate(copy.params) if index not in results]
    form = Function((*kept, first.params[leaf.number]), body)
    return _marked(form, Waiting(_shared(region, results)))


def _shared(region: Waiting, results: Mapping[int, int]) -> tuple[int, ...]:
    """Return the numbers of shared parameters where those that are rows are left out."""
    return tuple(index - sum(row < index for row in results) for index in region.shared)


def _marked(function: Function, region: Waiting) -> Function:
    return replace(function, attrs={**function.attrs, "Waiting": region})
