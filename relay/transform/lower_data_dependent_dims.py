"""Lowering of operators with data-dependent sizes to operators over dimensions read at run time."""

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
    """Compute data-dependent sizes by kernels, and bind dimensions to the results.

    1. An operator with a run-time shape becomes the operator with that shape as its attribute. The
       attribute contains fresh dimensions, which a preceding call of `dyn.with_sizes` binds.
    2. An operator without such a form stays, and so does one whose type has all its sizes, unless
       an argument must have a size that depends on data.

    Afterwards every dimension is bound where it is used.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with fresh dimensions, distinct in all functions."""
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
    except RelayError as error:  # constants determine an invalid size
        raise error.at(span) from None


def _placed(new: Expr, args: Sequence[Expr], span: Span | None) -> Expr:
    """Return the replacement of a call with the call's span, which is the location of traps."""
    given = set(args)

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if expr in given else outside_kernels(expr)

    def visit(expr: Expr, inner: list[Expr]) -> Expr:
        made = with_children(expr, inner) if inner else expr
        is_new = isinstance(made, Call) and expr not in given
        return replace(made, span=span) if is_new else made

    return fold(new, visit, edges=edges)
