"""Lower operators with data-dependent sizes to operators over dimensions that are read."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import cast

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr, Function
from relay.ir.module import Module
from relay.ir.types import has_any
from relay.ir.walk import fold, outside_kernels, rewrite, with_children
from relay.ops.tensor.run_time_sizes import SizedAtRunTime
from relay.support.errors import RelayError
from relay.support.node import replace, value
from relay.support.span import Span
from relay.transform.pipeline import Pass, is_optimizable


@value
class LowerDataDependentDims(Pass):
    """Let kernels compute what sizes depend on, and read it from what they give.

    1. An operator with a run-time shape becomes the one with that shape as its attribute; the
       attribute has names, which a call of `dyn.with_sizes` before it says the meaning of.
    2. What has no such form stays, and so does what has its sizes in its type, unless it is an
       argument that must have a size which depends on data.

    Afterwards names of sizes have a meaning where they are used.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with new names in all functions; no two functions share one."""
        names = (DimVar(f"#{number}") for number in count())
        functions = {
            name: _reading(function, names) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)


def _reading(function: Function, names: Iterator[DimVar]) -> Function:
    def rule(expr: Expr) -> Expr:
        match expr:
            case Call(SizedAtRunTime() as op, args) if op.always_read or has_any(expr.type):
                new = _sized(op, args, names, expr.span)
                return expr if new is None else _placed(new, args, expr.span)
            case _:
                return expr

    return cast("Function", rewrite(function, rule))


def _sized(
    op: SizedAtRunTime, args: Sequence[Expr], names: Iterator[DimVar], span: Span | None
) -> Expr | None:
    try:
        return op.with_sizes(args, names)
    except RelayError as error:  # constants tell a size that does not fit
        raise error.at(span) from None


def _placed(new: Expr, args: Sequence[Expr], span: Span | None) -> Expr:
    """Return what stands for a call, with the call's place: there the program stops, if it must."""
    given = set(map(id, args))

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if id(expr) in given else outside_kernels(expr)

    def visit(expr: Expr, inner: list[Expr]) -> Expr:
        made = with_children(expr, inner) if inner else expr
        is_new = isinstance(made, Call) and id(expr) not in given
        return replace(made, span=span) if is_new else made

    return fold(new, visit, edges=edges)
