"""Checks that a program can be compiled for another machine than this one."""

from relay.build.code.external_types import has_data
from relay.ir.expr import Function
from relay.kernels.cpu_model import CpuModel
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def check_portable(main: Function) -> None:
    """Raise `C152` for an entry whose inputs or results are more than tensors."""
    if has_data(main):
        raise CompileError(
            ErrorCode.C152,
            "values of data types, or nested tuples, cross the border of the program, which only "
            "Python can give it",
            help="give it a main of tensors that returns one, or a flat tuple of them, or compile "
            "it without a target, for this process",
        )


def check_heap(machine: CpuModel) -> None:
    """Raise `C153` for a machine that does not support programs with a heap."""
    is_known = any(system in machine.triple for system in ("linux", "darwin", "macos", "windows"))
    if not is_known and not (machine.is_wasm and machine.has("tail-call")):
        raise CompileError(
            ErrorCode.C153,
            f"a program with control flow or open sizes is not compiled for {machine.triple}",
            notes=[
                "it needs memory and threads as Linux, macOS and Windows have them",
                "or a WebAssembly that has tail calls",
            ],
            help="choose such a machine, or a model without If, Loop, Scan and recurrent layers, "
            "whose sizes are known: relay.compile(model, target=…, shapes={…})",
        )
