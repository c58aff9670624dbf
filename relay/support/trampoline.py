"""Recursion that does not use the machine stack: functions that `yield` their recursive calls.

A *task* is a generator. It yields another task, is resumed with that task's result, and returns its
own result. `run` keeps suspended tasks in a list, so the depth is bounded only by memory, and code
that traverses nested programs looks like ordinary recursion:

>>> def depth(tree):
...     depths = []
...     for each in tree:
...         depths.append((yield depth(each)))
...     return 1 + max(depths, default=0)
>>> run(depth([[], [[]]]))
3
"""

from collections.abc import Generator
from typing import Any, TypeAlias
from typing import TypeVar as GenericVar

T = GenericVar("T")

Task: TypeAlias = Generator["Task[Any]", Any, T]
"""A computation with result `T` that may wait for other tasks."""


def run(task: Task[T]) -> T:
    """Run a task, a generator that yields recursive calls as tasks, and return its result.

    An exception propagates through the tasks that wait for it.
    """
    waiting: list[Task[Any]] = [task]
    result: Any = None
    failure: BaseException | None = None
    while waiting:
        try:
            top = waiting[-1]
            called = top.send(result) if failure is None else top.throw(failure)
        except StopIteration as stop:
            waiting.pop()
            result, failure = stop.value, None
        except BaseException as error:  # noqa: BLE001 - handed to the caller, or raised below
            waiting.pop()
            result, failure = None, error
        else:
            waiting.append(called)
            result, failure = None, None
    if failure is not None:
        raise failure
    return result
