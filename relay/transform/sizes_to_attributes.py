"""Conversion of operators that take sizes as operands to operators with sizes as attributes."""

from collections.abc import Container, Iterator, Sequence

from relay.ir.dims import ANY, DimVar, variables
from relay.ir.expr import Call, Expr
from relay.ir.types import has_any, tensor_dim_vars
from relay.ir.walk import fold, outside_kernels, with_children
from relay.ops.shape_arithmetic import sizes_of
from relay.ops.tensor.run_time_attributes import SIZES, Dynamic
from relay.ops.tensor.run_time_sizes import SizedAtRunTime
from relay.support.errors import RelayError, RelayTypeError
from relay.support.node import replace
from relay.support.span import Span


def with_known_sizes(call: Call, bound: frozenset[DimVar], effectful: Container[Expr]) -> Call:
    """Return a call with the sizes in its last operand as an attribute, if they are dimensions.

    Its sizes must occur in the types of the other operands, or be in `bound`: the operand that is
    dropped may bind all others, and must not be in `effectful`. A dimension may be 0, which is a
    code in `dyn.reshape` without `allowzero`.
    """
    match call:
        case Call(Dynamic() as op, (*args, sizes)) if (*op.operands.values(),) == (SIZES,):
            found = sizes_of(sizes) if getattr(op, "allowzero", True) else None
            if found is None or any(dim is ANY for dim in found) or sizes in effectful:
                return call
            known = bound.union(*(tensor_dim_vars(arg.type) for arg in args))
            if not all(variables(dim) <= known for dim in found):
                return call
            try:
                return Call(op.static_operator(tuple(found)), args, span=call.span)
            except RelayTypeError:  # sizes that do not fit trap at run time
                return call
        case _:
            return call


def with_read_sizes(call: Call, names: Iterator[DimVar]) -> Expr | None:
    """Return a call with fresh dimensions as sizes, which are read from data at run time.

    The result is None if the operator does not need them.

    Raises the error of the operator if constants determine an invalid size.
    """
    match call:
        case Call(SizedAtRunTime() as op, args) if op.always_read or has_any(call.type):
            try:
                new = op.with_sizes(args, names)
            except RelayError as error:
                raise error.at(call.span) from None
            return None if new is None else _placed(new, args, call.span)
        case _:
            return None


def _placed(new: Expr, args: Sequence[Expr], span: Span | None) -> Expr:
    """Return the replacement of a call with the call's source location, which traps report.

    `args` are the call's arguments, which stay unchanged.
    """
    given = set(args)

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if expr in given else outside_kernels(expr)

    def visit(expr: Expr, inner: list[Expr]) -> Expr:
        made = with_children(expr, inner) if inner else expr
        is_new = isinstance(made, Call) and expr not in given
        return replace(made, span=span) if is_new else made

    return fold(new, visit, edges=edges)
