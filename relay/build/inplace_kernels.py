"""Analysis of kernels that can overwrite an operand, wholly or in part."""

from collections.abc import Sequence

from relay.build.straight_line_program import KernelCall, Storage
from relay.ir.expr import Call, Constant, Function, Var
from relay.opdef.definition import OperatorDef
from relay.support.node import replace
from relay.transform.compilers.region_attributes import external_name
from relay.transform.primitive_function import elementwise_params

IN_PLACE = "InPlace"
"""The attribute of primitive functions whose kernels update their first argument in place."""


def overwritable(step: KernelCall, result: Storage, dying: Sequence[Storage]) -> Storage | None:
    """Return the storage of a kernel's operand that its result can overwrite, or None.

    The operand must be among the `dying` storages, which later steps do not read, and the kernel
    must read it elementwise.
    """
    if not dying:
        return None
    is_external = external_name(step.function) is not None  # its code writes in any order
    candidates = set[Var]() if is_external else elementwise_params(step.function)
    for param, storage in zip(step.function.params, step.reads, strict=True):
        is_only = sum(other is storage for other in step.reads) == 1
        same_size = storage.nbytes == result.nbytes
        if param in candidates and is_only and same_size and storage in dying:
            return storage
    return None


def changes_of(function: Function) -> Function | None:
    """Return a primitive function marked to update its first argument in place, or None.

    The kernel takes the other parameters and the memory to update. The written elements and their
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
