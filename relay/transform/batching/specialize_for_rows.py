"""Versions of regions that look up rows of precomputed tables instead of multiplying."""

from collections.abc import Mapping
from operator import eq
from typing import ClassVar, TypeAlias

from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.fresh import fresh
from relay.ir.module import Module
from relay.ir.types import TupleType
from relay.ir.walk import substitute
from relay.support.node import replace, value
from relay.transform.batched_region import BatchedRegion, TableVersion, as_region, region_of
from relay.transform.batching.batch_regions import form_for_many
from relay.transform.batching.callees import nodes_of
from relay.transform.batching.flow import Part, follow
from relay.transform.batching.leaves import Leaf, in_part, leaf_in_part, leaf_of, made_by
from relay.transform.batching.scope import close_scope, open_scope, spares_product
from relay.transform.batching.state_variables import sometimes_alike
from relay.transform.contract import TYPED, Properties
from relay.transform.pipeline import Pass
from relay.transform.properties import Property

_Origin: TypeAlias = tuple[str, int]
"""A region, and the number of one of its results."""


@value
class BehindRows(Pass):
    """Make forms of regions for calls that are given what calls with a constant state give.

    1. A region of which a number is left to say, where its other parameters are the constants that
       they are in some calls, gives rows of tables there: a leaf is known by its word.
    2. A region that is given such results, of one other region, and multiplies them, gets a form
       that takes the number instead. There the product is a row of a table, too.
    3. Such a form may give rows again, where parameters that are left are the constants that they
       are in some calls: a sum that begins with zeros, of the states of one leaf. What multiplies
       them gets a form likewise.
    4. Which calls are those, their inputs say when the program runs: they are rows of the tables.
    """

    requires: ClassVar[Properties] = TYPED | {Property.MONOMORPHIC, Property.NORMAL_REGIONS}

    def transform(self, module: Module) -> Module:
        """Return the module with these forms."""
        named = ((name, leaf_of(name, each)) for name, each in module.functions.items())
        found = _with_forms(module, {name: leaf for name, leaf in named if leaf is not None})
        return found if found is module else _with_forms(found, _leaves_in_part(found))


def _leaves_in_part(module: Module) -> dict[str, Leaf]:
    """Case 3: return, by the names of regions, which calls of their forms are leaves in part."""
    held = sometimes_alike(module, ())
    found: dict[str, Leaf] = {}
    for name, function in module.functions.items():
        region = region_of(function)
        if region is not None and region.behind is not None:
            rows = {index for index, _ in region.behind.results}
            kept = [param for index, param in enumerate(function.params) if index not in rows]
            constants = {i: held.get(param) for i, param in enumerate(kept)}
            known = {i: constant for i, constant in constants.items() if constant is not None}
            leaf = leaf_in_part(region.behind.form, module[region.behind.form], known)
            if leaf is not None and leaf.fixed:
                found[name] = leaf
    return found


def _with_forms(module: Module, leaves: Mapping[str, Leaf]) -> Module:
    """Case 2: return the module with forms of the regions that multiply what leaves give.

    The leaves are those of the calls of the regions with these names, or of forms of these.
    """
    if not leaves:
        return module
    origins = follow(module, _results(module, leaves), eq)
    new: dict[str, Function] = {}
    for name, function in module.functions.items():
        region = region_of(function)
        places = {} if region is None or region.behind else _places(function, region, origins)
        if region is not None and places:
            (called,) = {called for called, _ in places.values()}
            results = {index: result for index, (_, result) in places.items()}
            new |= _behind(name, function, leaves[called], results)
    return module.with_functions({**module.functions, **new}) if new else module


def _behind(
    name: str, function: Function, leaf: Leaf, results: Mapping[int, int]
) -> dict[str, Function]:
    """Return a region with a form for calls that are given rows, and that form; nothing if none."""
    region = region_of(function)
    assert region is not None, "who has rows is a region"
    form = _form(function, leaf, results)
    shared = _shared(region, results)
    many = form_for_many(form, shared)
    told = _told(leaf)
    if many is None or told is None:
        return {}
    behind = TableVersion(f"{name}_behind", leaf.name, tuple(results.items()))
    record = BatchedRegion(f"{behind.form}_many", shared)
    marked = as_region(function, replace(region, behind=behind))
    return {**told, name: marked, behind.form: as_region(form, record), record.many: many}


def _told(leaf: Leaf) -> dict[str, Function] | None:
    """Return what says of a leaf which rows it gives; a region with constants has that already."""
    region = region_of(leaf.function)
    assert region is not None, "a leaf is a call of a region"
    if region.fixed:
        return {}
    form = form_for_many(in_part(leaf), ())
    if form is None:
        return None
    uniform = region.uniform or f"{leaf.name}_alike"
    told = replace(region, uniform=uniform, fixed=leaf.fixed, given=leaf.results)
    return {leaf.name: as_region(leaf.function, told), uniform: form}


def _results(module: Module, leaves: Mapping[str, Leaf]) -> dict[Part, _Origin | None]:
    found: dict[Part, _Origin | None] = {}
    for expr in nodes_of(module):
        match expr:
            case Call(GlobalVar(name)) if name in leaves:
                is_tuple = isinstance(expr.type, TupleType)
                for result in leaves[name].results:
                    found[expr, result if is_tuple else None] = (name, result)
            case _:
                pass
    return found


def _places(
    function: Function, region: BatchedRegion, origins: Mapping[Part, _Origin | None]
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


def _form(function: Function, leaf: Leaf, results: Mapping[int, int]) -> Function:
    """Return a region that makes some parameters itself, of the number that is its last one."""
    copy, wanted = fresh(function), sorted(set(results.values()))
    number, bindings, made = made_by(leaf, wanted)
    fields = dict(zip(wanted, made, strict=True))
    given: dict[Var, Expr] = {copy.params[i]: fields[result] for i, result in results.items()}
    body = close_scope(bindings, substitute(copy.body, given))
    kept = [param for index, param in enumerate(copy.params) if index not in results]
    return Function((*kept, number), body)


def _shared(region: BatchedRegion, results: Mapping[int, int]) -> tuple[int, ...]:
    """Return the numbers of shared parameters where those that are rows are left out."""
    return tuple(index - sum(row < index for row in results) for index in region.shared)
