"""The memory of running calls (call frames), and a pool that reuses it."""

import ctypes
import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from relay.runtime.aligned_memory import ALIGNMENT, address, aligned_empty, allocate, scratch
from relay.runtime.arguments import Array
from relay.runtime.call_boundary.call_layout import CallLayout, Slot
from relay.runtime.call_boundary.structures import CallRecord
from relay.runtime.code.interface_types import TensorField
from relay.runtime.interruptible_copies import copy_bytes
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

    `words` has the parts that `layout` describes. Native code fills it in for its calls, and
    `enter`, `make` and `left` do for those that Python makes. `forget` is the program's function
    that frees the heap that the frame keeps between calls.
    """

    def __init__(
        self,
        program: Program,
        layout: CallLayout,
        threads: int,
        forget: Callable[[int], int] | None = None,
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
        self.words = layout.memory(self.arena, self.workspace, self.stop)
        self.call = address(self.words)
        """The address of the words."""
        record = CallRecord.from_address(self.call)
        self.input_table, self.output_table = record.inputs, record.outputs
        self._layout = layout
        self._staged: dict[int, Array] = {}

    def enter(self, slot: Slot, array: Array) -> None:
        """Store an argument: the address and dynamic sizes of a tensor, or the bits of a word."""
        if slot.word:
            ctypes.memmove(self.call + slot.word, address(array), array.nbytes)
            return
        self.words[slot.entry // 8] = address(array)
        for place, axis in zip(slot.sizes, slot.open_axes, strict=True):
            self.words[place // 8] = array.shape[axis]

    def make(self, slot: Slot) -> Array:
        """Return a new array for a result of static size, to which the program will write it."""
        array, self.words[slot.entry // 8] = allocate(slot.shape(()), slot.dtype)
        return array

    def left(self, slot: Slot) -> Any:
        """Return a result in the program's memory: a copied tensor, or the word of a value."""
        word = int(self.words[slot.word // 8])
        if not isinstance(slot.field, TensorField):
            return word
        sizes = [int(self.words[place // 8]) for place in slot.sizes]
        array, place = allocate(slot.shape(sizes), slot.dtype)
        copy_bytes(place, word, array.nbytes)
        return array

    def staged(self, index: int) -> Array:
        """Return the array in which a result is kept until it is copied to a donated input.

        It is used again by later calls, for which new memory would cost the time of page faults.
        """
        if index not in self._staged:
            self._staged[index] = self.make(self._layout.results[index])
        return self._staged[index]

    def base(self, slot: Slot) -> int:
        """Return the address of an argument's or a result's elements."""
        return int(self.words[slot.entry // 8])

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
        layout: CallLayout,
        threads: int,
        limit: int,
        forget: Callable[[int], int] | None = None,
    ) -> None:
        self._program = program
        self._layout = layout
        self._threads = threads
        self._limit = limit
        self._forget = forget
        self._free: list[CallMemory] = []

    def take(self) -> CallMemory:
        """Return a free or new frame; the caller must return it with `give`."""
        try:
            return self._free.pop()  # atomic with respect to other threads
        except IndexError:
            return CallMemory(self._program, self._layout, self._threads, self._forget)

    def give(self, frame: CallMemory) -> None:
        """Return a frame to the pool."""
        if len(self._free) < self._limit:
            self._free.append(frame)
