"""Models and algorithms as people write them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import numpy as np

from relay.frontend.python import Tensor, function, int32
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)


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


@on(2.0)
@function
def newton(x: float):
    guess = x
    while abs(guess * guess - x) > 1e-5:
        guess = (guess + x / guess) / 2
    return guess
