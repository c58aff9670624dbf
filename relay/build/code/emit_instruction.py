"""LLVM text of instructions: the modules `emit_*` register a function for each class of them."""

from functools import singledispatch

from relay.build.code.llvm_function_writer import FunctionWriter
from relay.runtime.code.instructions import Instruction


@singledispatch
def emit(instruction: Instruction, to: FunctionWriter) -> None:
    """Write the LLVM code of an instruction."""
    raise AssertionError(f"no native form of {instruction!r} in {to.function.name}")
