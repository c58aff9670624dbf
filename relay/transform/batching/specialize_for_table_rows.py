"""The pass that adds versions of regions that look up products in precomputed tables."""

from collections.abc import Mapping
from operator import eq
from typing import ClassVar, TypeAlias

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.types import TupleType
from relay.ir.walk import substitute
from relay.support.node import replace, value
from relay.transform.batched_region_records import BatchedRegion, TableVersion, as_region, region_of
from relay.transform.batching.batch_regions import batched_form
from relay.transform.batching.dataflow_analysis import Part, propagate_facts
from relay.transform.batching.deferrable_operators import close_scope, open_scope, saves_product
from relay.transform.batching.find_callees import nodes_of
from relay.transform.batching.single_integer_calls import (
    Leaf,
    leaf_code,
    leaf_function,
    leaf_with_all_results,
    leaf_with_some_results,
)
from relay.transform.batching.uniform_variables import constants_in_some_calls
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import Pass

_Origin: TypeAlias = tuple[str, int]
"""A region, and the index of one of its results."""


@value
class BehindRows(Pass):
    """Add versions of batched regions for arguments that are table rows: results of leaf calls.

    1. If all parameters of a region except one integer are constants in some calls (leaf calls),
       the results of these calls are rows of tables: for example, the embedding of a word in the
       leaf of a tree.
    2. A region that takes such results of one other region, and multiplies them, gets a version
       that takes the integer instead. There the product is a row of a table, too.
    3. Such a version may yield rows again, if its remaining parameters hold constants in some
       calls: for example, a sum that begins with zeros, over the states of one leaf. Regions that
       multiply these rows get versions likewise.
    4. The choice of a version is made at run time: its calls are those whose arguments are table
       rows.
    """

    requires: ClassVar[Properties] = TYPED | {Property.MONOMORPHIC, Property.NORMAL_REGIONS}

    def transform(self, module: Module) -> Module:
        """Return the module with versions of the batched regions for table rows."""
        named = (
            (name, leaf_with_all_results(name, each)) for name, each in module.functions.items()
        )
        found = _with_table_versions(
            module, {name: leaf for name, leaf in named if leaf is not None}
        )
        return found if found is module else _with_table_versions(found, _leaves_in_part(found))


def _leaves_in_part(module: Module) -> dict[str, Leaf]:
    """Return the calls of table versions whose results are table rows again, by region name."""
    held = constants_in_some_calls(module, ())
    found: dict[str, Leaf] = {}
    for name, function in module.functions.items():
        region = region_of(function)
        if region is not None and region.behind is not None:
            rows = {index for index, _ in region.behind.results}
            kept = [param for index, param in enumerate(function.params) if index not in rows]
            constants = {i: held.get(param) for i, param in enumerate(kept)}
            known = {i: constant for i, constant in constants.items() if constant is not None}
            leaf = leaf_with_some_results(region.behind.form, module[region.behind.form], known)
            if leaf is not None and leaf.fixed:
                found[name] = leaf
    return found


def _with_table_versions(module: Module, leaves: Mapping[str, Leaf]) -> Module:
    """Return the module with versions of batched regions that multiply results of leaf calls.

    A leaf call depends on one integer. `leaves` are calls of the regions with these names, or of
    their table versions.
    """
    if not leaves:
        return module
    origins = propagate_facts(module, _results(module, leaves), eq)
    new: dict[str, Function] = {}
    for name, function in module.functions.items():
        region = region_of(function)
        places = {} if region is None or region.behind else _row_params(function, region, origins)
        if region is not None and places:
            (called,) = {called for called, _ in places.values()}
            results = {index: result for index, (_, result) in places.items()}
            new |= _with_table_version(name, function, leaves[called], results)
    return module.with_functions({**module.functions, **new}) if new else module


def _with_table_version(
    name: str, function: Function, leaf: Leaf, results: Mapping[int, int]
) -> dict[str, Function]:
    """Return a batched region's table version, and the region with a record of it, by name.

    `leaf` are the calls whose results are rows, and `results` maps parameters to these results. The
    result is empty if there is no such version.
    """
    region = region_of(function)
    assert region is not None, "who has rows is a region"
    form = _table_version(function, leaf, results)
    shared = _shared(region, results)
    many = batched_form(form, shared)
    updated = _with_uniform_version(leaf)
    if many is None or updated is None:
        return {}
    behind = TableVersion(f"{name}_behind", leaf.name, tuple(results.items()))
    record = BatchedRegion(f"{behind.form}_many", shared)
    marked = as_region(function, replace(region, behind=behind))
    return {**updated, name: marked, behind.form: as_region(form, record), record.many: many}


def _with_uniform_version(leaf: Leaf) -> dict[str, Function] | None:
    """Return the functions to replace so that a leaf's batched region has its constants on record.

    They include the region's version for calls that share these constants. The result is empty if
    both are recorded already, and None if there is no such version.
    """
    region = region_of(leaf.function)
    assert region is not None, "a leaf is a call of a region"
    if region.fixed:
        return {}
    form = batched_form(leaf_function(leaf), ())
    if form is None:
        return None
    uniform = region.uniform or f"{leaf.name}_alike"
    updated = replace(region, uniform=uniform, fixed=leaf.fixed, given=leaf.results)
    return {leaf.name: as_region(leaf.function, updated), uniform: form}


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


def _row_params(
    function: Function, region: BatchedRegion, origins: Mapping[Part, _Origin | None]
) -> dict[int, _Origin]:
    """Return the parameters of a region that may be table rows, with the leaf results they hold."""
    found: dict[int, _Origin] = {}
    for index, param in enumerate(function.params):
        origin = origins.get((param, None))
        if origin is not None and index not in region.shared:
            found[index] = origin
    bindings, _ = open_scope(function.body)
    known = {function.params[index] for index in (*found, *region.shared)}
    of_one = len({leaf for leaf, _ in found.values()}) == 1
    return found if of_one and saves_product(bindings, known) else {}


def _table_version(function: Function, leaf: Leaf, results: Mapping[int, int]) -> Function:
    """Return a version of a batched region that takes an integer in place of some parameters.

    `results` maps these parameters to results of `leaf` calls, which the integer determines.
    """
    copy, wanted = with_fresh_variables(function), sorted(set(results.values()))
    number, bindings, made = leaf_code(leaf, wanted)
    fields = dict(zip(wanted, made, strict=True))
    given: dict[Var, Expr] = {copy.params[i]: fields[result] for i, result in results.items()}
    body = close_scope(bindings, substitute(copy.body, given))
    kept = [param for index, param in enumerate(copy.params) if index not in results]
    return Function((*kept, number), body)


def _shared(region: BatchedRegion, results: Mapping[int, int]) -> tuple[int, ...]:
    """Return the indices of shared parameters after those that are table rows are removed."""
    return tuple(index - sum(row < index for row in results) for index in region.shared)
