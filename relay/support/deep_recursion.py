"""Support of deep recursion: calling a function in a new thread, which has a fresh stack."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def on_a_new_stack(function: Callable[[], T]) -> T:
    """Call `function` in a new thread, which has a fresh stack; return its result.

    It runs in a copy of this thread's context, while this thread waits; its exception is raised
    here.
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
