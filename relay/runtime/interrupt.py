"""Interrupts: signals are handled while a program runs, and Ctrl-C stops it.

Python's own signal handler only records a signal until native code returns, which may take hours.
So in the main thread, which handles signals, a program periodically lets Python check for them (see
`c/interrupt.c`). An exception that a handler raises stops the program, and is raised from the call.
"""

import ctypes
import functools
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from relay.runtime.host_code import runtime_part
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.linking import linked
from relay.support.posix import after_fork

_GUARDED = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 7)

_WATCH = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_size_t)
_UNWATCH = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t, ctypes.c_size_t)

_OF_PYTHON = (
    *("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch"),
    *("PyErr_NormalizeException", "PyException_SetTraceback", "Py_DecRef"),
)


def interruptible(entry: Callable[..., int]) -> Callable[..., int]:
    """Return an entry with one more argument: the address of the control block with its stop word.

    In a thread other than the main one, the entry is not interrupted.
    """
    address = address_of(entry)
    guarded = _watching().guarded
    main = threading.main_thread

    def call(*given: int) -> int:
        if threading.get_ident() == main().ident:
            return guarded(address, *given)
        return entry(*given[:-1])

    return call


@contextmanager
def watched(control: int) -> Generator[None]:
    """Let signal handlers run while kernels that poll a control block run, in the main thread.

    An exception of a handler stops the kernel; one that comes too late is raised at the end.
    """
    if threading.get_ident() != threading.main_thread().ident:
        yield
        return
    watching = _watching()
    outer = watching.watch(control)
    try:
        yield
    finally:
        stopped = watching.unwatch(control, outer)
    if stopped:
        raise raised()


def guard_address() -> int:
    """Return the address of the function that calls an entry interruptibly: see `c/interrupt.c`."""
    return address_of(_watching().guarded)


def raised() -> BaseException:
    """Return, once, the exception that a signal handler raised in a stopped program.

    Without one, the handler forked this process, in which threads of the program are missing: that
    is `R055`.
    """
    return _watching().raised()


def address_of(function: Any) -> int:
    """Return the address of a native function."""
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None, "functions have addresses"
    return found


class _Watching:
    """The linked native code, and the exception that it keeps for Python."""

    def __init__(self) -> None:
        code = runtime_part("interrupt")
        functions = {name: address_of(getattr(ctypes.pythonapi, name)) for name in _OF_PYTHON}
        symbols = ("guarded", "watch", "unwatch", "reset", "raised")
        self._library = linked(
            "interrupt", [code], [f"relay_{name}" for name in symbols], functions
        )
        self.guarded: Callable[..., int] = _GUARDED(self._library["relay_guarded"])
        self.watch: Callable[[int], int] = _WATCH(self._library["relay_watch"])
        self.unwatch: Callable[[int, int], int] = _UNWATCH(self._library["relay_unwatch"])
        reset = ctypes.CFUNCTYPE(None)(self._library["relay_reset"])
        reset()
        after_fork(reset)

    def raised(self) -> BaseException:
        """Take the kept exception, which has no other reference."""
        place = self._library["relay_raised"]
        if ctypes.c_size_t.from_address(place).value == 0:
            return RunError(
                ErrorCode.R055,
                "a signal handler forked this process while threads ran a loop of the call",
                help="fork in a handler only to run another program: os.posix_spawn",
            )
        found: BaseException = ctypes.py_object.from_address(place).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(found))
        ctypes.c_size_t.from_address(place).value = 0
        return found


@functools.cache
def _watching() -> _Watching:
    return _Watching()
