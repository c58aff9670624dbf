"""Symbolic sizes of a global function, chosen anew for each call."""

from collections.abc import Sequence

from relay.ir.matched_sizes import matched_sizes
from relay.ir.types import FuncType, Type, substitute_dims


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
