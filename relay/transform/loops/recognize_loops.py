"""Recognises local functions that are loops, and their counters and loop-variant values."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TypeAlias, cast

from relay.ir.analysis.dims_in_scope import dims_in
from relay.ir.analysis.tail_positions import branches, tail_values
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Operator, Var
from relay.ir.walk import binders, children, outside_kernels, post_order
from relay.ops.binary import Add
from relay.ops.comparison import Less
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.support.node import node


def names_itself(var: Var, function: Function) -> bool:
    """Whether a function uses the variable that it is bound to."""
    return any(each is var for each in post_order(function.body))


def is_loop(var: Var, function: Function) -> bool:
    """Whether a function that `var` is bound to calls itself, always in tail position."""
    last = tail_values(function.body, branches)
    again = {end for end in last if isinstance(end, Call) and end.op is var}
    users = {e for e in post_order(function.body) if any(child is var for child in children(e))}
    return bool(users) and users <= again


def loop_variant_nodes(function: Function, excluded: Collection[Var] = ()) -> set[Expr]:
    """Return the nodes that depend on parameters or variables of a loop, or on their sizes.

    The parameters in `excluded` do not count.
    """
    order = post_order(function.body, edges=outside_kernels)
    params = [param for param in function.params if param not in excluded]
    found = set[Expr]([*params, *(var for each in order for var in binders(each))])
    fixed = [each for each in order if isinstance(each, Var) and each not in found]
    sizes = dims_in(found) - dims_in((*excluded, *fixed))
    for expr in order:
        if any(child in found for child in outside_kernels(expr)) or (
            sizes and isinstance(expr, Call | Operator) and sizes & dims_in((expr,))
        ):
            found.add(expr)
    return found


@node
class Counter:
    """A parameter of a loop that counts its steps in increments of 1, from `start` until `stop`.

    `stop` is an integer, or the symbolic size of a loop-invariant tensor.
    """

    var: Var
    start: int
    stop: Dim

    @property
    def length(self) -> Dim:
        """Return the number of steps."""
        return self.stop if self.start == 0 else self.stop - self.start


Names: TypeAlias = Mapping[Expr, Expr]
"""The variables that lets around a loop bind, with their values."""

NO_NAMES: Names = MappingProxyType({})


def names_in(function: Function) -> Names:
    """Map the variables that lets of a function bind to their values."""
    order = post_order(function.body, edges=outside_kernels)
    return {expr.var: expr.value for expr in order if isinstance(expr, Let)}


def counter_of(let: Let, names: Names = NO_NAMES) -> Counter | None:
    """Return the counter of a loop that continues while a parameter is less than a limit."""
    function = cast("Function", let.value)
    match function.body:
        case If(Call(Less(), (Var() as var, limit)), then) if var in function.params:
            stop = _limit(limit, names)
            place = function.params.index(var)
            calls = [
                e for e in post_order(function.body) if isinstance(e, Call) and e.op is let.var
            ]
            going_on = set(tail_values(then, branches))
            start = _start(let, place)
            if (
                start is None
                or stop is None
                or not all(c in going_on and _is_next(c.args[place], var) for c in calls)
            ):
                return None
            return Counter(var, start, stop)
        case _:
            return None


def _limit(expr: Expr, names: Names) -> Dim | None:
    """Return a loop counter's limit as a size: an integer, or a tensor's symbolic size.

    `names` maps variables to their values.
    """
    match names.get(expr, expr):
        case Constant(number):
            return int(number)
        case Call(Take(axis=0), (shape, Constant(axis))):
            match names.get(shape, shape):
                case Call(ShapeOf(), (tensor,)):
                    size = tensor.tensor_type.shape[int(axis)]
                    return size if isinstance(size, DimVar) else None
                case _:
                    return None
        case _:
            return None


def _start(let: Let, place: int) -> int | None:
    """Return a loop counter's initial value, if it is known and the loop is entered once.

    `place` is the index of the counter among the parameters.
    """
    entries = [e for e in post_order(let.body) if isinstance(e, Call) and e.op is let.var]
    uses = [e for e in post_order(let.body) if any(child is let.var for child in children(e))]
    match entries:
        case [Call(_, args)] if len(uses) == 1 and isinstance(args[place], Constant):
            return int(cast("Constant", args[place]).array)
        case _:
            return None


def _is_next(expr: Expr, var: Var) -> bool:
    match expr:
        case Call(Add(), (first, Constant(data))) if first is var:
            return int(data) == 1
        case _:
            return False
