"""The memory of one running call, and the free list from which it is taken."""

import ctypes
import functools
from collections.abc import Callable

import numpy as np

from relay.runtime.call_boundary.call_layout import CallLayout
from relay.runtime.memory import ALIGNMENT, address, aligned_empty
from relay.runtime.open_shapes import OpenResult
from relay.runtime.program import Outside, Program, read_report
from relay.support.worker_thread import when_gone

_BYTES = np.dtype(np.uint8)

HEAD = 4096
"""The first bytes of an arena, where a program notes what it has to give back: zero for nothing."""


KEPT_BYTES = 256 << 20
"""How much of its heap a program may keep from call to call."""


class CallMemory:
    """What one call needs beside its inputs and outputs; never used by two calls at once.

    `forget` is the program's function that gives back what its heap keeps in the frame.
    """

    def __init__(
        self, program: Program, threads: int, forget: Callable[[int], int] | None = None
    ) -> None:
        scratch = program.workspace_bytes + threads * program.worker_bytes
        self._blocks = (
            aligned_empty((program.arena_bytes,), _BYTES),
            aligned_empty((scratch,), _BYTES),
        )
        self.arena, self.workspace = map(address, self._blocks)
        ctypes.memset(self.arena, 0, min(program.arena_bytes, HEAD))
        self.stop = 0
        if program.stop is not None:
            self.stop = self.arena + program.stop
            ctypes.memset(self.stop, 0, ALIGNMENT)
            if forget is not None:
                ctypes.c_int64.from_address(self.stop + 8).value = KEPT_BYTES
                when_gone(self, functools.partial(_forget, forget, self.arena, self._blocks))
        signature = program.signature
        self.sizes = (ctypes.c_int64 * max(1, sum(len(s.open_axes) for s in signature.inputs)))()
        self.inputs = (ctypes.c_size_t * (len(signature.inputs) + 1))()
        self.inputs[-1] = ctypes.addressof(self.sizes)  # behind the inputs: what sizes they have
        self.outputs = (ctypes.c_size_t * max(1, len(signature.outputs)))()
        self.input_table = ctypes.addressof(self.inputs)
        self.output_table = ctypes.addressof(self.outputs)
        self.words = {
            index: OpenResult(spec).words()
            for index, spec in enumerate(signature.outputs)
            if not spec.is_static
        }
        for index, words in self.words.items():
            self.outputs[index] = ctypes.addressof(words)
        self.call = 0
        """The address of what native code needs to make the call, see `prepare`."""

    def prepare(self, plan: CallLayout) -> int:
        """Make the memory that native code wants of a call, and return its address."""
        self._call = plan.memory(self.arena, self.workspace, self.stop), plan
        self.call = address(self._call[0])
        return self.call

    @property
    def report(self) -> Outside | None:
        """Return what kernels left in the scratch memory, if there is room for it."""
        return read_report(self.workspace, self._blocks[1].nbytes)


def _forget(forget: Callable[[int], int], arena: int, blocks: object) -> None:
    """Give back what is noted in an arena, whose memory lives as long as this call's arguments."""
    forget(arena)
    del blocks


class FramePool:
    """Frames of one program: taken for a call, put back after it.

    As many are kept as calls have ever overlapped, but at most `limit`: memory that a burst of
    callers needed is not held forever, and more calls than CPUs gain nothing.
    """

    def __init__(
        self,
        program: Program,
        threads: int,
        limit: int,
        forget: Callable[[int], int] | None = None,
    ) -> None:
        self._program = program
        self._threads = threads
        self._limit = limit
        self._forget = forget
        self._free: list[CallMemory] = []

    def take(self) -> CallMemory:
        """Lend a frame; it is the caller's until it is given back."""
        try:
            return self._free.pop()  # one step that other threads cannot come between
        except IndexError:
            return CallMemory(self._program, self._threads, self._forget)

    def give(self, frame: CallMemory) -> None:
        """Take a frame back."""
        if len(self._free) < self._limit:
            self._free.append(frame)
