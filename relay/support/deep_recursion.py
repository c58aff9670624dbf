"""Support of deep recursion: calling a function in a new thread, which has a fresh stack."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def on_a_new_stack(function: Callable[[], T]) -> T:
    """Call `function` on a fresh stack, and return its result or raise its exception.

    The function runs in a new thread, in a copy of this thread's context; this thread waits for it.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001 - raised again, where the caller waits
            errors.append(error)

    thread = Thread(target=copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
