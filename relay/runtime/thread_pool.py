"""The thread pool of the process, native code (`c/pool.c`) that kernels call.

A *parallel loop* has independent iterations and is divided into chunks that depend only on the
loop, so its result is the same for any number of threads. Loops of several callers share the idle
workers. Idle workers spin for a bounded time, then sleep.
"""

import ctypes
import functools
import threading

import numpy as np

from relay.runtime.host_compilation import runtime_part
from relay.support.cpu_count import available_cpus
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.linking import linked
from relay.support.posix import after_fork

CAPACITY = 256
"""The most threads that one loop can use: `RELAY_CAPACITY` of `c/relay.h`."""


class Pool:
    """The native thread pool; each process has one, which `pool()` returns."""

    def __init__(self) -> None:
        symbols = [f"relay_pool_{name}" for name in ("run", "reset", "started", "cpus", "now")]
        self._library = linked("pool", [runtime_part("pool")], symbols)
        self.run_address: int = self._library["relay_pool_run"]
        self.clock_address: int = self._library["relay_pool_now"]
        self._started = ctypes.CFUNCTYPE(ctypes.c_int64)(self._library["relay_pool_started"])
        self.cpus = available_cpus()
        ctypes.c_int64.from_address(self._library["relay_pool_cpus"]).value = self.cpus
        after_fork(ctypes.CFUNCTYPE(None)(self._library["relay_pool_reset"]))

    @property
    def started(self) -> int:
        """Return the number of running threads, including the caller; they start on demand."""
        return self._started()

    def threads(self, asked: int | None) -> int:
        """Return the number of threads for a request; None means one per CPU.

        Raises `R013` unless `asked` is between 1 and `CAPACITY`.
        """
        if asked is None:
            return min(self.cpus, CAPACITY)
        is_number = isinstance(asked, int | np.integer)  # pyright: ignore[reportUnnecessaryIsInstance] - users err
        if not is_number or not 1 <= asked <= CAPACITY:
            raise RunError(
                ErrorCode.R013,
                f"the number of threads must be from 1 to {CAPACITY}, not {asked!r}",
                help="pass a number in that range, or None for one thread per CPU",
            )
        return int(asked)


_lock = threading.Lock()


def pool() -> Pool:
    """Return the thread pool of this process; the first call creates it."""
    with _lock:
        return _only_pool()


@functools.cache
def _only_pool() -> Pool:
    return Pool()
