"""Numerical programs as textbooks have them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import math

import numpy as np

from relay.frontend.python import Tensor, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)

SPD = normal(4, 4) @ normal(4, 4).T + 4 * np.eye(4, dtype=np.float32)
LINKS = (normal(5, 5) > 0.2).astype(np.float32)
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32), np.array([[0], [1], [1], [0]], np.float32)
ONES = np.ones((3, 2), np.float32)
NINE = np.arange(9, dtype=np.float32).reshape(3, 3)
FAR = np.array([-np.inf, -np.inf, np.inf, 1, 3, 3], np.float32)
NEAR = np.array([-np.inf, 0.5, np.inf, -np.inf, 3, 2], np.float32)


@on(*XOR, normal(2,4), normal(4,1))
@function
def mlp(X: Tensor[4, 2], y: Tensor[4, 1], W1: Tensor[2, 4], W2: Tensor[4, 1]):
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))
    b1 = np.zeros((1, 4), dtype=np.float32)
    b2 = np.zeros((1, 1), dtype=np.float32)
    for _ in range(100):
        h = sigmoid(X @ W1 + b1)
        out = sigmoid(h @ W2 + b2)
        d_out = (out - y) * out * (1 - out)
        d_h = d_out @ W2.T * h * (1 - h)
        W2 = W2 - 0.5 * h.T @ d_out
        b2 = b2 - 0.5 * d_out.sum(axis=0, keepdims=True)
        W1 = W1 - 0.5 * X.T @ d_h
        b1 = b1 - 0.5 * d_h.sum(axis=0, keepdims=True)
    return out


@on(LINKS)
@function
def pagerank(adj: Tensor["n", "n"]):
    n = adj.shape[0]
    out_degree = adj.sum(axis=1)
    M = (adj / np.maximum(out_degree, 1.0)[:, None]).T
    rank = np.ones(n, dtype=np.float32) / n
    while True:
        new_rank = 0.15 / n + 0.85 * M @ rank
        if np.abs(new_rank - rank).sum() < 1e-6:
            break
        rank = new_rank
    return rank


@on(normal(6))
@function
def kalman(zs: Tensor["t"]):
    dt = 1.0
    F = np.array([[1, dt], [0, 1]], dtype=np.float32)
    H = np.array([[1.0, 0.0]], dtype=np.float32)
    Q = 0.01 * np.eye(2, dtype=np.float32)
    Rm = np.array([[0.5]], dtype=np.float32)
    x = np.zeros((2, 1), dtype=np.float32)
    P = np.eye(2, dtype=np.float32)
    out = np.zeros(len(zs), dtype=np.float32)
    for t, z in enumerate(zs):
        x = F @ x
        P = F @ P @ F.T + Q
        y = z - H @ x
        S = H @ P @ H.T + Rm
        K = P @ H.T / S
        x = x + K @ y
        P = (np.eye(2, dtype=np.float32) - K @ H) @ P
        out[t] = x[0, 0]
    return out


@on(normal(6,7), normal(3,3))
@function
def conv2d(img: Tensor["h", "w"], k: Tensor["kh", "kw"]):
    h, w = img.shape
    kh, kw = k.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(img[i:i + kh, j:j + kw] * k)
    return out


@on(normal(6,8))
@function
def maxpool(x: Tensor["h", "w"]):
    h, w = x.shape
    out = np.zeros((h // 2, w // 2))
    for i in range(h // 2):
        for j in range(w // 2):
            out[i, j] = x[2 * i:2 * i + 2, 2 * j:2 * j + 2].max()
    return out


@on(normal(4,5), 7, 9)
@function
def resize(img: Tensor["h", "w"], nh: int, nw: int):
    h, w = img.shape
    out = np.zeros((nh, nw))
    for i in range(nh):
        for j in range(nw):
            y = i * (h - 1) / (nh - 1)
            x = j * (w - 1) / (nw - 1)
            y0, x0 = int(y), int(x)
            y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
            dy, dx = y - y0, x - x0
            top = img[y0, x0] * (1 - dx) + img[y0, x1] * dx
            bottom = img[y1, x0] * (1 - dx) + img[y1, x1] * dx
            out[i, j] = top * (1 - dy) + bottom * dy
    return out


@on(SPD)
@function
def lu(A: Tensor["n", "n"]):
    n = A.shape[0]
    L = np.eye(n)
    U = A.copy()
    for k in range(n - 1):
        for i in range(k + 1, n):
            L[i, k] = U[i, k] / U[k, k]
            U[i, k:] -= L[i, k] * U[k, k:]
    return L, U


@on(normal(5,3))
@function
def qr(A: Tensor["m", "n"]):
    m, n = A.shape
    Q = np.zeros((m, n))
    Rm = np.zeros((n, n))
    for j in range(n):
        v = A[:, j].copy()
        for i in range(j):
            Rm[i, j] = Q[:, i] @ A[:, j]
            v -= Rm[i, j] * Q[:, i]
        Rm[j, j] = np.linalg.norm(v)
        Q[:, j] = v / Rm[j, j]
    return Q, Rm


@on(SPD)
@function
def jacobi(A: Tensor["n", "n"]):
    a = A.copy()
    n = a.shape[0]
    for sweep in range(10):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) > 1e-9:
                    theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                    t = np.sign(theta) / (abs(theta) + np.sqrt(theta * theta + 1))
                    c = 1 / np.sqrt(t * t + 1)
                    s = t * c
                    J = np.eye(n)
                    J[p, p] = J[q, q] = c
                    J[p, q] = s
                    J[q, p] = -s
                    a = J.T @ a @ J
    return np.sort(np.diag(a))


@on(normal(6,2))
@function
def anneal(pts: Tensor["n", 2]):
    n = len(pts)
    tour = np.arange(n)
    seed = 42
    def length(tour):
        total = 0.0
        for i in range(n):
            d = pts[tour[i]] - pts[tour[(i + 1) % n]]
            total += np.sqrt(d @ d)
        return total
    best = length(tour)
    T = 1.0
    for step in range(50):
        seed = (seed * 1103 + 12345) % 32768
        i = seed % n
        seed = (seed * 1103 + 12345) % 32768
        j = seed % n
        cand = tour.copy()
        cand[i], cand[j] = cand[j], cand[i]
        new = length(cand)
        seed = (seed * 1103 + 12345) % 32768
        if new < best or math.exp((best - new) / T) > seed / 32768:
            tour = cand
            best = new
        T *= 0.95
    return best, tour


@on(1.0, 0.0)
@function
def rk4(x0: float, v0: float):
    def f(t, y):
        return np.array([y[1], -y[0]])
    y = np.array([x0, v0])
    t = 0.0
    h = 0.1
    ys = np.zeros((20, 2))
    for i in range(20):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
        ys[i] = y
    return ys


@on(whole([1, 3, 1, 0]), 3)
@function
def counted(x: Tensor["n", int32], k: int):
    return np.bincount(x), np.bincount(x, minlength=6), np.bincount(x, weights=x * 0.5), np.bincount(x[:0], minlength=2)


@on(3)
@function
def unit_matrices(n: int):
    return np.eye(n), np.eye(n, n + 1, 1), np.identity(n), np.eye(n, dtype=np.int32), np.eye(2, n, k=-1)


@on(ONES)
@function
def of_the_sizes_of_a_tensor(x: Tensor["n", "m"]):
    return np.eye(len(x)) @ x, np.eye(x.shape[0], x.shape[1])


@on(ONES, 2)
@function
def item_of_a_list(x: Tensor["n", "m"], i: int):
    labels = [0, 1, 0, 2]
    vs = (0.5, x[0, 0], 2)
    return labels[i], vs[i - 1], labels[-i]


@on(NINE)
@function
def diagonals(x: Tensor["n", "n"]):
    y = x.copy()
    y[0, 0] = 50
    return np.diag(y), np.diag(x, 1), np.diagonal(x, -2), np.trace(x), np.diag(np.diag(x))


@on(FAR, NEAR)
@function
def sums_of_logarithms(x: Tensor["n"], y: Tensor["n"]):
    return np.logaddexp(x, y)


@on(2.0)
@function
def power(x: float):
    def rec(x, k):
        if k == 0:
            return 1.0
        half = rec(x, k // 2)
        return half * half * (x if k % 2 else 1.0)
    return rec(x, 10)
