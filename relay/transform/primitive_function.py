"""Calls of operators as one primitive function: what a kernel is made of."""

from collections.abc import Sequence

from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.walk import children, with_children
from relay.ops.tensor.gather import Take
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.transform.purity import may_stop


def primitive_function(calls: Sequence[Call]) -> tuple[Function, list[Expr]]:
    """Return a function of the last call, which has the others inside, and what to call it with.

    Calls come after those that they read.
    """
    params: dict[int, Var] = {}
    inputs: list[Expr] = []
    new: dict[int, Expr] = {}

    def inner(expr: Expr, is_place: bool) -> Expr:
        """Return what stands for an argument inside the function; a place is passed."""
        if isinstance(expr, Tuple):
            return with_children(expr, [inner(child, is_place) for child in children(expr)])
        return expr if _is_literal(expr) and not is_place else passed(expr)

    def passed(expr: Expr) -> Expr:
        """Return the parameter that stands for an argument, or the call inside that computes it."""
        if id(expr) in new:
            return new[id(expr)]
        if id(expr) not in params:
            params[id(expr)] = Var(f"p{len(params)}", expr.type)
            inputs.append(expr)
        return params[id(expr)]

    for call in calls:
        args = tuple(
            inner(arg, _is_place(call, position)) for position, arg in enumerate(call.args)
        )
        new[id(call)] = Call(call.op, args, span=call.span, ty=call.ty)
    body = new[id(calls[-1])]
    return Function(tuple(params.values()), body, attrs={"Primitive": 1}), inputs


def _is_place(call: Call, position: int) -> bool:
    """Whether an argument is passed even if it is one number.

    It says where to read: the steps of a loop that was written out differ in nothing else, and so
    have one kernel in common. Or something may be read at a place that there is not: of a number in
    the code nothing is read. Or it says what sizes are, which is no kernel at all.
    """
    is_index = isinstance(call.op, Take) and position == 1
    return is_index or may_stop(call) or isinstance(call.op, WithSizes)


def _is_literal(expr: Expr) -> bool:
    """Whether a constant is so small that it belongs into the code."""
    return isinstance(expr, Constant) and expr.data.size == 1
