"""The pass that outlines matches of a pattern table as composite functions."""

from collections.abc import Callable
from typing import cast

from relay.ir.dataflow.matching import head_of
from relay.ir.dataflow.partition import partition
from relay.ir.expr import Expr, Function
from relay.ir.walk import outside_kernels, post_order
from relay.support.node import value
from relay.transform.compilers.external_compiler import Entry
from relay.transform.compilers.region_attributes import COMPOSITE
from relay.transform.instruments import user_code
from relay.transform.pipeline import FunctionPass


@value
class MergeComposite(FunctionPass):
    """Replace matches of patterns by calls of functions with the attribute `Composite`.

    The entries of the table are tried in order; a node that one match covers is part of no other
    match. A match stays unchanged if nodes outside read any of its values but the result.
    """

    table: tuple[Entry, ...]

    def run(self, function: Function) -> Function:
        """Return the function with a call of a composite function for each match."""
        result: Expr = function
        heads = {*map(head_of, post_order(function, edges=outside_kernels))}
        for name, pattern, check in self.table:
            if any(map(pattern.may_match, heads)):  # most are of operators that are not there
                result = partition(pattern, result, {COMPOSITE: name}, _asked(check))
        return cast("Function", result)


def _asked(check: Callable[[Expr], bool] | None) -> Callable[[Expr], bool]:
    """Return the predicate of an entry, whose exceptions are not those of the pass."""

    def asked(expr: Expr) -> bool:
        with user_code():
            return check is None or check(expr)

    return asked
