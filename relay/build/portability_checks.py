"""Checks that a program can be compiled for another machine than this one."""

from relay.build.code.interface_types import has_data
from relay.ir.expr import Function
from relay.kernels.cpu_model import CpuModel
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


def check_portable(main: Function) -> None:
    """Raise `C152` for an entry whose inputs or results are more than tensors."""
    if has_data(main):
        raise CompileError(
            ErrorCode.C152,
            "a program for another machine cannot take or return data types or nested tuples",
            help=(
                "let main take tensors, and return a tensor or a flat tuple; or omit target, "
                "to compile for this machine"
            ),
        )


def check_heap(machine: CpuModel) -> None:
    """Raise `C153` for a machine that does not support programs with a heap."""
    is_known = any(system in machine.triple for system in ("linux", "darwin", "macos", "windows"))
    if not is_known and not (machine.is_wasm and machine.has("tail-call")):
        raise CompileError(
            ErrorCode.C153,
            f"branches, loops and unknown sizes are not supported on {machine.triple}",
            notes=["they need Linux, macOS or Windows, or a WebAssembly engine with tail calls"],
            help=(
                "choose one of these machines, or specify all sizes and avoid If, Loop, Scan and "
                "recurrent layers: relay.compile(model, target=…, shapes={…})"
            ),
        )
