"""Primitive functions: groups of operator calls that one kernel computes."""

from collections.abc import Iterator, Mapping, Sequence

from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import children, post_order, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.tensor.gather import GatherND, Take
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.ops.tensor.slice import StridedSlice
from relay.transform.effects import elements_may_trap


def primitive_function(calls: Sequence[Call]) -> tuple[Function, list[Expr]]:
    """Return a function that computes the last of the `calls`, and the inputs to pass to it.

    Each call is preceded by those that it reads. The inputs are in the order in which the calls
    read them, so that the order of effects is preserved.
    """
    inputs = _inputs(calls)
    params = [Var(f"p{number}", expr.type) for number, expr in enumerate(inputs)]
    new: dict[Expr, Expr] = dict(zip(inputs, params, strict=True))

    for call in calls:
        args = tuple(
            _inner(arg, new, _stays_parameter(call, place)) for place, arg in enumerate(call.args)
        )
        new[call] = Call(call.op, args, span=call.span, ty=call.ty)
    return Function(tuple(params), new[calls[-1]], attrs={"Primitive": 1}), inputs


def _inner(expr: Expr, new: Mapping[Expr, Expr], is_place: bool) -> Expr:
    """Return the expression for an argument inside the function; indices become parameters."""
    if isinstance(expr, Tuple):
        return with_children(expr, [_inner(child, new, is_place) for child in children(expr)])
    return expr if _is_literal(expr) and not is_place else new[expr]


def is_elementwise(function: Function) -> bool:
    """Whether a primitive function only has elementwise calls, and results of one known shape.

    It may also take slices of its parameters, and gather rows of them.
    """
    shapes = {ty.shape if isinstance(ty, TensorType) else (ANY,) for ty in result_types(function)}
    return len(shapes) == 1 and ANY not in shapes.pop() and all(map(_is_aligned, _calls(function)))


def _calls(function: Function) -> Iterator[Call]:
    return (expr for expr in post_order(function.body) if isinstance(expr, Call))


def _is_aligned(call: Call) -> bool:
    """Whether a call is elementwise, or only reads a part of parameters."""
    match call:
        case Call(StridedSlice() | GatherND(), args):
            return all(isinstance(arg, Var) for arg in args)
        case Call(OperatorDef() as op):
            return op.fusion <= Fusion.BROADCAST
        case _:
            return False


def elementwise_params(function: Function) -> set[Var]:
    """Return the parameters of a primitive function that it reads elementwise on every path.

    A function with several results has none, unless it is elementwise: these results are computed
    together (`relay.kernels.schedule.join_outputs`). Walks from the results to the parameters: an
    expression is elementwise if all its users are, have the results' shape, and use it elementwise.
    """
    ty, *others = result_types(function)
    if not isinstance(ty, TensorType) or (others and not is_elementwise(function)):
        return set()
    in_place: set[Expr] = {function.body}
    displaced: set[Expr] = set()
    for expr in reversed(post_order(function.body)):
        keeps = expr in in_place and expr not in displaced and _keeps_places(expr, ty.shape)
        (in_place if keeps else displaced).update(child for child in children(expr))
    return {
        param
        for param in function.params
        if param in in_place - displaced and param.tensor_type.shape == ty.shape
    }


def _keeps_places(expr: Expr, shape: tuple[object, ...]) -> bool:
    match expr:
        case Tuple():  # of all results
            return True
        case Call(OperatorDef() as op):
            is_tensor = isinstance(expr.ty, TensorType)
            return op.fusion <= Fusion.BROADCAST and is_tensor and expr.tensor_type.shape == shape
        case _:
            return False


def result_types(function: Function) -> Sequence[Type]:
    """Return the types of the results of a primitive function."""
    ty = function.body.type
    return ty.fields if isinstance(ty, TupleType) else (ty,)


def _inputs(calls: Sequence[Call]) -> list[Expr]:
    """Return operands of the given calls that are not among these calls, in evaluation order."""
    inside = set[Expr](calls)
    passed = {
        expr
        for call in calls
        for place, arg in enumerate(call.args)
        for expr in post_order(arg, edges=fields_of_tuple)
        if must_be_parameter(expr, call, place)
    }

    def read(expr: Expr) -> Sequence[Expr]:
        return expr.args if isinstance(expr, Call) and expr in inside else fields_of_tuple(expr)

    order = post_order(calls[-1], edges=read)
    return [each for each in order if each in passed - inside and not isinstance(each, Tuple)]


def fields_of_tuple(expr: Expr) -> Sequence[Expr]:
    """Return the fields of a tuple; nothing for other expressions."""
    return expr.fields if isinstance(expr, Tuple) else ()


def must_be_parameter(operand: Expr, call: Call, position: int) -> bool:
    """Whether an operand is a parameter of a kernel, if it is computed outside of the kernel."""
    return not _is_literal(operand) or _stays_parameter(call, position)


def _stays_parameter(call: Call, position: int) -> bool:
    """Whether an argument is a parameter of the kernel even if it is a scalar constant.

    This holds for an index: the steps of an unrolled loop differ in their indices only, and so
    share one kernel. It holds for operands of calls that may trap, because an index may be out of
    bounds, and embedded constants are not checked. It holds for sizes, which are bound outside of
    kernels.
    """
    is_index = isinstance(call.op, Take) and position == 1
    return is_index or elements_may_trap(call) or isinstance(call.op, WithSizes)


def _is_literal(expr: Expr) -> bool:
    return isinstance(expr, Constant) and expr.array.size == 1
