"""A limit on the time and memory of a block of Python code, such as a pass that never ends.

A second thread watches the block and raises an exception in the thread that runs it. The exception
is raised between two steps of Python code: a call of native code returns first.
"""

import ctypes
import threading
import time
from contextlib import AbstractContextManager, nullcontext

from relay.support.posix import peak_memory, physical_memory

INTERVAL = 0.1
"""The seconds between two looks at the memory."""

PATIENCE = 1.0
"""The seconds after which the exception is raised again, if the block has lost it."""


class LimitError(Exception):
    """Raised if a block exceeds its limit; the message is a clause that says which."""


class _Stop(BaseException):
    """The base class of exceptions that stop a block, which must not handle them as errors."""


def limited(seconds: float | None) -> AbstractContextManager[None]:
    """Raise `LimitError` if a `with` block exceeds `seconds`, or half of the machine's memory.

    None stands for no limit.

    >>> with limited(0.01):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    relay.support.time_limit.LimitError: it takes more than 0.01 s
    """
    return nullcontext() if seconds is None else _Limit(seconds)


class _Limit(AbstractContextManager[None]):
    """A block with a limit. The error keeps no frames of the block: they may fill the memory."""

    def __init__(self, seconds: float) -> None:
        self._watch = _Watch(seconds)

    def __enter__(self) -> None:
        try:
            self._watch.start()
        except self._watch.stop:
            self._watch.close()
            raise LimitError(self._watch.reason) from None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            self._watch.close()
        except self._watch.stop as stop:
            self._watch.close()
            error = error or stop
        reason = self._reason(error)
        if error is not None and reason:
            error.__traceback__ = error.__context__ = None
            del error, traceback
            raise LimitError(reason) from None

    def _reason(self, error: BaseException | None) -> str:
        """Return the limit that the block exceeded, if its exception says that it did."""
        if isinstance(error, MemoryError):
            return "it takes more memory than there is"
        return self._watch.reason if isinstance(error, self._watch.stop) else ""


class _Watch(threading.Thread):
    """A thread that watches the time and the memory of the thread that creates it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self.stop = type("Stop", (_Stop,), {})
        self.reason = ""
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._memory = physical_memory() // 2
        self._before = peak_memory()
        self._watched = threading.get_ident()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._has_sent = False

    def run(self) -> None:
        """Raise the exception in the watched thread when the limit is exceeded, until closed."""
        while not self._closed.wait(max(0.0, min(INTERVAL, self._end - time.monotonic()))):
            self.reason = self.reason or self._exceeded()
            if self.reason:
                with self._lock:
                    if not self._closed.is_set():
                        self._has_sent = True
                        _send(self._watched, self.stop)
                self._end = time.monotonic() + PATIENCE
                self._closed.wait(PATIENCE)

    def close(self) -> None:
        """End the watch, and forget an exception that was sent but is not raised yet."""
        with self._lock:
            self._closed.set()
        if self._has_sent:
            _forget(self._watched)

    def _exceeded(self) -> str:
        """Return which limit is exceeded, as a clause, or an empty string."""
        if time.monotonic() >= self._end:
            return f"it takes more than {self._seconds:g} s"
        if self._memory and peak_memory() - self._before > self._memory:
            return f"it takes more than {self._memory / 2**30:.1f} GiB of memory"
        return ""


def _send(thread: int, exception: type[BaseException]) -> None:
    """Let a thread raise an exception soon, instead of another one that it has not raised yet."""
    sent = ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)


class _Forgotten(BaseException):
    """The exception that replaces one that was sent and has not been raised."""


def _forget(thread: int) -> None:
    """Forget an exception that was sent to this thread.

    Another one replaces it and is raised here: Python 3.11 remembers that one is pending until it
    raises one, and profilers then make no progress.
    """
    try:
        _send(thread, _Forgotten)
        while True:
            pass
    except _Forgotten:
        pass
