"""Chooses the LLVM calling convention and tail-call marker that a machine supports."""

from relay.kernels.cpu_model import CpuModel
from relay.support.node import Value, value


@value
class TailCalls(Value):
    """The LLVM calling convention of a program's functions, and the marker of tail calls."""

    convention: str
    required: str


def tail_calls(machine: CpuModel) -> TailCalls:
    """Return the strongest form of tail calls that LLVM supports for a machine.

    Functions check the stack in any case, so a call that is not a tail call can at worst trap. On
    x86, LLVM 22 does not write the stack arguments of a `musttail` call (llvm-project, issue
    199224). A `tail` call with `tailcc` reuses the caller's frame all the same.
    """
    if machine.is_x86:
        return TailCalls("tailcc", "tail")
    if machine.is_aarch64:
        return TailCalls("tailcc", "musttail")
    return TailCalls("fastcc", "musttail" if machine.is_wasm else "tail")
