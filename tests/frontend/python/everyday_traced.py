"""Python that a trace follows by executing it: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import collections
import functools
import operator
from collections.abc import Callable

import numpy as np

import relay
from relay.frontend.python import Tensor, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)


class Plain:
    def __init__(self, x):
        self.v = x


@on(1.5)
@function
def dictionary(x: float32) -> float32:
    y = {"a": x}
    return y["a"]


@on(1.5)
@function
def returns_nothing(x: float32):
    y = x + 1


@on(normal(3))
@function
def changes_another_name(x: Tensor[3]) -> Tensor[3]:
    y = x * 2
    z = y
    z += 1
    return y


@on(normal(3, 2))
@function
def changes_a_row(x: Tensor[3, 2]) -> Tensor[3, 2]:
    y = x * 2
    row = y[0]
    for _ in range(3):
        row *= 2
    return y


@on(2)
@function
def untyped_return_in_loop(n: int32):
    for i in range(n):
        return i
    return n


@on(normal(3))
@function
def two_names_at_once(x: Tensor[3]) -> Tensor[3]:
    a = b = x * 2
    a += 1
    return b


@on(normal(3))
@function
def base_of_a_view(x: Tensor[3]) -> Tensor[3, 1]:
    y = x * 2
    z = y.reshape(3, 1)
    y[0] = 5
    return z


@on(normal(3))
@function
def sorts_in_place(x: Tensor[3]) -> Tensor[3]:
    y = x * 2
    y.sort()
    return y


@on(normal(3, 4))
@function
def swaps_rows(x: Tensor[3, 4]) -> Tensor[3, 4]:
    y = x.copy()
    y[0], y[1] = y[1], y[0]
    return y


@on(normal(4))
@function
def changes_what_it_walks(x: Tensor[4]) -> Tensor[4]:
    y = x * 2
    for i, v in enumerate(y):
        y[(i + 1) % 4] = v
    return y


@on(1.5)
@function
def late_capture(x: float32) -> float32:
    y = x

    def inner(z: float32) -> float32:
        return z + y

    y = x + 1
    return inner(x)


@on(normal(3), True)
@function
def chosen_reads_what_changed(x: Tensor[3], c: bool) -> Tensor[3]:
    y = x * 2
    f = (lambda: y) if c else (lambda: x)
    y = y + 1
    return f() + y


@on(1.5, True)
@function
def chosen_defs_read_what_changed(x: float32, c: bool) -> float32:
    y = x * 2
    def plus(a: float32) -> float32:
        return a + y
    def same(a: float32) -> float32:
        return a
    f = plus if c else same
    y = y + 1
    return f(x) + y


@on(normal(3))
@function
def append_around(x: Tensor[3]) -> int32:
    rows = [x]
    def more(row):
        rows.append(row)
        return 0
    return more(x) + len(rows)


@on(normal(3))
@function
def default_that_is_written(x: Tensor[3]) -> float32:
    y = x * 2
    f = lambda a=y: a[0]
    y[0] = 7
    return f()


@on(1.5)
@function
def held_reads_what_changed(x: float32) -> float32:
    y = x * 2
    held = (lambda a: a + y, 3)
    y = y + 1
    return held[0](x)


@on(1.5)
@function
def lambda_reads_what_comes(x: float32) -> float32:
    f = lambda a: a + k
    k = 2.0
    return f(x)


@on(2)
@function
def late_without_a_result(n: int32) -> bool:
    def even(n: int32):
        return True if n == 0 else odd(n - 1)
    def odd(n: int32) -> bool:
        return False if n == 0 else even(n - 1)
    return even(n)


@on(2)
@function
def late_in_one_branch(n: int32) -> int32:
    if n > 0:
        def f(m: int32) -> int32:
            return m + k
    else:
        def f(m: int32) -> int32:
            return m
    k = 2
    return f(n)


@on(normal(2))
@function
def gives_a_list_a_tensor(x: Tensor[2]) -> float32:
    a = [1.0, 2.0]
    a += x
    return sum(a)


@on(normal(4))
@function
def writes_to_a_list_in_a_loop(x: Tensor[4]) -> float32:
    d = [0.0] * 4
    for i in range(4):
        d[i] = x[i]
    return d[0]


@on(1.5)
@function
def assigns_inside(x: float32) -> float32:
    while (y := x * 0.5) > 1:
        x = y
    return x


@on(1.5)
@function
def writes_a_dictionary(x: float32) -> float32:
    found = {"a": x}
    return found["a"]


@on(1.5)
@function
def makes_a_deque(x: float32) -> float32:
    queue = collections.deque()
    return x


@on(1.5)
@function
def makes_an_object(x: float32) -> float32:
    return Plain(x).v


@on(normal(3))
@function
def folds(x: Tensor[3]) -> float32:
    return functools.reduce(lambda a, b: a + b, x)


@on(normal(3))
@function
def adds_by_name(x: Tensor[3]) -> Tensor[3]:
    return operator.add(x, 1)


@on(1.5)
@function
def takes_by_name(x: float32) -> float32:
    return getattr(x, "real")


@on(1.5)
@function
def removes(x: float32) -> float32:
    found = [x, 1.0]
    found.remove(x)
    return found[0]


@on(normal(3))
@function
def forgets_the_call(x: Tensor[3]) -> float32:
    return 1.0 if x.any else 2.0


@on(1.5)
@function
def deletes(x: float32) -> float32:
    y = x
    del y
    return x


@on(normal(3, 2), 2)
@function
def writes_to_a_row(x: Tensor[3, 2], i: int32) -> Tensor[3, 2]:
    y = x.copy()
    y[i][0] = 1
    return y


@on(normal(3, 2))
@function
def adds_to_some_rows(x: Tensor[3, 2]) -> Tensor[3, 2]:
    y = x.copy()
    y[:2][0] += 1
    return y


@on(1.5)
@function
def writes_into_a_list(x: float32) -> float32:
    rows = [[x, 1], [2, 3]]
    rows[1][0] = x
    return rows[1][0]


@on(2)
@on(5)
@function
def asks_a_set(x: int32) -> int32:
    seen = {1, 2}
    return 1 if x in seen else 0


@on(normal(3))
@function
def open_comprehension(x: Tensor[3]) -> float32:
    return sum(v for v in x if v > 0)
