"""Counts the arithmetic operations of a kernel call, and the bytes that it reads and writes."""

from collections.abc import Sequence

from relay.build.compile_kernels import label
from relay.build.kernel_sizes import dimensions
from relay.build.straight_line_program import tensor_types
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.types import Type
from relay.ir.walk import children, post_order
from relay.opdef.definition import OperatorDef
from relay.runtime.code.function import KernelUse
from relay.runtime.kernel_flops_and_bytes import KernelWork


def flops_of(function: Function) -> Dim:
    """Return the number of arithmetic operations of one call of a primitive function."""
    total: Dim = 0
    for expr in post_order(function.body):
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
            total += expr.op.flops(*[arg.type for arg in expr.args])  # pyright: ignore[reportArgumentType]
    return total


def bytes_of(function: Function) -> Dim:
    """Return the number of bytes that a call of a primitive function reads and writes.

    Of a tensor from which rows are gathered, only the gathered rows count.
    """
    readers: dict[Expr, list[Expr]] = {param: [] for param in function.params}
    for expr in post_order(function.body):
        for part in children(expr):
            if part in readers:
                readers[part].append(expr)
    read = [_bytes_read(param, readers[param]) for param in function.params]
    return sum(read, start=_bytes(function.body.type))


def _bytes_read(param: Var, readers: Sequence[Expr]) -> Dim:
    whole = _bytes(param.type)
    if not readers or not all(_picks_from(reader, param) for reader in readers):
        return whole
    picked = sum((_bytes(reader.type) for reader in readers), start=0)
    return min(whole, picked) if isinstance(whole, int) and isinstance(picked, int) else picked


def _picks_from(reader: Expr, param: Var) -> bool:
    match reader:
        case Call(OperatorDef(picks=True), (first, *rest)):
            return first is param and param not in rest
        case _:
            return False


def _bytes(ty: Type) -> Dim:
    sizes = [product((*tensor.shape, tensor.dtype.itemsize)) for tensor in tensor_types(ty)]
    return sum(sizes, start=0)


def kernel_work(function: Function, use: KernelUse) -> KernelWork:
    """Return the work of a kernel that program code calls, for reports."""
    return KernelWork(
        symbol=use.symbol,
        label=label(function),
        pointers=use.pointers,
        sizes=dimensions(function),
        flops=flops_of(function),
        bytes=bytes_of(function),
        measures=use.measures,
    )
