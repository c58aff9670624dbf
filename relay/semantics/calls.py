"""What a call must say, and the symbolic sizes of a global function, chosen anew for each."""

from collections.abc import Sequence

from relay.ir.expr import Call
from relay.ir.matched_sizes import matched_sizes
from relay.ir.types import FuncType, Type, substitute_dims
from relay.semantics.blame import callee_name
from relay.support.errors import TypeError_


def instantiate_sizes(callee: FuncType, args: Sequence[Type]) -> FuncType:
    """Return the function's type with the sizes that these arguments have.

    >>> from relay.ir.dims import DimVar
    >>> from relay.ir.types import TensorType
    >>> n = DimVar("n")
    >>> double = FuncType((TensorType((n,)),), TensorType((2 * n,)))
    >>> instantiate_sizes(double, [TensorType((3,))])
    fn (Tensor[(3,), float32]) -> Tensor[(6,), float32]
    """
    sizes = matched_sizes(callee.params, args)
    if not sizes:
        return callee
    instance = substitute_dims(callee, sizes)
    assert isinstance(instance, FuncType), "a function stays one"
    return instance


def check_counts(call: Call, callee: FuncType) -> None:
    """Require an argument for each parameter, and type arguments for all type parameters or none.

    Raises `T023`.
    """
    if len(call.args) != len(callee.params):
        wanted = len(callee.params)
        several = "" if wanted == 1 else "s"
        name = callee_name(call.op)
        message = f"{name} takes {wanted} argument{several}, not {len(call.args)}"
        raise TypeError_("T023", message, span=call.span, help=f"its type is {callee!r}")
    if call.type_args and len(call.type_args) != len(callee.type_params):
        count, given = len(callee.type_params), len(call.type_args)
        message = f"the function has {count} type parameters, not {given}"
        raise TypeError_("T023", message, span=call.span)
