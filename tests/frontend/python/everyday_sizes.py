"""Tensors whose sizes the program computes: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
import numpy as np

from relay.frontend.python import Tensor, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)

SIX, TEN = np.arange(6, dtype=np.float32), np.arange(10, dtype=np.float32)
TABLE = np.arange(20, dtype=np.float32).reshape(4, 5)


@on(3)
@on(0)
@function
def squares(n: int):
    a = np.zeros(n + 1, dtype=np.int32)
    for i in range(n + 1):
        a[i] = i * i
    return a, len(a), a.sum()


@on(SIX, 2)
@function
def filled(x: Tensor["n"], k: int):
    a = np.full((k, len(x)), 7.0)
    a[1] = x
    b = np.zeros((k, 3))
    c = np.ones_like(b) + np.zeros_like(a)[:, :3]
    return a, b.shape[0], c, np.zeros(len(b)), np.empty(b.shape) * 0


@on(SIX, 2)
@function
def rolled(x: Tensor["n"], k: int):
    y = np.roll(x, 1)
    return y, np.roll(x, k), np.roll(x.reshape(2, -1), -1, axis=1)


@on(SIX, 4)
@function
def changing_places(x: Tensor["n"], k: int):
    a = np.zeros(k)
    b = np.ones(k)
    for i in range(3):
        a, b = b, a
        a[i] += 5
        a = a + b
    return a + b, a * x[:k], np.maximum(a, b).max()


@on(4)
@function
def pascal(n: int):
    c = np.zeros((n + 1, n + 1), dtype=int)
    for i in range(n + 1):
        c[i, 0] = 1
        for j in range(1, i + 1):
            c[i, j] = c[i - 1, j - 1] + c[i - 1, j]
    return c


@on(TEN, 2, 5)
@on(TEN, 0, 3)
@on(TEN, 7, 10)
@on(TEN, -4, -1)
@function
def stretches(x: Tensor["n"], i: int, j: int):
    y = x.copy()
    y[i:j] = 7
    z = x.copy()
    z[i:j] = x[:3]
    z[:2] = -1
    z[-2:] += 10
    w = np.zeros((2, len(x)))
    w[:, i:j] = x[3:6]
    w[:, i:j] *= 2
    v = np.zeros((len(x), 2))
    v[i:j] = [1, 2]
    return y, z, w, v


@on(TEN, 3, 2)
@on(TEN, 2, 12)
@function
def steps(x: Tensor["n"], i: int, s: int):
    y = x.copy()
    y[i::s] = -1
    z = np.zeros(2 * len(x))
    z[0::2] = x
    z[1::2] = x * 2
    z[3:3] = 5
    return y, z


@on(TEN, 3)
@function
def overlap_add(x: Tensor["n"], hop: int):
    win = 4
    out = np.zeros(hop * 3 + win)
    for t in range(3):
        frame = x[t:t + win] * 0.5
        out[t * hop:t * hop + win] += frame
    return out


@on(TEN)
@function
def shifted(x: Tensor["n"]):
    y = x.copy()
    y[1:] = x[:-1]
    y[:-1] += y[1:]
    return y


@on(TABLE)
@function
def bordered(x: Tensor["h", "w"]):
    out = np.zeros((x.shape[0] + 2, x.shape[1] + 2), dtype=np.float32)
    out[1:-1, 1:-1] = x
    out[0] = out[1]
    return out


@on(TABLE, 1)
@function
def parts_of_a_matrix(x: Tensor["h", "w"], j: int):
    y = x.copy()
    y[:, 0] = 7
    y[:, j] = np.arange(x.shape[0])
    y[-1, 1:3] = [8, 9]
    y[1:-1, j] += 100
    z = np.zeros((x.shape[0], x.shape[1], 2))
    z[:, j, 1] = x[:, 0]
    z[j, 1:, :] = x[0, 1:, None]
    z[..., 0] = x * 3
    return y, z


@on(TABLE, 1)
@function
def parts_of_a_new_matrix(x: Tensor["h", "w"], j: int):
    y = np.zeros((j + 3, j + 4))
    y[:, 0] = 7
    y[j:, j:] = 5
    y[j, 1:3] = [8, 9]
    y[1:-1, j] += 100
    return y


@on(TEN, 3)
@function
def places_and_masks(x: Tensor["n"], k: int):
    a = np.zeros((k, k + 1))
    a[0] = 5
    a[1] = np.arange(k + 1)
    a[:] = a + 1
    idx = np.where(x > 6)[0] - 7
    a[idx] = 2.5
    a[a > 2.6] = 9
    a[a < 2] *= 3
    return a


@on(np.array([3, -1, 2, 3, 0, 4], np.float32))
@on(np.zeros(0, np.float32))
@function
def quicksort(x: Tensor["?"]) -> Tensor["?"]:
    if len(x) <= 1:
        return x
    p, rest = x[0], x[1:]
    return np.concatenate([quicksort(rest[rest < p]), x[:1], quicksort(rest[rest >= p])])


@on(normal(5), 0)
@on(normal(5), 1)
@on(normal(5), 2)
@function
def a_part_of_some_size(x: Tensor["n"], k: int32) -> Tensor["?"]:
    if k > 1:
        return x[x > 0]
    elif k > 0:
        return x
    return x[1:]


@on(SIX, 0)
@on(SIX, 2)
@function
def shorter_each_time(x: Tensor["n"], k: int32) -> Tensor["?"]:
    y: Tensor["?"] = x
    for _ in range(k):
        y = y[1:]
    return y


@on(SIX, 0)
@on(SIX, 3)
@function
def longer_each_time(x: Tensor["n"], k: int32) -> Tensor["?", 2]:
    y: Tensor["?", 2] = np.zeros((1, 2), np.float32)
    while len(y) < k:
        y = np.concatenate([y, x[:2].reshape(1, 2)])
    return y


@on(normal(6), 0)
@on(normal(6), 2)
@function
def masked_in_rounds(x: Tensor["n"], k: int32) -> Tensor["?"]:
    y = x
    for i in range(k):
        for j in range(k):
            y = y[y > i * j - 1]
    return y


@on(normal(6), 2)
@function
def masks_that_change_places(x: Tensor["n"], k: int32) -> tuple[Tensor["?"], Tensor["?"]]:
    lo, hi = x, x + 1
    i = 0
    while i < k:
        lo, hi = hi[hi > 0], lo[lo < 0.5]
        i += 1
    return lo, hi


@on(normal(6), 2)
@function
def written_to_and_masked(x: Tensor["n"], k: int32) -> Tensor["?"]:
    y = x.copy()
    for _ in range(k):
        y[0] = 7
        y = y[y > 0]
    return y


@on(SIX, 1)
@on(SIX, 3)
@function
def what_was_before_the_mask(x: Tensor["n"], k: int32) -> tuple[Tensor["?"], Tensor["?"]]:
    before = y = x
    for _ in range(k):
        before = y
        y = np.unique(y // 2)
    return before, y


@on(SIX, 0)
@on(SIX, 3)
@function
def masked_and_returned(x: Tensor["n"], k: int32) -> Tensor["?"]:
    y = x
    for i in range(5):
        if i == k:
            return y
        y = y[y > i]
    return y + 1


@on(SIX, 1)
@on(SIX, 3)
@function
def shorter_in_some_rounds(x: Tensor["n"], k: int32) -> Tensor["?"]:
    y = x
    for i in range(k):
        if i == 1:
            y = y[1:]
        y = y[i:]
    return y


@on(SIX, 2)
@function
def one_of_two_is_masked(x: Tensor["n"], k: int32) -> tuple[Tensor["?"], Tensor["n"]]:
    pair = (x, x)
    for _ in range(k):
        pair = (pair[0][pair[0] > 2], pair[1] + 1)
    return pair


@on(SIX, 2)
@function
def masked_by_a_function(x: Tensor["n"], k: int32) -> Tensor["?"]:
    def above(v: Tensor["?"], least: int32) -> Tensor["?"]:
        return v[v > least]

    y = x
    for i in range(k):
        y = above(y, i)
    return y


@on(SIX, 3)
@function
def a_pair_whose_sizes_change(x: Tensor["n"], k: int32) -> tuple[Tensor["?"], Tensor["?"]]:
    pair: tuple[Tensor["?"], Tensor["?"]] = (x, x + 1)
    for _ in range(k):
        pair = (pair[1][1:], pair[0])
    return pair


@on(6, np.array([[0, 1], [2, 3], [1, 3]], np.int32))
@on(3, np.zeros((0, 2), np.int32))
@function
def components(n: int32, edges: Tensor["e", 2, int32]) -> int32:
    parent = np.arange(n)

    def find(p: Tensor["?", int32], i: int32) -> int32:
        while p[i] != i:
            i = p[i]
        return i

    count = n
    for e in edges:
        a, b = find(parent, e[0]), find(parent, e[1])
        if a != b:
            parent[a] = b
            count -= 1
    return count


@on(normal(3), 4)
@function
def an_array_of_each_round(x: Tensor["n"], rounds: int32) -> Tensor["n"]:
    for _ in range(rounds):
        new = np.full(len(x), 0.5, np.float32)
        for i in range(len(x)):
            if x[i] > 0:
                new += x
            else:
                new += 1
        x = new
    return x


@on(np.zeros(0, np.float32))
@on(SIX[:1])
@on(SIX)
@function
def nothing_between_bounds(x: Tensor["n"]):
    return x[2:1], x[3:3], x[-1:-2], x[-1:0], x[:0], x[1:2:-1], x[-2:-1:-1]
