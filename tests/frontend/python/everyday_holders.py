"""Who holds what changes: objects, bound methods, `partial`, and Python's own stack of callers.

What stands here has the value that plain Python and NumPy give: see `test_everyday.py`.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportIndexIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportPossiblyUnboundVariable=false, reportOptionalMemberAccess=false
from collections import deque
from functools import partial

import numpy as np

from relay.frontend.python import Tensor, function, int32
from relay.frontend.python import float32 as f32
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)


class Holder:
    def __init__(self, items, other):
        self.items, self.other = items, other

    def flip(self, n):
        if n > 1:
            self.items = self.other
        return 1.0

    def renew(self, n):
        if n > 1:
            self.items = [n * 1.0, self.items[0]]
        return 1.0


class Slot:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def change_behind(n, holder):
    mine = holder.items
    holder.flip(n)
    mine[0] += 100.0
    return holder.items[0]


def change_own(n, holder):
    k = holder.renew(n)
    holder.items[0] += k
    return holder.items[0]


@on(1, normal(3))
@on(3, normal(3))
@function
def an_array_that_only_a_caller_has(n: int32, x: Tensor[3]):
    return change_behind(n, Holder(x * 1, x * 2))


@on(1, 0.5)
@on(3, 0.5)
@function
def lists_that_a_method_chooses(n: int32, x: f32):
    return change_own(n, Holder([x, x], [x * 2, x])) + change_own(n, Holder([x, 1.0], 0))


@on(1, 0.5)
@on(3, 0.5)
@function
def containers_of_the_library(n: int32, x: f32):
    queue, slot, out = deque([x, x]), Slot(x), [x]
    put = partial(out.__setitem__, 0)
    if n > 1:
        queue[0] = x + 5
        slot.value = x * 7
        put(x + 1)
    return queue[0] + slot.value, out


@on(2, 0.5)
@function
def assignments_go_from_left_to_right(n: int32, x: f32):
    holder, named = Holder([x, x + 1, x + 2], {"a": [x]}), {}
    holder.value = x
    holder.value += n
    holder.items[0] += 2.0
    holder.other["a"][0] *= 3.0
    holder.items[0], (holder.last, *named["rest"]) = holder.items[1], [x * 9, x, n]
    i, holder.items[1] = 2, x
    i, holder.items[i] = 1, x * 5
    holder.items[len(holder.items) - 1] = holder.items.pop(i) + 1
    del named["rest"][0], holder.last
    first = second = holder.items
    first[0] -= 1
    return holder.value, second, holder.other["a"], named["rest"][0]
