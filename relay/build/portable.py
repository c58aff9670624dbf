"""What a program for a machine that was named must be, because it is compiled once and for all."""

from relay.build.code.border import has_data
from relay.ir.expr import Function
from relay.kernels.machine import Machine
from relay.support.errors import CompileError


def check_portable(main: Function) -> None:
    """Refuse an entry with values of data types (`C152`)."""
    if has_data(main):
        raise CompileError(
            "C152",
            "values of data types cross the border of the program, which only Python can give it",
            help="give it a main of tensors, or compile it without a target, for this process",
        )


def check_heap(machine: Machine) -> None:
    """Refuse (`C153`) a machine without what a program with a heap needs."""
    if machine.pointer_bytes != 8 or (
        "linux" not in machine.triple and "darwin" not in machine.triple
    ):
        raise CompileError(
            "C153",
            f"a program with control flow or open sizes is not compiled for {machine.triple}",
            notes=["it needs addresses of 64 bits, and the memory and threads of Linux or macOS"],
            help="choose such a machine, or a model without If, Loop, Scan and recurrent layers, "
            "whose sizes are known: relay.compile(model, target=…, shapes={…})",
        )
