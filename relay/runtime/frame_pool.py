"""The memory of running calls (call frames), and a pool that reuses it."""

import ctypes
import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np

from relay.runtime.aligned_memory import ALIGNMENT, address, aligned_empty, allocate, scratch
from relay.runtime.arguments import Array
from relay.runtime.call_boundary.call_layout import CallLayout
from relay.runtime.dynamic_shapes import OpenResult
from relay.runtime.interrupts import connect_kernels, handling_signals
from relay.runtime.program import FaultRecord, Program, read_fault
from relay.support.worker_thread import on_finalize

_BYTES = np.dtype(np.uint8)

HEAD = 4096
"""The size of an arena's head, where a program records memory to free: zero means none."""


KEPT_BYTES = 256 << 20
"""The largest part of its heap that a program keeps between calls."""


class CallMemory:
    """The memory of one call, except for inputs and outputs; simultaneous calls do not share it.

    `forget` is the program's function that frees the heap that the frame keeps between calls.
    """

    def __init__(
        self, program: Program, threads: int, forget: Callable[[int], int] | None = None
    ) -> None:
        scratch_bytes = program.workspace_bytes + threads * program.worker_bytes
        self._blocks = aligned_empty((program.arena_bytes,), _BYTES), scratch(scratch_bytes)
        self.arena, self.workspace = map(address, self._blocks)
        ctypes.memset(self.arena, 0, min(program.arena_bytes, HEAD))
        self.stop = 0
        if program.stop is not None:
            self.stop = self.arena + program.stop
            ctypes.memset(self.stop, 0, ALIGNMENT)
            if forget is not None:
                ctypes.c_int64.from_address(self.stop + 8).value = KEPT_BYTES
                on_finalize(self, functools.partial(_forget, forget, self.arena, self._blocks))
        signature = program.signature
        self.sizes = (ctypes.c_int64 * max(1, sum(len(s.open_axes) for s in signature.inputs)))()
        self.inputs = (ctypes.c_size_t * (len(signature.inputs) + 1))()
        self.inputs[-1] = ctypes.addressof(self.sizes)  # the address of the sizes
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
        self._outputs = signature.outputs
        self._staged: dict[int, Array] = {}
        self.call = 0
        """The address of what native code needs to make the call, see `prepare`."""

    def prepare(self, plan: CallLayout) -> int:
        """Create the memory that native code needs to make calls, and return its address."""
        self._call = plan.memory(self.arena, self.workspace, self.stop), plan
        self.call = address(self._call[0])
        return self.call

    def staged(self, index: int) -> Array:
        """Return the array in which a result is kept until it is copied to a donated input.

        It is used again by later calls, for which new memory would cost the time of page faults.
        """
        if index not in self._staged:
            spec = self._outputs[index]
            self._staged[index], self.outputs[index] = allocate(spec.static_shape, spec.dtype.numpy)
        return self._staged[index]

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """Allow signals to interrupt kernels that Python calls in a `with` block.

        This is for the main thread, and for programs that are interruptible.
        """
        if not self.stop:
            yield
            return
        with handling_signals(self.stop):
            connect_kernels(self.stop, self.workspace, self._blocks[1].nbytes)
            yield

    @property
    def report(self) -> FaultRecord | None:
        """Return a kernel's fault record in the workspace; None if that has no room for one."""
        return read_fault(self.workspace, self._blocks[1].nbytes)


def _forget(forget: Callable[[int], int], arena: int, blocks: object) -> None:
    """Free, by calling `forget`, the heap whose state is in an arena that `blocks` keeps alive."""
    forget(arena)
    del blocks


class FramePool:
    """A pool of the call frames of one program.

    It keeps as many frames as calls have ever overlapped, up to `limit`, so that a burst of
    simultaneous calls does not keep its memory forever.
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
        """Return a free or new frame; the caller must return it with `give`."""
        try:
            return self._free.pop()  # atomic with respect to other threads
        except IndexError:
            return CallMemory(self._program, self._threads, self._forget)

    def give(self, frame: CallMemory) -> None:
        """Return a frame to the pool."""
        if len(self._free) < self._limit:
            self._free.append(frame)
