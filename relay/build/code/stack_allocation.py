"""Allocates tensors that do not escape a call in the stack frame of its function."""

from relay.runtime.code.function import CodeFunction
from relay.runtime.code.instructions import RunKernel, Update
from relay.runtime.code.register_kinds import Tensor
from relay.support.node import replace

FRAME_BYTES = 2048
"""The maximum number of bytes in a frame: deeply recursive functions have many frames."""


def place_in_frame(function: CodeFunction) -> CodeFunction:
    """Place small tensors that only kernels read and write in the function's frame."""
    written: set[int] = set()
    seen: set[int] = set(range(function.parameters))
    for block in function.blocks:
        for instruction in (*block.body, block.end):
            match instruction:
                case RunKernel():
                    written.update(instruction.outputs)
                case Update():
                    seen.update((instruction.target, instruction.to))
                case _:
                    seen.update(instruction.borrows, instruction.consumes, instruction.writes)
    room = FRAME_BYTES
    frame: set[int] = set()
    for register in sorted(written - seen):
        kind = function.kinds[register]
        if isinstance(kind, Tensor) and not kind.carried and kind.nbytes <= room:
            room -= kind.nbytes
            frame.add(register)
    return replace(function, frame=frozenset(frame))
