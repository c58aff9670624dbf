"""The pass that merges adjacent regions of one external compiler."""

from collections.abc import Sequence
from itertools import count
from typing import cast

from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.nested_tuples import leaves, nested
from relay.ir.walk import fold, post_order, substitute, with_children
from relay.support.node import value
from relay.transform.compilers.region_attributes import compiler_of, outside_regions, region_of
from relay.transform.compilers.region_groups import Groups
from relay.transform.pipeline import FunctionPass


@value
class MergeCompilerRegions(FunctionPass):
    """Merge regions with those of the same compiler whose results they read.

    1. Regions are merged in one scope only, and only if no path between them leads through a node
       outside: a region is evaluated as one unit.
    2. A region with several results that are read outside returns them as a tuple; results that
       are tuples are there as their fields.
    """

    def run(self, function: Function) -> Function:
        """Return the function with each group of regions merged into one region."""
        groups = Groups(function).joined()
        if not groups:
            return function
        merged: dict[Expr, _Merged] = {}
        for group in groups:
            merged |= dict.fromkeys(group, _Merged(group))
        order = post_order(function, edges=outside_regions)
        for expr in order:
            for part in outside_regions(expr):
                if part in merged and merged.get(expr) is not merged[part]:
                    merged[part].add_result(part)

        def edges(expr: Expr) -> Sequence[Expr]:
            return merged[expr].inputs if expr in merged else outside_regions(expr)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if expr in merged:
                return merged[expr].value(expr, new)
            return with_children(expr, new) if new else expr

        return cast("Function", fold(function, visit, edges=edges))


class _Merged:
    """A group of regions as one region: its inputs, and the nodes whose values are read outside."""

    def __init__(self, group: Sequence[Call]) -> None:
        self._group = group
        members = set[Expr](group)
        args = [arg for call in group for arg in call.args if arg not in members]
        self.inputs: Sequence[Expr] = list(dict.fromkeys(args))
        self._results: dict[Expr, int] = {}
        self._call: Call | None = None

    def add_result(self, part: Expr) -> None:
        """Record that a node outside of the group reads the value of the region `part`."""
        self._results.setdefault(part, len(self._results))

    def value(self, part: Expr, args: Sequence[Expr]) -> Expr:
        """Return the new value of the region `part`: the merged region or a field of it."""
        if self._call is None:
            self._call = self._written(args)
        if len(self._results) == 1:
            return self._call
        before = list(self._results)[: self._results[part]]
        first = sum(len(list(leaves(each))) for each in before)
        fields = (TupleGetItem(self._call, n, span=part.span) for n in count(first))
        return nested(part.type, fields)

    def _written(self, args: Sequence[Expr]) -> Call:
        params = {each: Var("p", each.type) for each in self.inputs}
        parts: dict[Expr, Expr] = dict(params)
        for call in self._group:
            literal = cast("Function", call.op)
            values = {p: parts[arg] for p, arg in zip(literal.params, call.args, strict=True)}
            parts[call] = substitute(literal.body, values)
        results = tuple(parts[each] for each in self._results)
        fields = (leaf for each in self._results for leaf in leaves(parts[each]))
        body = results[0] if len(results) == 1 else Tuple(tuple(fields))
        compiler = compiler_of(self._group[0])
        assert compiler is not None, "a group is one of regions"
        return region_of(compiler, list(params.values()), body, args)
