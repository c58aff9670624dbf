"""Algorithms as textbooks have them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import math

import numpy as np

from relay.frontend.python import Tensor, data, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)

CHANCES = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.4, 0.5]], np.float32)
SEEN = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.1, 0.4, 0.4], [0.3, 0.3, 0.2, 0.2]], np.float32)
ALIVE = (normal(6, 6) > 0.3).astype(np.int32)
BOXES = np.array(
    [[0, 0, 2, 2], [0.1, 0, 2, 2], [3, 3, 5, 5], [3, 3, 5, 4.5], [10, 10, 11, 11]], np.float32
)
SCORES = np.array([0.9, 0.8, 0.7, 0.95, 0.3], np.float32)
EDGES = np.array([[0, 1], [2, 3], [1, 2], [4, 5]], np.int32)


@data
class Leaf:
    x: Tensor[4]


@data
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node
SMALL = Node(Node(Leaf(normal(4)), Leaf(normal(4) * 2)), Leaf(normal(4) * 3))


@data
class Num:
    value: float


@data
class BinOp:
    op: int
    left: "Term"
    right: "Term"


@data
class Neg:
    arg: "Term"


Term = Num | BinOp | Neg
SUM = BinOp(0, Num(2.0), BinOp(2, Neg(Num(3.0)), Num(4.0)))


@data
class Tip:
    weight: float
    symbol: int


@data
class Fork:
    weight: float
    left: "Huff"
    right: "Huff"


Huff = Tip | Fork
CODE = Fork(1.0, Fork(0.5, Tip(0.2, 3), Tip(0.3, 1)), Tip(0.5, 2))


@on(normal(10,3), whole([0,1,2,0,1,2,0,1,2,0]), normal(4,3))
@function
def knn(train: Tensor["n", 3], y: Tensor["n", int32], test: Tensor["m", 3]):
    preds = np.zeros(len(test), dtype=np.int32)
    for i in range(len(test)):
        dists = np.sum((train - test[i]) ** 2, axis=1)
        nearest = np.argsort(dists)[:3]
        votes = np.bincount(y[nearest], minlength=3)
        preds[i] = np.argmax(votes)
    return preds


@on(whole([0,3,1,2,2]), CHANCES[0], CHANCES, SEEN)
@function
def viterbi(obs: Tensor["t", int32], pi: Tensor["s"], a: Tensor["s", "s"], b: Tensor["s", "o"]):
    T = len(obs)
    S = len(pi)
    delta = np.zeros((T, S), dtype=np.float32)
    psi = np.zeros((T, S), dtype=np.int32)
    delta[0] = pi * b[:, obs[0]]
    for t in range(1, T):
        for j in range(S):
            probs = delta[t - 1] * a[:, j]
            psi[t, j] = np.argmax(probs)
            delta[t, j] = np.max(probs) * b[j, obs[t]]
    path = np.zeros(T, dtype=np.int32)
    path[T - 1] = np.argmax(delta[T - 1])
    for t in range(T - 2, -1, -1):
        path[t] = psi[t + 1, path[t + 1]]
    return path


@on(normal(5, 3))
@function
def ctc_best_prefix(logp: Tensor["t", 3]):
    # forward probability of label sequence (1, 2)
    labels = [0, 1, 0, 2, 0]
    alpha = np.full(5, -np.inf, dtype=np.float32)
    alpha[0] = logp[0, 0]
    alpha[1] = logp[0, labels[1]]
    for t in range(1, len(logp)):
        new = np.full(5, -np.inf, dtype=np.float32)
        for s in range(5):
            a = alpha[s]
            if s > 0:
                a = np.logaddexp(a, alpha[s - 1])
            if s > 1 and labels[s] != 0 and labels[s] != labels[s - 2]:
                a = np.logaddexp(a, alpha[s - 2])
            new[s] = a + logp[t, labels[s]]
        alpha = new
    return np.logaddexp(alpha[4], alpha[3])


@on(normal(2,6,8), whole([6,4]))
@function
def masked_attention(x: Tensor["b", "t", 8], lengths: Tensor["b", int32]):
    B, T, D = x.shape
    scores = x @ x.transpose(0, 2, 1) / math.sqrt(D)
    causal = np.triu(np.ones((T, T), dtype=bool), k=1)
    padding = np.arange(T)[None, :] >= lengths[:, None]
    mask = causal[None, :, :] | padding[:, None, :]
    scores[mask] = -1e9
    scores = scores - scores.max(axis=-1, keepdims=True)
    w = np.exp(scores)
    w /= w.sum(axis=-1, keepdims=True)
    return w @ x


@on(normal(6,6))
@function
def beam_search(trans: Tensor[6, 6]):
    logp = trans - np.log(np.exp(trans).sum(axis=1, keepdims=True))
    beam = 3
    steps = 4
    seqs = np.zeros((beam, steps + 1), dtype=np.int32)
    scores = np.full(beam, -np.inf, dtype=np.float32)
    scores[0] = 0.0
    for t in range(steps):
        cand = scores[:, None] + logp[seqs[:, t]]
        flat = cand.ravel()
        top = np.argsort(-flat)[:beam]
        parents = top // 6
        tokens = top % 6
        scores = flat[top]
        seqs = seqs[parents]
        seqs[:, t + 1] = tokens
    return seqs, scores


@on(SMALL, normal(4,16), normal(8,20))
@function
def tree_lstm(tree: Tree, W: Tensor[4, 16], U: Tensor[8, 20]):
    def sigmoid(v):
        return 1.0 / (1.0 + np.exp(-v))
    def run(t: Tree) -> tuple[Tensor[4], Tensor[4]]:
        if isinstance(t, Leaf):
            i, o, u, _ = np.split(t.x @ W, 4)
            c = sigmoid(i) * np.tanh(u)
            return sigmoid(o) * np.tanh(c), c
        hl, cl = run(t.left)
        hr, cr = run(t.right)
        z = np.concatenate([hl, hr]) @ U
        i, fl, fr, o, u = np.split(z, 5)
        c = sigmoid(i) * np.tanh(u) + sigmoid(fl) * cl + sigmoid(fr) * cr
        return sigmoid(o) * np.tanh(c), c
    h, c = run(tree)
    return h


@on(SUM)
@function
def calc(e: Term) -> float:
    if isinstance(e, Num):
        return e.value
    elif isinstance(e, Neg):
        return -calc(e.arg)
    else:
        a = calc(e.left)
        b = calc(e.right)
        if e.op == 0:
            return a + b
        elif e.op == 1:
            return a - b
        elif e.op == 2:
            return a * b
        else:
            return a / b


@on(whole([5,3,9,1,5,2]))
@function
def quicksort(x: Tensor["n", int32]):
    a = x.copy()
    stack = np.zeros((len(a) + 1, 2), dtype=int)
    top = 0
    stack[0] = [0, len(a) - 1]
    while top >= 0:
        lo, hi = stack[top]
        top -= 1
        if lo >= hi:
            continue
        pivot = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        top += 1
        stack[top] = [lo, i - 1]
        top += 1
        stack[top] = [i + 1, hi]
    return a


@on(30)
@function
def sieve(n: int):
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    i = 2
    while i * i <= n:
        if is_prime[i]:
            for j in range(i * i, n + 1, i):
                is_prime[j] = False
        i += 1
    return np.sum(is_prime)


@on()
@function
def sieve2():
    n = 50
    sieve = np.ones(n + 1, dtype=bool)
    sieve[0] = sieve[1] = False
    for i in range(2, int(n ** 0.5) + 1):
        if sieve[i]:
            sieve[i * i::i] = False
    return np.where(sieve)[0]


@on(ALIVE, 3)
@function
def life(grid: Tensor["h", "w", int32], steps: int):
    for _ in range(steps):
        neighbors = sum(np.roll(np.roll(grid, dy, 0), dx, 1)
                        for dy in (-1, 0, 1) for dx in (-1, 0, 1)
                        if (dy, dx) != (0, 0))
        grid = ((neighbors == 3) | ((grid == 1) & (neighbors == 2))).astype(np.int32)
    return grid


@on(normal(8), normal(8))
@function
def fft(re: Tensor[8], im: Tensor[8]):
    def rec(re, im):
        n = len(re)
        if n == 1:
            return re, im
        er, ei = rec(re[0::2], im[0::2])
        odr, odi = rec(re[1::2], im[1::2])
        k = np.arange(n // 2)
        c = np.cos(2 * np.pi * k / n)
        s = -np.sin(2 * np.pi * k / n)
        tr = c * odr - s * odi
        ti = c * odi + s * odr
        return np.concatenate([er + tr, er - tr]), np.concatenate([ei + ti, ei - ti])
    return rec(re, im)


@on(whole([1,3,4,5]), whole([1,4,5,7]), 7)
@function
def knapsack(weights: Tensor["n", int32], values: Tensor["n", int32], capacity: int):
    dp = np.zeros(capacity + 1, dtype=np.int32)
    for w, v in zip(weights, values):
        for c in range(capacity, w - 1, -1):
            dp[c] = max(dp[c], dp[c - w] + v)
    return dp[capacity]


@on(whole([1,2,3,2,4]), whole([2,4,3,1,2]))
@function
def lcs(a: Tensor["n", int32], b: Tensor["m", int32]):
    n, m = len(a), len(b)
    dp = np.zeros((n + 1, m + 1), dtype=np.int32)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                dp[i, j] = dp[i - 1, j - 1] + 1
            else:
                dp[i, j] = max(dp[i - 1, j], dp[i, j - 1])
    i, j = n, m
    out = np.zeros(min(n, m), dtype=np.int32)
    k = dp[n, m]
    length = k
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            k -= 1
            out[k] = a[i - 1]
            i -= 1
            j -= 1
        elif dp[i - 1, j] >= dp[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return out[:length]


@on(whole([1,1,2,2,2,3]))
@function
def run_length(x: Tensor["n", int32]):
    values = np.zeros(len(x), dtype=np.int32)
    counts = np.zeros(len(x), dtype=np.int32)
    n = 0
    i = 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        values[n] = x[i]
        counts[n] = j - i
        n += 1
        i = j
    return values[:n], counts[:n]


@on(CODE, whole([0,1,1,0,0]))
@function
def huffman_decode(t: Huff, bits: Tensor["n", int32]):
    out = np.zeros(len(bits), dtype=np.int32)
    n = 0
    node = t
    for b in bits:
        if isinstance(node, Fork):
            node = node.left if b == 0 else node.right
        if isinstance(node, Tip):
            out[n] = node.symbol
            n += 1
            node = t
    return out[:n]


@on(EDGES, 6)
@function
def union_find(edges: Tensor["m", 2, int32], n: int):
    parent = np.arange(n)
    def find(parent, x):
        while parent[x] != x:
            x = parent[x]
        return x
    count = n
    for u, v in edges:
        ru, rv = find(parent, u), find(parent, v)
        if ru != rv:
            parent[ru] = rv
            count -= 1
    return count, parent


@on(whole(map(ord, "12+345 * (6-78)")))
@function
def tokenize(s: Tensor["n", int32]):
    tokens = np.zeros((len(s), 2), dtype=np.int32)
    n = 0
    i = 0
    while i < len(s):
        c = s[i]
        if c == 32:
            i += 1
            continue
        if 48 <= c <= 57:
            v = 0
            while i < len(s) and 48 <= s[i] <= 57:
                v = v * 10 + (s[i] - 48)
                i += 1
            tokens[n] = [0, v]
        else:
            tokens[n] = [1, c]
            i += 1
        n += 1
    return tokens[:n]


@function
def iou(a: Tensor[4], b: Tensor[4]):
    x1 = max(a[0], b[0])
    y1 = max(a[1], b[1])
    x2 = min(a[2], b[2])
    y2 = min(a[3], b[3])
    inter = max(0, x2 - x1) * max(0, y2 - y1)
    area_a = (a[2] - a[0]) * (a[3] - a[1])
    area_b = (b[2] - b[0]) * (b[3] - b[1])
    return inter / (area_a + area_b - inter)


@on(BOXES, SCORES)
@function
def nms(boxes: Tensor["n", 4], scores: Tensor["n"]):
    order = np.argsort(-scores)
    keep = np.zeros(len(boxes), dtype=bool)
    suppressed = np.zeros(len(boxes), dtype=bool)
    for i in order:
        if suppressed[i]:
            continue
        keep[i] = True
        for j in range(len(boxes)):
            if j != i and iou(boxes[i], boxes[j]) > 0.5:
                suppressed[j] = True
    return np.where(keep)[0]
