"""Analysis of kernels that can overwrite an operand, wholly or in part."""

from collections.abc import Sequence

from relay.build.straight_line_program import KernelCall, Storage
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.types import TensorType
from relay.ir.walk import children, post_order
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.node import replace
from relay.transform.compilers.region_attributes import external_name
from relay.transform.primitive_function import is_elementwise, result_types

IN_PLACE = "InPlace"
"""The attribute of primitive functions whose kernels update their first argument in place."""


def overwritable(step: KernelCall, result: Storage, dying: Sequence[Storage]) -> Storage | None:
    """Return an operand of a kernel that the result can overwrite, or None.

    It must be among the `dying` storages, and the kernel must read it elementwise.
    """
    if not dying:
        return None
    candidates = elementwise_params(step.function)
    for param, storage in zip(step.function.params, step.reads, strict=True):
        is_only = sum(other is storage for other in step.reads) == 1
        same_size = storage.nbytes == result.nbytes
        if param in candidates and is_only and same_size and storage in dying:
            return storage
    return None


def changes_of(function: Function) -> Function | None:
    """Return a primitive function marked to update its first argument in place, if it can be.

    Its kernel takes the other parameters and the memory to update. The written elements and their
    positions must be parameters or constants.
    """
    match function.body:
        case _ if external_name(function) is not None:
            return None
        case Call(OperatorDef() as op, (Var() as data, *rest)) if op.has("compute_changes"):
            is_first = data is function.params[0] and data not in rest
            is_plain = is_first and all(isinstance(each, Var | Constant) for each in rest)
            attrs = {**function.attrs, IN_PLACE: 1}
            return replace(function, attrs=attrs) if is_plain else None
        case _:
            return None


def elementwise_params(function: Function) -> set[Var]:
    """Return the parameters of a primitive function that it reads elementwise on every path.

    An external compiler's function has none, because its code may write results in any order, and
    neither has one with several results, unless all its calls are elementwise: these results are
    computed together (`relay.kernels.schedule.join_outputs`). Walks from the results to the
    parameters: an expression is elementwise if all its users are, have the results' shape, and use
    it elementwise.
    """
    ty, *others = result_types(function)
    if not isinstance(ty, TensorType) or external_name(function) is not None:
        return set()
    if others and not is_elementwise(function):
        return set()
    shape = ty.shape
    in_place: set[Expr] = {function.body}
    displaced: set[Expr] = set()
    for expr in reversed(post_order(function.body)):
        keeps = expr in in_place and expr not in displaced and _keeps_places(expr, shape)
        (in_place if keeps else displaced).update(child for child in children(expr))
    return {
        param
        for param in function.params
        if param in in_place - displaced and param.tensor_type.shape == shape
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
