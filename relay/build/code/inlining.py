"""Kernels that are so small that a call costs more than they do: they become part of the program.

LLVM then keeps the numbers that they read and write in registers: the counter of a loop never sees
memory.
"""

from relay.build.kernels import scheduled_kernel
from relay.build.straight_line import nbytes, tensor_types
from relay.ir.dims import is_static
from relay.ir.expr import Function
from relay.kernels.compiler import Options
from relay.kernels.inside import REPORT_BYTES
from relay.kernels.llvm.fingerprint import fingerprint
from relay.kernels.llvm.kernel import emit_kernel
from relay.kernels.llvm.plan import plan
from relay.kernels.loops import For, Kernel, Mode, Stmt
from relay.kernels.machine import Machine
from relay.kernels.passes.statements import statements
from relay.targets.target import Target

INLINE_BYTES = 256
"""What an inlined kernel reads and writes, at most."""


def tiny_kernel(function: Function, target: Target) -> Kernel | None:
    """Return the kernel of a function if it should be inlined, else None.

    It has little data, runs on one thread and needs no scratch memory, but for its report. Raises
    what `scheduled_kernel` does.
    """
    types = [*(param.type for param in function.params), function.body.type]
    tensors = [tensor for ty in types for tensor in tensor_types(ty)]
    if not all(is_static(tensor.shape) for tensor in tensors):
        return None
    if sum(map(nbytes, tensors)) > INLINE_BYTES:
        return None
    kernel = scheduled_kernel(function, target)
    made = plan(kernel)
    is_parallel = any(_is_parallel(each) for each in statements(kernel.body))
    room = REPORT_BYTES if made.reports else 0
    return None if is_parallel or made.main != room or made.worker != 0 else kernel


def _is_parallel(statement: Stmt) -> bool:
    return isinstance(statement, For) and statement.mode is Mode.PARALLEL


def inline_symbol(kernel: Kernel) -> str:
    """Return the name under which `inline_text` defines a kernel."""
    return f"relay_inline_{fingerprint(kernel)}"


def inline_text(kernel: Kernel, machine: Machine, options: Options) -> str:
    """Return the LLVM text of a module that defines the kernel for its callers alone."""
    symbol = inline_symbol(kernel)
    return emit_kernel(kernel, symbol, plan(kernel), machine, options, inline=True)
