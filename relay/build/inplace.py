"""Which operand of a kernel its result may overwrite."""

from collections.abc import Sequence
from typing import cast

from relay.build.straight_line import KernelCall, Storage
from relay.ir.expr import Call, Function, Var
from relay.ir.types import TensorType, Type
from relay.ir.walk import children, post_order
from relay.opdef.definition import Fusion, OperatorDef


def overwritable(step: KernelCall, result: Storage, dying: Sequence[Storage]) -> Storage | None:
    """Return a dying operand that the kernel reads only at the element that it then writes."""
    for param, storage in zip(step.function.params, step.reads, strict=True):
        is_only = sum(other is storage for other in step.reads) == 1
        same_size = storage.nbytes == result.nbytes
        if is_only and same_size and storage in dying and _is_elementwise(step.function, param):
            return storage
    return None


def _is_elementwise(function: Function, param: Var) -> bool:
    """Whether every path from the parameter to the result keeps each element at its place."""
    shape = _shape(function.body.type)
    if shape is None or _shape(param.type) != shape:
        return False
    reached = {id(param)}
    for expr in post_order(function.body):
        if any(id(child) in reached for child in children(expr)):
            if not _keeps_place(expr, shape):
                return False
            reached.add(id(expr))
    return True


def _keeps_place(expr: object, shape: tuple[object, ...]) -> bool:
    match expr:
        case Call(OperatorDef() as op):
            return op.fusion <= Fusion.BROADCAST and _shape(cast("Type", expr.ty)) == shape
        case _:
            return False


def _shape(ty: Type) -> tuple[object, ...] | None:
    return ty.shape if isinstance(ty, TensorType) else None
