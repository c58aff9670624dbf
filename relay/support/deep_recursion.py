"""Deep recursion, continued in threads with stacks of their own."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def on_a_new_stack(function: Callable[[], T]) -> T:
    """Return what a function returns, or raise what it raises, called at the start of a stack.

    It is called in a thread, for which this one waits, in a copy of the context of this one.
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
