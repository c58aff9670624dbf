"""How loops end, and what a round hands on to the next: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import numpy as np

from relay.frontend.python import Tensor, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)


@on(normal(5))
@on(np.arange(5, dtype=np.float32))
@on(np.array([0, 0.2, 2, 0.3, 4], np.float32))
@function
def else_that_leaves_the_loop_around(x: Tensor[5]):
    t = 0.0
    for i in range(5):
        for j in range(i):
            for k in range(j):
                if x[k] > 1.0:
                    break
            else:
                if x[j] > 0.5:
                    break
                continue
            t = t + 10.0
        else:
            if x[i] > 3.5:
                break
            continue
        t = t + x[i]
    return t


@on(normal(4))
@on(np.ones(4, np.float32))
@function
def while_else_breaks(x: Tensor[4]):
    t = 0.0
    for i in range(4):
        k = i
        while k > 0:
            k -= 1
        else:
            t += x[i]
            if t > 1.0:
                break
    return t


@on(normal(3))
@on(np.ones(3, np.float32))
@function
def else_of_a_written_list(x: Tensor[3]):
    t = 0.0
    for i in range(3):
        for w in (0.5, 1.5):
            if x[i] < w:
                break
        else:
            continue
        t = t + x[i]
    return t


@on(normal(3), 0)
@on(normal(3), 4)
@function
def two_rows(x: Tensor[3], n: int32):
    prev = x * 1
    for i in range(n):
        cur = np.zeros(3, np.float32)
        for j in range(3):
            cur[j] = prev[j] + i
        prev = cur
    return prev


@on(whole([1, 2, 3, 4, 2, 5, 6]), whole([1, 3, 4, 5, 6]))
@function
def edit_distance(s: Tensor["n", int32], t: Tensor["m", int32]) -> int32:
    prev = np.arange(len(t) + 1)
    cur = prev.copy()
    for i in range(len(s)):
        cur = np.zeros_like(prev)
        cur[0] = i + 1
        for j in range(len(t)):
            change = prev[j] + (0 if s[i] == t[j] else 1)
            cur[j + 1] = min(change, prev[j + 1] + 1, cur[j] + 1)
        prev = cur
    return prev[-1]


@on(normal(3), 4)
@function
def two_rows_copied(x: Tensor[3], n: int32):
    prev, cur = x * 1, np.zeros(3, np.float32)
    for i in range(n):
        cur = cur.copy()
        for j in range(3):
            cur[j] += prev[j] + i
        prev = cur
    return prev, cur


@on(normal(3), 9.0)
@on(np.array([1, 2, 3], np.float32), 2.0)
@function
def found_or_not(x: Tensor["n"], v: float32) -> int32:
    for i in range(len(x)):
        if x[i] == v:
            return i
    else:
        return -1


@on(0)
@on(5)
@function
def counted_or_not(n: int32) -> int32:
    k = 0
    while k < n:
        k += 2
        if k == 4:
            return k * 10
    else:
        return k


@on(normal(3), 9.0)
@on(np.array([1, 2, 3], np.float32), 2.0)
@function
def found_in_a_branch(x: Tensor["n"], v: float32) -> int32:
    if v > 0:
        for i in range(len(x)):
            if x[i] == v:
                return i
        else:
            return -1
    else:
        k = 7
    return k


@on(1)
@on(5)
@function
def found_in_a_list(n: int32) -> int32:
    for k in (1, 2, 3):
        if k == n:
            return k * 10
    else:
        return n


@on(1)
@on(5)
@function
def left_or_not(n: int32) -> int32:
    for k in range(9):
        if k == n:
            break
    else:
        return n
    return k + 100
