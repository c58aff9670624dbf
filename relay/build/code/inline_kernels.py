"""Inlines kernels that are so small that calling them would dominate their cost.

LLVM then keeps their operands in registers; a loop counter, for example, never goes to memory.
"""

from relay.build.compile_kernels import scheduled_kernel
from relay.build.inplace_kernels import IN_PLACE
from relay.build.straight_line_program import nbytes, tensor_types
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr, Function
from relay.ir.types import Type
from relay.ir.walk import post_order
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.kernel_fingerprint import fingerprint
from relay.kernels.loops import For, Kernel, Mode, Stmt
from relay.kernels.passes.traverse_statements import statements
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.kernel_error_record import RECORD_BYTES
from relay.targets.target import HostTarget
from relay.transform.compilers.region_attributes import external_name

INLINE_BYTES = 256
"""The largest data of an inlined kernel, or the largest result that it computes from larger data.
"""


def tiny_kernel(function: Function, target: HostTarget) -> Kernel | None:
    """Return the kernel of a function if it should be inlined, else None.

    Such a kernel touches little data, runs on one thread and needs no workspace except its fault
    record. Raises the errors of `scheduled_kernel`.
    """
    if external_name(function) is not None or not _touches_little(function):
        return None
    kernel = scheduled_kernel(function, target)
    made = plan(kernel)
    is_parallel = any(_is_parallel(each) for each in statements(kernel.body))
    room = RECORD_BYTES if made.reports else 0
    return None if is_parallel or made.main != room or made.worker != 0 else kernel


def _touches_little(function: Function) -> bool:
    """Whether a kernel's data is small, or the part of it that the kernel accesses."""
    data, results = [param.type for param in function.params], [function.body.type]
    if _are_small([*data, *results]):
        return True
    if IN_PLACE in function.attrs:
        return _are_small(data[1:])
    return _are_small(results) and all(map(_reads_one_for_one, post_order(function.body)))


def _are_small(types: list[Type]) -> bool:
    tensors = [tensor for ty in types for tensor in tensor_types(ty)]
    are_known = all(is_static(tensor.shape) for tensor in tensors)
    return are_known and sum(map(nbytes, tensors)) <= INLINE_BYTES


def _reads_one_for_one(expr: Expr) -> bool:
    """Whether a call reads a bounded number of elements for each element of its result."""
    match expr:
        case Call(OperatorDef() as op):
            return op.fusion <= Fusion.INJECTIVE
        case _:
            return True


def _is_parallel(statement: Stmt) -> bool:
    return isinstance(statement, For) and statement.mode is Mode.PARALLEL


def inline_symbol(kernel: Kernel) -> str:
    """Return the symbol under which `inline_text` defines a kernel."""
    return f"relay_inline_{fingerprint(kernel)}"


def inline_text(kernel: Kernel, machine: CpuModel, options: Options) -> str:
    """Return the LLVM text of a module that defines the kernel for inlining only."""
    symbol = inline_symbol(kernel)
    return emit_kernel(kernel, symbol, plan(kernel), machine, options, inline=True)
