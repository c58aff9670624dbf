"""How much a kernel does in one call, for reports: operations, and bytes read and written."""

from relay.build.dimensions import dimensions
from relay.build.kernels import label
from relay.build.straight_line import tensor_types
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Function
from relay.ir.walk import post_order
from relay.opdef.assumptions import assuming
from relay.opdef.definition import OperatorDef
from relay.runtime.code.function import KernelUse
from relay.runtime.kernel_work import KernelWork


def flops_of(function: Function) -> Dim:
    """Return the arithmetic operations of one call of a primitive function.

    Names of sizes that meet in it are taken to be equal, which the compiled program tests.
    """
    total: Dim = 0
    with assuming():
        for expr in post_order(function.body):
            if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
                total += expr.op.flops(*[arg.type for arg in expr.args])  # pyright: ignore[reportArgumentType]
    return total


def bytes_of(function: Function) -> Dim:
    """Return the bytes of everything that goes into a primitive function, and of what comes out."""
    total: Dim = 0
    for ty in (*(param.type for param in function.params), function.body.type):
        for tensor in tensor_types(ty):
            total += product((*tensor.shape, tensor.dtype.itemsize))
    return total


def kernel_work(function: Function, use: KernelUse) -> KernelWork:
    """Return what there is to say of a kernel that program code calls."""
    return KernelWork(
        symbol=use.symbol,
        label=label(function),
        pointers=use.pointers,
        sizes=dimensions(function),
        flops=flops_of(function),
        bytes=bytes_of(function),
        measures=use.measures,
    )
