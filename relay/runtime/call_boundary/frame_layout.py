"""Lay out the memory of a native call: the call record, the words after it, and pointers."""

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from relay.runtime.call_boundary.structures import CallRecord, SlotRecord

_SLOTS = 128  # a power of two
_PENDING_BYTES, _HELD_BYTES, _BLOCKS_BYTES = 1536, 2048, 8192


class FrameLayout:
    """An allocator of 8-byte words after the call record; `copy` creates the memory."""

    def __init__(self) -> None:
        self._record: Any = CallRecord()
        self._pointers: list[tuple[int, int]] = []
        self.taken = ctypes.sizeof(CallRecord)
        """The offset of the next word."""

    def words(self, count: int) -> list[int]:
        """Reserve `count` words, and return their byte offsets."""
        begin = self.taken
        self.taken += 8 * count
        return list(range(begin, self.taken, 8))

    def table(self, name: str, count: int) -> list[int]:
        """Reserve `count` words, and let the field `name` of the call record point to them."""
        self.point(_offset(CallRecord, name), self.taken)
        return self.words(count)

    def point(self, place: int, to: int) -> None:
        """Record that the word at offset `place` holds the address of the word at offset `to`."""
        self._pointers.append((place, to))

    def reserve_buffers(self) -> None:
        """Reserve the initial buffers for traversing lists, trees and other data in a call."""
        for name, room in (("pending", _PENDING_BYTES), ("held", _HELD_BYTES)):
            vector = getattr(self._record, name)
            vector.room = vector.first_room = room
            self._reserve_buffer(name, ("bytes", "first"), room)
        self._record.places.mask = self._record.places.first_mask = _SLOTS - 1
        self._reserve_buffer("places", ("slots", "first"), _SLOTS * ctypes.sizeof(SlotRecord))
        self._reserve_buffer("blocks", ("next", "first"), _BLOCKS_BYTES)
        self._reserve_buffer("blocks", ("end", "first_end"), 0)

    def _reserve_buffer(self, part: str, fields: tuple[str, ...], nbytes: int) -> None:
        """Reserve `nbytes`, and let `fields` of the call record's structure `part` point there."""
        kind = getattr(self._record, part).__class__
        for field in fields:
            within = _offset(kind, field)
            self.point(_offset(CallRecord, part) + within, self.taken)
        self.words(nbytes // 8)

    def copy(self) -> npt.NDArray[np.int64]:
        """Return new memory with this layout, in the state before a call."""
        memory = np.zeros(self.taken // 8, np.int64)
        head = np.frombuffer(bytes(self._record), np.int64)
        memory[: head.size] = head
        base = memory.ctypes.data
        for place, to in self._pointers:
            memory[place // 8] = base + to
        return memory


def _offset(of: type[Any], field: str) -> int:
    """Return the byte offset of a field of a structure."""
    found: Any = getattr(of, field)
    return found.offset
