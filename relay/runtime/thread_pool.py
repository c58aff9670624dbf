"""The thread pool of the process: native code that kernels call, built from `pool.ll`.

A *parallel loop* assigns each thread one contiguous part, which depends only on the counts, so a
loop with independent iterations has the same result for any number of threads. Idle workers spin
for a bounded time, then sleep. Nested and simultaneous loops run on the calling thread, as worker 0
of their own: a nested loop must not select workspace of the outer one by its worker number.
"""

import ctypes
import functools
import os
import sys
import threading
from importlib import resources
from string import Template

import llvmlite.binding as llvm

from relay.runtime.cpus import available_cpus
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.linking import linked
from relay.support.native import host
from relay.support.worker_thread import undisturbed

CAPACITY = 256
"""The most threads that one loop can use; each has a semaphore of 192 bytes."""

SPIN_NANOSECONDS = 50_000  # about the time of waking a thread, so spinning longer is useless

_PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}

SIG_SETMASK = 3 if sys.platform == "darwin" else 2
"""The value of `SIG_SETMASK`, which replaces the signal mask."""

MONOTONIC = 6 if sys.platform == "darwin" else 1
"""The number of the monotonic clock."""

_DOOR = """
@relay_threads = global i64 1
declare i32 @relay_pool_run(ptr, ptr, i64, i64)
define i32 @relay_parallel_for(ptr %body, ptr %closure, i64 %count) {
  %limit = load i64, ptr @relay_threads
  %status = tail call i32 @relay_pool_run(ptr %body, ptr %closure, i64 %count, i64 %limit)
  ret i32 %status
}
"""


class Pool:
    """The native pool; there is one in a process, returned by `pool()`."""

    def __init__(self) -> None:
        code = compile_for_host(_pool_text())  # first, because it initialises LLVM
        symbols = ("relay_pool_run", "relay_pool_reset", "relay_pool_started")
        self._library = linked("pool", [code], symbols)
        self.run_address: int = self._library["relay_pool_run"]
        reset = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._library["relay_pool_reset"])
        self._started = ctypes.CFUNCTYPE(ctypes.c_int64)(self._library["relay_pool_started"])
        self.cpus = available_cpus()
        reset(self.cpus)
        os.register_at_fork(after_in_child=functools.partial(reset, self.cpus))

    @property
    def started(self) -> int:
        """Return the number of existing threads with the caller; they start when first needed."""
        return self._started()

    def threads(self, asked: int | None) -> int:
        """Return the number of threads for a request; None means one for each CPU.

        Raises `R013` unless `asked` is between 1 and `CAPACITY`.
        """
        if asked is None:
            return min(self.cpus, CAPACITY)
        is_number = isinstance(asked, int)  # pyright: ignore[reportUnnecessaryIsInstance] - users err
        if not is_number or not 1 <= asked <= CAPACITY:
            raise RunError(
                ErrorCode.R013,
                f"cannot run with {asked!r} threads",
                help=f"use a number from 1 to {CAPACITY}, or None for one per CPU",
            )
        return asked


_lock = threading.Lock()


def pool() -> Pool:
    """Return the pool of this process; the first call creates it, in a few milliseconds."""
    with _lock:
        return _only_pool()


@functools.cache
def _only_pool() -> Pool:
    return Pool()


@functools.cache
def door() -> bytes:
    """Return an object file that defines `relay_parallel_for` with its own thread limit.

    Each loaded program links a copy, so that two programs can have different thread limits: the
    limit is the 64-bit global `relay_threads`.
    """
    return compile_for_host(_DOOR)


@undisturbed
def compile_for_host(text: str, level: int = 0) -> bytes:
    """Compile LLVM IR to an object file for this machine, at an optimization level."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), opt=level, reloc="pic", codemodel="default"
    )
    return machine.emit_object(module)


def _pool_text() -> str:
    architecture = host()[0].split("-")[0]
    declare_pause, call_pause = _PAUSES.get(architecture, ("", ""))
    return Template((resources.files("relay.runtime") / "pool.ll").read_text()).substitute(
        capacity=CAPACITY,
        spin_ns=SPIN_NANOSECONDS,
        clock=MONOTONIC,
        sig_setmask=SIG_SETMASK,
        declare_pause=declare_pause,
        call_pause=call_pause,
    )
