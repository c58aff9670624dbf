"""The calling convention of functions that a kernel hardly ever calls.

With the usual one, a loop with such a call keeps its values in registers that the kernel must save
and restore in every call, which takes longer than a small kernel itself. With this convention, the
called function saves the registers instead.
"""

from relay.kernels.cpu_model import CpuModel


def cold_convention(machine: CpuModel) -> str:
    """Return LLVM's name of the convention, or the default one where it has none."""
    return "preserve_mostcc" if machine.is_x86 or machine.is_aarch64 else "ccc"
