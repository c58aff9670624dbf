"""Deep recursion, continued in threads with fresh stacks."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def on_a_new_stack(function: Callable[[], T]) -> T:
    """Return a function's result, or raise its exception, computed on a fresh stack.

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
