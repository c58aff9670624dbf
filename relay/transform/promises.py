"""Lets that say what the name of a size stands for."""

from relay.ir.expr import Let
from relay.ir.types import dim_variables, tensor_names


def tells_sizes(let: Let) -> bool:
    """Whether the type of a variable has names of sizes that the type of its value has not.

    Such a let is not to disappear: other types have these names, and others that say what they
    stand for are tested against it. Names in the types of functions are these functions' own, and
    tell nothing of tensors.
    """
    wanted, found = let.var.ty, let.value.ty
    if wanted is None or found is None or wanted is found:
        return False
    names_known = dim_variables(wanted) <= dim_variables(found)
    return not (names_known and tensor_names(wanted) <= tensor_names(found))
