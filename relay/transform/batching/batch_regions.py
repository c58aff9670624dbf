"""The pass that outlines operators into functions (regions) whose calls can be batched."""

from collections.abc import Sequence
from typing import ClassVar

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.dims import DimVar
from relay.ir.expr import (
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import free_vars, rewrite, substitute
from relay.support.errors import CompileError
from relay.support.node import node, replace, value
from relay.transform.batched_region_records import BatchedRegion, Fixed, as_region
from relay.transform.batching.deferrable_operators import (
    BatchingScope,
    DeferredRegion,
    close_scope,
    open_scope,
    saves_product,
)
from relay.transform.batching.invariant_variables import invariant_variables
from relay.transform.batching.uniform_variables import constants_in_some_calls
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import Pass, is_optimizable
from relay.transform.vmap import vmap

IMMEDIATE = "Immediate"
"""The attribute of functions whose operators are not deferred."""

CALLS = DimVar("calls")
"""The number of calls in a batch; it is symbolic, so that no padding calls are needed."""


@value
class BatchRegions(Pass):
    """Outline operators that can be deferred into functions, and add batched versions of these.

    1. The operators of a scope that can be deferred become calls of a global function, a *region*:
       one region for each other binding that needs some of them, and one for the result of the
       scope. Operators that only move elements that all calls share, such as the transpose of a
       weight, are computed inside the regions if only these need them: once for a batch.
    2. A region has a record of its versions (`BatchedRegion`). Another function performs any number
       of its calls (`vmap`). Parameters that are the same in all calls, such as weights, have no
       new axis there.
    3. Some parameters are the same in some calls only, such as the initial state of a recurrence;
       these are *uniform*. If a product then has uniform operands only, there is one more version,
       in which those parameters have no new axis either; if a uniform parameter is one constant,
       the version contains the constant instead. The version is omitted if an operator in it has
       no batched form.
    4. The entry's outermost scope, which is computed once, stays unchanged.
    5. Functions with the attribute `Immediate` stay unchanged: they update tensors in place, which
       batches of calls would copy.

    The meaning of the program does not change; the lowering decides which calls of regions to
    defer.
    """

    requires: ClassVar[Properties] = TYPED | {Property.MONOMORPHIC, Property.A_NORMAL_FORM}
    ensures: ClassVar[Properties] = frozenset({Property.NORMAL_REGIONS})

    entry: str = "main"

    def transform(self, module: Module) -> Module:
        """Return the module with batched regions, and with functions for batches of their calls."""
        return _Batching(module, self).run()


@node
class _Uniform:
    """The version of a batched region for calls that agree in more parameters than all calls do.

    `alike` are the indices of parameters that are the same in all of these calls, `fixed` those
    that are constants.
    """

    form: Function
    alike: tuple[int, ...]
    fixed: tuple[Fixed, ...]


class _Batching:
    def __init__(self, module: Module, options: BatchRegions) -> None:
        self._module = module
        self._options = options
        self._shared = invariant_variables(module, options.entry)
        self._alike = constants_in_some_calls(module, self._shared)
        self._new: dict[str, Function] = {}

    def run(self) -> Module:
        entry = self._options.entry
        once = () if CallGraph(self._module).is_recursive(entry) else (entry,)
        functions = dict(self._module.functions)
        for name, function in self._module.functions.items():
            if is_optimizable(function) and IMMEDIATE not in function.attrs:
                functions[name] = self._function(name, function, name in once)
        return self._module.with_functions({**functions, **self._new})

    def _function(self, name: str, function: Function, once: bool) -> Function:
        def rule(expr: Expr) -> Expr:
            match expr:
                case Function() if not expr.is_primitive:
                    return replace(expr, body=self._scope(name, expr.body))
                case If():
                    then, other = (self._scope(name, each) for each in (expr.then, expr.other))
                    return replace(expr, then=then, other=other)
                case Match():
                    clauses = [replace(c, body=self._scope(name, c.body)) for c in expr.clauses]
                    return replace(expr, clauses=tuple(clauses))
                case _:
                    return expr

        body = rewrite(function.body, rule)
        return replace(function, body=body if once else self._scope(name, body))

    def _scope(self, name: str, root: Expr) -> Expr:
        bindings, result = open_scope(root)
        regions = BatchingScope(bindings, result, self._shared).regions()
        if not regions:
            return root
        inside = {var for region in regions.values() for var, _ in region.bindings}
        new: list[tuple[Var, Expr]] = []
        for index in range(len(bindings) + 1):
            if index in regions:
                region = regions[index]
                new += self._call(name, region) if region.computes else region.bindings
            new += [pair for pair in bindings[index : index + 1] if pair[0] not in inside]
        return close_scope(new, result)

    def _call(self, name: str, region: DeferredRegion) -> list[tuple[Var, Expr]]:
        """Add a function for a batched region to the module; return let bindings that call it."""
        whole = close_scope(region.bindings, _packed(region.outputs))
        outer = free_vars(whole)
        shared = tuple(i for i, var in enumerate(outer) if var in self._shared)
        held = [(i, self._alike[outer[i]]) for i in self._uniform_params(region, outer)]
        alike = tuple(i for i, constant in held if constant is None)
        fixed = tuple(Fixed(i, constant) for i, constant in held if constant is not None)
        function = with_fresh_variables(Function(tuple(outer), whole))
        called = self._add(name, function, shared, _uniform_version(function, shared, alike, fixed))
        result = Call(called, tuple(outer), span=region.bindings[0][1].span)
        if len(region.outputs) == 1:
            return [(region.outputs[0], result)]
        joined = Var("region", result.ty, ty=result.ty)
        items = enumerate(region.outputs)
        return [(joined, result), *((var, TupleGetItem(joined, i)) for i, var in items)]

    def _uniform_params(self, region: DeferredRegion, outer: Sequence[Var]) -> tuple[int, ...]:
        """Return the indices of parameters that are equal in some calls, if that saves a product.

        `outer` are the region's parameters. At least one must vary, because it determines the
        number of calls.
        """
        known = self._shared.union(v for v in outer if v in self._alike and _is_tensor(v))
        if known.issuperset(outer) or not saves_product(region.bindings, known):
            return ()
        return tuple(i for i, var in enumerate(outer) if var in known - self._shared)

    def _add(
        self, name: str, function: Function, shared: tuple[int, ...], uniform: _Uniform | None
    ) -> GlobalVar:
        """Add a region and its batched versions to the module, under names derived from `name`."""
        number = 1
        while (region := f"{name}_batch{number}") in self._new or region in self._module.functions:
            number += 1
        record = BatchedRegion(f"{region}_many", shared)
        self._new[record.many] = vmap(function, CALLS, shared)
        if uniform is not None:
            named = f"{region}_alike"
            self._new[named] = uniform.form
            record = replace(record, uniform=named, alike=uniform.alike, fixed=uniform.fixed)
        self._new[region] = as_region(function, record)
        return GlobalVar(region, ty=function.ty)


def batched_form(function: Function, shared: Sequence[int]) -> Function | None:
    """Return a function that performs a batch of calls of `function`; None if that is impossible.

    The `shared` parameters, given by index, are the same in all calls.
    """
    try:
        return vmap(function, CALLS, shared)
    except CompileError:
        return None


def _uniform_version(
    region: Function, shared: Sequence[int], alike: tuple[int, ...], fixed: tuple[Fixed, ...]
) -> _Uniform | None:
    """Return the version of a batched region for calls that agree in some parameters; None if none.

    Parameters are given by index: `shared` are equal in all calls, `alike` in the calls of this
    version, and those in `fixed` are constants there.
    """
    if not alike and not fixed:
        return None
    known: dict[Var, Expr] = {region.params[each.index]: each.constant for each in fixed}
    same = {region.params[i] for i in (*shared, *alike)}
    kept = tuple(param for param in region.params if param not in known)
    places = [i for i, param in enumerate(kept) if param in same]
    form = batched_form(
        with_fresh_variables(Function(kept, substitute(region.body, known))), places
    )
    return None if form is None else _Uniform(form, alike, fixed)


def _packed(outputs: Sequence[Var]) -> Expr:
    return outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))


def _is_tensor(var: Var) -> bool:
    return isinstance(var.ty, TensorType) and var.ty.rank > 0
