"""A worker thread in which LLVM is called, so that signal handlers do not interrupt it.

Python runs signal handlers between any two steps of the main thread. An exception of a handler that
is raised while an object is finalised is lost, so the program continues after Ctrl-C, and memory
that llvmlite was freeing at that moment is freed twice.
"""

import atexit
import functools
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from relay.support.posix import after_fork

_P = ParamSpec("_P")
_T = TypeVar("_T")


def in_worker_thread(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Wrap `function` so that calls from the main thread run in the worker thread.

    Signal handlers run in the main thread. If a handler raises an exception during a call, the
    worker still finishes the call, and its result is discarded.

    >>> in_worker_thread(lambda x: threading.current_thread() is threading.main_thread())(1)
    False
    """

    @functools.wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _T:
        if threading.current_thread() is not threading.main_thread():
            return function(*args, **named)
        return _aside().run(functools.partial(function, *args, **named))

    return call


def result_or_error(work: Callable[[], _T]) -> _T | Exception:
    """Call `work` in the worker thread and return its result, or the exception that it raises.

    Outside of the main thread, `work` is called directly. If a signal handler raises an exception
    in the meantime, that exception is raised instead.

    >>> result_or_error(lambda: 1 // 0)
    ZeroDivisionError('integer division or modulo by zero')
    """

    def caught() -> _T | Exception:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller's
            return error

    return in_worker_thread(copy_context().run)(caught)


def on_finalize(thing: object, action: Callable[[], object]) -> None:
    """Call `action` in the worker thread when `thing` is finalised, unless the process exits."""
    _aside().on_finalize(thing, action)


class _WorkerThread:
    """The thread in which LLVM is called, and its queue of calls.

    Weak references to finalised objects are put into the queue, too; each triggers its action.
    """

    def __init__(self) -> None:
        self._work = SimpleQueue[Any]()
        self._actions: dict[int, tuple[weakref.ref[object], Callable[[], object]]] = {}
        self._open = True
        self._thread = threading.Thread(target=self._serve, name="relay-aside", daemon=True)
        self._thread.start()
        atexit.register(self._close)

    def run(self, work: Callable[[], _T]) -> _T:
        if not self._open:
            return work()
        result = Future[_T]()
        self._work.put(functools.partial(_fulfil, result, work))
        return result.result()

    def on_finalize(self, thing: object, action: Callable[[], object]) -> None:
        reference = weakref.ref(
            thing, self._work.put
        )  # a C function, which no signal can interrupt
        self._actions[id(reference)] = reference, action

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            if isinstance(work, weakref.ref):
                _, work = self._actions.pop(id(work))  # pyright: ignore[reportUnknownArgumentType]
            with suppress(Exception):  # errors cannot be reported here
                work()
            del work

    def _close(self) -> None:
        self._open = False
        self._work.put(None)
        self._thread.join()


def _fulfil(result: Future[_T], work: Callable[[], _T]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whatever it is, the caller's
        result.set_exception(error)


@functools.cache
def _aside() -> _WorkerThread:
    return _WorkerThread()


after_fork(_aside.cache_clear)
