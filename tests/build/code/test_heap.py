"""What a program keeps of its memory from call to call."""

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import relay
from relay.runtime.frame_pool import KEPT_BYTES, CallMemory
from relay.runtime.native_executable import NativeExecutable
from relay.support.worker_thread import in_worker_thread

LIST = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @count(%n: int32, %l: List[int32]) -> List[int32] {
  if (less(%n, 1)) { %l } else { @count(%n - 1, Cons(%n, %l)) }
}
def @sum(%l: List[int32], %s: int32) -> int32 {
  match (%l) { Cons(%h, %t) => @sum(%t, %s + %h), Nil => %s }
}
def @main(%n: int32) -> int32 { @sum(@count(%n, Nil), 0) }
"""


def compiled() -> NativeExecutable:
    return cast("NativeExecutable", relay.compile(relay.parse(LIST), threads=1))


def kept(frame: CallMemory) -> int:
    """Return the bytes of chunks that wait for the next call: the third word of the line."""
    return ctypes.c_int64.from_address(frame.stop + 16).value


def test_a_call_takes_the_memory_that_the_one_before_left():
    executable = compiled()
    sizes: list[int] = []
    for n in (300_000, 300_000, 1000, 300_000):
        assert executable(np.int32(n)) == np.int32(n * (n + 1) // 2 & 0xFFFFFFFF)
        (frame,) = executable._frames._free
        sizes.append(kept(frame))
    assert sizes[0] >= 300_000 * 64 - (1 << 20)
    assert sizes == sizes[:1] * 4


def test_more_than_a_limit_goes_back():
    executable = compiled()
    n = 2 * KEPT_BYTES // 64
    executable(np.int32(n))
    (frame,) = executable._frames._free
    assert 0 < kept(frame) <= KEPT_BYTES


def test_what_is_kept_goes_back_with_its_frame():
    executable = compiled()
    executable(np.int32(100_000))
    frame = executable._frames._free.pop()
    stop, blocks = frame.stop, frame._blocks
    assert ctypes.c_int64.from_address(stop + 16).value > 0
    del frame
    in_worker_thread(lambda: None)()  # what is to be done before is done
    assert ctypes.c_int64.from_address(stop + 16).value == 0
    del blocks


def segments(frame: CallMemory) -> Iterator[tuple[int, int]]:
    """Yield the addresses and bytes of the segments that a frame keeps."""
    segment = ctypes.c_int64.from_address(frame.stop + 24).value
    while segment:
        following, nbytes = (ctypes.c_int64 * 2).from_address(segment)
        yield segment, nbytes
        segment = following


def flags(address: int) -> list[str]:
    """Return what the system says of the memory at an address."""
    is_there = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        head, _, rest = line.partition(" ")
        if head == "VmFlags:" and is_there:
            return rest.split()
        begin, dash, end = head.partition("-")
        if dash:
            is_there = int(begin, 16) <= address < int(end, 16)
    return []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux is asked for large pages")
def test_large_segments_are_in_large_pages():
    executable = compiled()
    executable(np.int32(300_000))
    (frame,) = executable._frames._free
    large = [at for at, nbytes in segments(frame) if nbytes >= 4 << 20]
    assert large
    assert all("hg" in flags(at + (1 << 20)) for at in large)
