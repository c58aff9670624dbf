"""Handle signals while a program runs, so that Ctrl-C interrupts it.

Python's own signal handler only records a signal until native code returns, which may take hours.
In the main thread, which handles signals, a program therefore periodically lets Python check for
them (see `c/interrupt.c`). An exception that a handler raises stops the program, and is raised by
the call.
"""

import ctypes
import functools
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from relay.runtime.host_compilation import runtime_part
from relay.runtime.stop_request_layout import LOOK_OFFSET
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.kernel_error_record import connect_record
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
    """Return an interruptible entry function, which takes the control block as last argument.

    In a thread other than the main one, it cannot be interrupted.
    """
    address = address_of(entry)
    guarded = _signal_handling().guarded
    main = threading.main_thread

    def call(*given: int) -> int:
        if threading.get_ident() == main().ident:
            return guarded(address, *given)
        return entry(*given[:-1])

    return call


def connect_kernels(control: int, workspace: int, nbytes: int) -> None:
    """Let kernels with a workspace of so many bytes poll the control block at address `control`."""
    look = ctypes.c_size_t.from_address(control + LOOK_OFFSET).value
    connect_record(workspace, nbytes, control, look)


@contextmanager
def handling_signals(control: int) -> Generator[None]:
    """Run signal handlers while kernels run in a `with` block, in the main thread.

    The kernels must poll the control block at address `control` (`connect_kernels`). An exception
    of a handler stops the kernel; an exception after the last kernel is raised at the end of the
    block.
    """
    if threading.get_ident() != threading.main_thread().ident:
        yield
        return
    watching = _signal_handling()
    outer = watching.watch(control)
    try:
        yield
    finally:
        stopped = watching.unwatch(control, outer)
    if stopped:
        raise raised()


def guard_address() -> int:
    """Return the address of the native function that calls an entry interruptibly.

    It is defined in `c/interrupt.c`.
    """
    return address_of(_signal_handling().guarded)


def raised() -> BaseException:
    """Return the exception with which a signal handler stopped a program, and forget it.

    If no handler raised an exception, a handler forked this process, and the child process lacks
    the program's threads: the result is the error `R055`.
    """
    return _signal_handling().raised()


def address_of(function: Any) -> int:
    """Return the address of a native function."""
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None, "functions have addresses"
    return found


class _SignalHandling:
    """The linked native code for interrupts, and the exception that it stores for Python."""

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
        """Return the stored exception and release the native code's reference to it."""
        place = self._library["relay_raised"]
        if ctypes.c_size_t.from_address(place).value == 0:
            return RunError(
                ErrorCode.R055,
                "a signal handler called os.fork while a program ran on several threads",
                help="start other processes with os.posix_spawn in the signal handler",
            )
        found: BaseException = ctypes.py_object.from_address(place).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(found))
        ctypes.c_size_t.from_address(place).value = 0
        return found


@functools.cache
def _signal_handling() -> _SignalHandling:
    return _SignalHandling()
