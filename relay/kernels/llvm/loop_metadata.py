"""Loop metadata by which LLVM leaves scheduled loops as they are.

Kernels are already scheduled: if a body has vectors or unrolled copies, LLVM must not unroll or
vectorise it again, which costs code size and spills. Plain scalar loops are left to LLVM.
"""

from relay.kernels.llvm.llvm_writer import ModuleWriter
from relay.kernels.loops import For, Mode, Prefetch, Stmt
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.traverse_scalars import walk

_DISABLE = '!{!"llvm.loop.unroll.disable"}'
_SCALAR = '!{!"llvm.loop.vectorize.enable", i1 false}'


def loop_hint(module: ModuleWriter, loop: For) -> str:
    """Return the name of the metadata node for a loop's back edge."""
    if is_plain(loop.body):
        return module.metadata("distinct !{{self}}")
    return parts_hint(module)


def parts_hint(module: ModuleWriter) -> str:
    """Return the metadata node for a loop that LLVM must neither unroll nor vectorise."""
    unroll, vectorise = module.metadata(_DISABLE), module.metadata(_SCALAR)
    return module.metadata(f"distinct !{{{{self}}, {unroll}, {vectorise}}}")


def has_plain_loop(root: Stmt) -> bool:
    """Return whether a kernel has an innermost loop that LLVM should vectorise."""
    return any(
        isinstance(one, For) and one.mode is not Mode.UNROLL and is_plain(one.body)
        for one in statements(root)
    )


def is_plain(body: Stmt) -> bool:
    """Return whether a body is scalar code without inner loops and without prefetches."""
    return not any(
        isinstance(one, For | Prefetch)
        or any(part.dtype.lanes > 1 for part in walk(*expressions(one)))
        for one in statements(body)
    )
