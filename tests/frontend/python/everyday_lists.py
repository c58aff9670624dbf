"""Lists and tuples as people use them, also as indices: `test_everyday.py` asks Python."""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportIndexIssue=false, reportOperatorIssue=false, reportPossiblyUnboundVariable=false
# pyright: reportReturnType=false
import numpy as np

from relay.frontend.python import Tensor, float32, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)
PLACE = (1, 0)
ROWS = [1, 0]


@on(normal(3, 2))
@function
def a_tuple_names_one_element(m: Tensor[3, 2]) -> Tensor[3, 2]:
    at = (0, 1)
    m = m.copy()
    m[at] = 9
    m[PLACE] += m[at] + m[2, 1]
    return m


@on(normal(3, 2))
@function
def a_list_names_rows(m: Tensor[3, 2]) -> Tensor[2, 2]:
    rows = [0]
    rows.append(2)
    return m[rows] + m[ROWS] + m[[2] + [0]]


@on(normal(3, 2))
@function
def a_list_of_bools_is_a_mask(m: Tensor[3, 2]) -> float32:
    return (m[[True, False, True]] * 2)[1, 0]


@on(normal(4, 2), 0, 2)
@on(normal(4, 2), 3, 3)
@function
def rows_change_places(m: Tensor["n", 2], i: int32, j: int32) -> Tensor["n", 2]:
    m = m.copy()
    m[[i, j]] = m[[j, i]]
    m[[len(m) - 1, i]] = m[[i, len(m) - 1]]
    return m


@on(np.array([0, 3, 0], np.float32))
@on(np.array([0, 0], np.float32))
@on(np.zeros(0, np.float32))
@function
def where_the_search_ended(x: Tensor["n"]) -> int32:
    for i in range(len(x)):
        if x[i] > 1:
            break
    else:
        return -1
    return i


@on(normal(4))
@on(np.zeros(0, np.float32))
@function
def generators_are_asked(x: Tensor["n"]) -> tuple[bool, bool]:
    return any(v > 0.2 for v in x), all(v > -1 for v in x)


@on(normal(5))
@function
def generators_are_added_up(x: Tensor["n"]) -> tuple[float32, float32, int32]:
    products = sum(v * i for i, v in enumerate(x))
    return products, sum([v * 2 for v in x if v > 0]), sum(1 for v in x if v > 0)


@on(normal(4))
@on(normal(1))
@function
def generators_are_compared(x: Tensor["n"]) -> tuple[float32, float32]:
    return max(abs(v) for v in x), min(x[i] * x[i - 1] for i in range(len(x)))


@on(normal(6))
@on(np.zeros(0, np.float32))
@function
def comprehensions_become_tensors(x: Tensor["n"]) -> tuple[Tensor["n"], Tensor["?"], int32]:
    doubled = [v * 2 if v > 0 else v - 1 for v in x]
    some = np.array([v for v in x if v > 0 and v < 2 if v != 0.5])
    return np.array(doubled) + x, some, len(doubled)


@on(normal(4, 3), normal(3))
@function
def distances(x: Tensor["n", 3], y: Tensor[3]) -> tuple[Tensor["n"], int32, float32]:
    found = [np.sqrt(((row - y) ** 2).sum()) for row in x]
    return np.array(found), np.argmin(found), found[0] + found[-1] + sum(found[1:])


@on(np.eye(3, dtype=np.float32))
@on(normal(3, 3))
@function
def is_symmetric(m: Tensor["n", "n"]) -> bool:
    return all(all(m[i, j] == m[j, i] for j in range(len(m))) for i in range(len(m)))


@on(normal(4), 2)
@on(normal(4), 9)
@on(np.zeros(0, np.float32), 0)
@function
def only_where_it_is_asked(x: Tensor["n"], k: int32) -> tuple[float32, bool]:
    total = sum(v + x[k] for v in x) if k < len(x) else 0.0
    return total, k < len(x) and any(v > x[k] for v in x)


@on(normal(4), 2.0)
@function
def in_a_lambda(x: Tensor["n"], k: float32) -> float32:
    scaled = lambda c: sum(v * c for v in x)  # noqa: E731
    return scaled(k) + scaled(k + 1)


@on(normal(4))
@on(normal(300))
@function
def a_list_grows(x: Tensor["n"]) -> Tensor["n"]:
    found = []
    for v in x:
        found.append(v * 2 + len(found))
    return np.array(found)


@on(normal(4, 2))
@function
def rows_are_stacked(x: Tensor[4, 2]) -> Tensor[4, 2]:
    state, states = np.zeros(2, np.float32), []
    for row in x:
        state = np.tanh(state + row)
        states.append(state)
    return np.stack(states)


@on(normal(5, 2), 3)
@function
def rows_of_any_number(x: Tensor["n", 2], k: int32):
    state, states = np.zeros(2, np.float32), []
    for row in x:
        state = np.tanh(state + row)
        states.append(state)
    return np.stack(states).sum(axis=0), len(states)


@on(normal(5), 0.0)
@on(normal(5), 9.0)
@function
def some_are_kept(x: Tensor["n"], low: float32):
    kept, more = [1.0], []
    for i, v in enumerate(x):
        if v > low:
            kept.append(v)
        else:
            more.append(i)
            more.append(-1)
        if i == 3:
            break
    total = 0.0
    for v in kept:
        total += v
    return np.array(kept), np.array(more).sum(), total, kept[-1]


@on(3)
@function
def squares_up_to(n: int32):
    found = []
    for i in range(n):
        found.append(i * i)
    return np.array(found).sum(), len(found)


@on(1)
@on(7)
@function
def a_list_grows_in_a_while_loop(n: int32):
    seen = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        seen.append(n)
    total = 0
    for v in seen:
        total += v
    return np.array(seen), len(seen), total


@on(normal(5), 0.0)
@on(normal(1), 0.0)
@function
def lists_grow_in_an_inner_loop(x: Tensor["n"], k: float32):
    out, both = [0.5], []
    for i in range(len(x)):
        for j in range(i):
            if x[i] + x[j] > k:
                out.append(x[i] * x[j])
                both.append(np.stack([x[i], x[j]]))
        out.append(x[i])
    return np.array(out), out[-1], len(both)


def put(out, v):
    if v > 0:
        out.append(v)


@on(6)
@on(3)
@function
def a_list_grows_in_three_loops(n: int32):
    out = []
    for i in range(n):
        k = i
        while k > 0:
            for j in range(k):
                put(out, i + j - 2)
            k -= 2
    return np.array(out), len(out)
