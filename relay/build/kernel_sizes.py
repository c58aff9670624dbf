"""The symbolic sizes that a kernel takes as arguments in addition to its tensors."""

from collections.abc import Hashable, Iterator, Sequence

from relay.ir.attribute_dims import symbolic_attributes
from relay.ir.dims import DimVar, Symbolic, in_order, variables
from relay.ir.equality import numbered_dims, structural_key
from relay.ir.expr import Call, Function
from relay.ir.types import Type
from relay.ir.types import dimensions as of_type
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef


def dimensions(function: Function) -> tuple[DimVar, ...]:
    """Return a primitive function's symbolic dimensions, in the order of its kernel's arguments.

    The dimensions of the parameters come first, in order of appearance; then those that occur only
    in the types or attributes of calls in the body.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> from relay.ops.elementwise import Clip
    >>> x = Var("x", TensorType((DimVar("n"), DimVar("batch") * 2)))
    >>> [dim.name for dim in dimensions(Function((x,), Call(Clip(0.0, 1.0), (x,))))]
    ['n', 'batch']
    """
    found: dict[DimVar, None] = {}
    for dim in dict.fromkeys(_all(function)):
        found |= dict.fromkeys(in_order(variables(dim)))
    return tuple(found)


def kernel_key(function: Function, sizes: Sequence[DimVar] | None = None) -> Hashable:
    """Return a key that is equal for primitive functions with the same kernel.

    Dimension names do not matter, because a kernel takes sizes by position. `sizes` are the
    dimensions of the function, if they are known.
    """
    return structural_key(function, numbered_dims(dimensions(function) if sizes is None else sizes))


def _all(function: Function) -> Iterator[Symbolic]:
    for param in function.params:
        yield from _symbolic(param.type)
    for expr in post_order(function.body):
        if not isinstance(expr, OperatorDef):
            yield from _symbolic(expr.type)
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
            yield from symbolic_attributes(expr.op)


def _symbolic(ty: Type) -> Iterator[Symbolic]:
    return (dim for dim in of_type(ty) if isinstance(dim, Symbolic))
