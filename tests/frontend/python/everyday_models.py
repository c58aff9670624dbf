"""Data classes, models and algorithms as people write them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
from dataclasses import dataclass

import numpy as np

from relay.frontend.python import (
    Tensor,
    data,
    float32,
    function,
    int32,
    uint8,
)
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)


@data
class Pt:
    x: float32
    y: float32 = 2.0
    def norm(self) -> float32:
        return np.sqrt(self.x ** 2 + self.y ** 2)
    def scaled(self, k: float32 = 2.0) -> "Pt":
        return Pt(self.x * k, self.y * k)
    @property
    def total(self) -> float32:
        return self.x + self.y


@data
class Leaf:
    v: float32


@data
class Node:
    l: "Tree"
    r: "Tree"
    w: float32 = 1.0


Tree = Leaf | Node


@on(3.0)
@function
def dc_default(a: float32):
    p = Pt(a)
    q = Pt(y=1.0, x=a)
    return p.x + p.y * 10 + q.x * q.y


@on(3.0)
@function
def dc_method(a: float32):
    return Pt(a).norm() + Pt(a).scaled().y + Pt(a).scaled(k=3.0).x


@on(3.0)
@function
def dc_property(a: float32):
    return Pt(a).total


@on(Pt(3.0, 4.0))
@function
def dc_arg(p: Pt):
    match p:
        case Pt(x, y) if x > y:
            return x
        case Pt(x=0.0, y=y):
            return y
        case Pt(x, y) as q:
            return q.x + q.y * 100
    return 0.0


@on(Pt(3.0, 4.0))
@on(Pt(5.0, 4.0))
@on(Pt(0.0, 4.0))
@function
def dc_arg2(p: Pt) -> float32:
    match p:
        case Pt(x, y) if x > y:
            return x
        case Pt(x=0.0, y=y):
            return y
        case Pt(x, _):
            return -x


@on(Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0))))
@function
def tree_sum(t: Tree) -> float32:
    match t:
        case Leaf(v):
            return v
        case Node(l, r, w):
            return w * (tree_sum(l) + tree_sum(r))


@on(Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0))))
@on(Node(Leaf(1.0), Leaf(3.0)))
@on(Node(Leaf(-1.0), Leaf(3.0)))
@on(Leaf(3.0))
@on(Leaf(-3.0))
@function
def tree_shape(t: Tree) -> int:
    match t:
        case Leaf(v) if v < 0:
            return 0
        case Leaf(_):
            return 1
        case Node(Leaf(a), Leaf(b)) if a > 0 and b > 0:
            return 2
        case Node(Leaf(a) | Node(Leaf(a), _), _):
            return 3
        case _:
            return 4


@on(1)
@on(2)
@on(5)
@on(50)
@on(-3)
@function
def match_int(n: int) -> int:
    match n:
        case 1:
            return 10
        case 2 | 3:
            return 20
        case -3:
            return 35
        case k if k > 10:
            return k + 1
        case _:
            return 0


@on(1, 2)
@on(0, 5)
@on(3, 3)
@function
def match_tuple(a: int, b: int):
    match (a, b):
        case (0, y):
            r = y
        case (x, y) if x == y:
            r = -x
        case (1, 2):
            r = 100
        case _:
            r = 7
    return r


G = 2.0


class Config:
    hidden = 4
    scale = 0.5
    names = ["a", "b"]
cfg = Config()


PARAMS = {"w0": normal(3), "w1": normal(3), "n": 2}


@on(normal(3))
@function
def use_cfg(x: Tensor[3]):
    y = x * cfg.scale + cfg.hidden
    for i in range(PARAMS["n"]):
        y = y * 2
    for i in (0, 1):
        y = y + PARAMS[f"w{i}"]
    return y * len(cfg.names)


@dataclass
class Plain:
    k: float = 3.0
plain = Plain()


@on(normal(3))
@function
def use_plain(x: Tensor[3]):
    return x * plain.k


@on(normal(2, 3, 8))
@function
def attention(x: Tensor["b", "t", 8]):
    b, t, d = x.shape
    heads = 2
    q = x.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)
    scores = np.einsum("bhid,bhjd->bhij", q, q) / np.sqrt(d // heads)
    mask = np.tril(np.ones((t, t), dtype=bool))
    scores = np.where(mask, scores, -1e9)
    w = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    out = np.einsum("bhij,bhjd->bhid", w, q)
    return out.transpose(0, 2, 1, 3).reshape(b, t, d)


@on(normal(3, 8))
@function
def layernorm(x: Tensor["n", "d"]):
    mu = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return (x - mu) / np.sqrt(var + 1e-5)


@on(normal(6))
@function
def pos_enc(x: Tensor["n"]):
    pos = np.arange(len(x))
    return x + np.sin(pos / 10.0) + pos


@on(normal(6))
@function
def windows(x: Tensor[6]):
    return np.stack([x[i:i + 3].sum() for i in range(len(x) - 2)])


@on(normal(6))
@function
def windows_dyn(x: Tensor["n"]):
    best = -100.0
    for i in range(len(x) - 2):
        best = max(best, x[i:i + 3].sum())
    return best


@on(normal(6))
@function
def moving(x: Tensor["n"]):
    out = np.zeros(len(x), np.float32)
    acc = 0.0
    for i, v in enumerate(x):
        acc = 0.9 * acc + 0.1 * v
        out[i] = acc
    return out


@on(whole([3,1,2,1,0,3]))
@function
def onehot(k: Tensor["n", int32]):
    return np.eye(4, dtype=np.float32)[k]


@on(normal(5, 3), whole([2, 0, 1, 2, 2]))
@function
def xent(logits: Tensor["n", 3], y: Tensor["n", int32]):
    z = logits - logits.max(axis=1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -logp[np.arange(len(y)), y].mean(), (logits.argmax(axis=1) == y).mean()


@on(normal(4, 4))
@function
def power_iter(a: Tensor[4, 4]):
    v = np.ones(4, np.float32)
    for _ in range(20):
        v = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v


@on(normal(8), normal(3))
@function
def conv1d(x: Tensor[8], w: Tensor[3]):
    n = len(x) - len(w) + 1
    out = np.zeros(n, np.float32)
    for i in range(n):
        s = 0.0
        for j in range(len(w)):
            s += x[i + j] * w[j]
        out[i] = s
    return out


@on(whole([5,3,9,1]))
@function
def bubble(x: Tensor[4, int32]):
    a = x.copy()
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@on(28)
@on(29)
@function
def is_prime(n: int) -> bool:
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@on(48, 18)
@function
def gcd(a: int, b: int):
    while b:
        a, b = b, a % b
    return a


@on(normal(4, 3), normal(5, 3))
@function
def cdist(a: Tensor["n", 3], b: Tensor["m", 3]):
    d = a[:, None, :] - b[None, :, :]
    return np.sqrt((d ** 2).sum(-1)), np.sqrt((d ** 2).sum(-1)).argmin(axis=1)


@on(normal(10))
@function
def topk(x: Tensor[10]):
    idx = np.argsort(-x)[:3]
    return idx, x[idx]


@on(normal(4, 4))
@function
def normalize_rows(x: Tensor[4, 4]):
    y = x.copy()
    for i in range(y.shape[0]):
        y[i] /= np.abs(y[i]).max()
    return y


@on(normal(2, 5))
@function
def rnn(xs: Tensor["t", 5]):
    h = np.zeros(5, np.float32)
    for x in xs:
        h = np.tanh(h * 0.5 + x)
    return h


@on(normal(4), True)
@function
def list_in_branch(x: Tensor[4], c: bool):
    rows = [x]
    if c:
        rows.append(x * 2)
    else:
        rows.append(x * 3)
    return np.stack(rows)


@on(normal(4), 3)
@function
def shadow_range(x: Tensor[4], range: int):
    return x * range


@on(normal(4))
@function
def annot(x: Tensor[4]):
    y: Tensor[4] = x * 2
    k: int = 3
    z: float = 2
    return y * k * z


@on(5)
@function
def while_else_ret(n: int) -> int:
    while n > 0:
        n -= 2
        if n == 1:
            return 7
    else:
        return 8
    return 9


@on(2.0)
@function
def newton(x: float):
    guess = x
    while abs(guess * guess - x) > 1e-5:
        guess = (guess + x / guess) / 2
    return guess


@on(normal(5))
@function
def np_in_scalars(x: Tensor[5]):
    m = np.max(x)
    i = int(np.argmax(x))
    return m, i, float(m) * 2, x[i] == m, np.float64(m).dtype == np.float64


@on(normal(5))
@function
def enumerate_start(x: Tensor[5]):
    t = 0.0
    for k, v in enumerate(x, start=1):
        t += k * v
    for k, v in enumerate(x, 2):
        t += k * v
    for a, (b, c) in enumerate(zip(x, x * 2)):
        t += a * b * c
    return t


@on(np.array([250, 3], np.uint8))
@function
def u8(x: Tensor[2, uint8]):
    return x + x, x * 2, x.sum(), x.mean(), x // 7, x - 4, x.astype(np.int32) - 4, x > 100, x / 255, x.max()


@on(normal(4))
@function
def tern_chain(x: Tensor[4]):
    s = x.sum()
    return 1.0 if s > 1 else -1.0 if s < -1 else 0.0


@on(normal(3, 4))
@function
def rowswap2(x: Tensor[3, 4]):
    y = x.copy()
    y[[0, 1]] = y[[1, 0]]
    return y


@on(normal(4))
@function
def list_item_write(x: Tensor[4]):
    rows = [x * 1, x * 2]
    rows[0] = x * 5
    return rows[0] + rows[1]


@on(normal(4))
@function
def list_item_aug(x: Tensor[4]):
    rows = [x * 1, x * 2]
    rows[0] += 1
    return rows[0] + rows[1]


@on(3)
@function
def augtuple(n: int):
    t = (1, 2)
    t += (n,)
    return t


@on(0)
@function
def cond_effects(n: int):
    return 10 // n if n != 0 else -1


@on(3)
@function
def floor_neg(n: int):
    return -n // 2, (-n) % 2, n // -2, 7 // -2, -7 % 3, 7.0 // -2, -7.5 % 2, divmod(-7, 2), int(-2.7), round(-2.5), round(2.5), 2 ** -1, 5 / 2, 10 // 4 * 1.0, True + 1, 1e3, 0x10, 1 << 4


@on(normal(4), 2)
@function
def fine1(x: Tensor[4], n: int) -> Tensor[4]:
    z = x * 2
    if n > 5:
        return x
    elif n > 1:
        z = z * 3
    z += 1
    for i in range(n):
        z += i
        if n > 100:
            break
        z = z * 2
    return z
