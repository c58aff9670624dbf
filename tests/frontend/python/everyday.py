"""Small functions as people write them, each with arguments: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from relay.frontend.python import (
    Tensor,
    data,
    float32,
    function,
    int8,
    int32,
    uint8,
)
from tests.frontend.python.everyday_cases import Cases, normal, noting, whole

CASES: Cases = []
on = noting(CASES)


@on(7, 2)
@on(-7, 2)
@on(7, -2)
@on(-7, -2)
@function
def intdiv(a: int, b: int):
    return a // b, a % b, a / b, divmod(a, b), -a // b, -(a // b), abs(a) % b


@on(7.5, 2.0)
@on(-7.5, 2.0)
@on(7.5, -2.0)
@on(-7.5, -2.0)
@function
def floatdiv(a: float, b: float):
    return a // b, a % b, a / b, divmod(a, b), math.fmod(a, b), np.fmod(a, b), np.mod(a, b)


@on(3)
@on(-3)
@on(0)
@function
def powers(x: int):
    return x ** 2, x ** 0, x ** 3, 2 ** 5, x * x, pow(x, 2), x**1


@on(3, 2)
@function
def powers_var(x: int, n: int):
    return x ** n


@on(3.0)
@function
def powers_f(x: float):
    return x ** 2, x ** -1, x ** 0.5, x ** 0, 2 ** x, x ** 3


@on(whole(range(4)))
@function
def powers_vec(x: Tensor[4, int32]):
    return x ** 2, x ** 3, np.power(x, 2), np.square(x), 2 ** x, x ** x


@on(2.567)
@on(-2.5)
@on(0.5)
@on(1.25)
@function
def rounding(x: float):
    return round(x), round(x, 1), np.round(x, 1), np.rint(x), int(x), math.floor(x), math.ceil(x), math.trunc(x)


@on(3, 0)
@on(0, 5)
@on(2, 4)
@function
def andor(a: int, b: int):
    return a and b, a or b


@on(3, 0)
@function
def andor2(a: int, b: int):
    return (a > 1 and b > 1), (a or 7), (0 or a), (a and 3), (None or a)


@on(3)
@function
def notint(a: int):
    return not a


@on(3)
@on(0)
@function
def ifint(a: int):
    if a:
        return 1
    return 2


@on(0.5)
@on(0.0)
@function
def iffloat(a: float):
    x = 5.0 if a else 6.0
    while a:
        a = a - 0.5
        x += 1
    return x


@on(3)
@function
def isnone(x: int):
    y = None
    if y is None:
        y = x
    return y


@on(1, 5, 9)
@on(5, 5, 9)
@function
def chain(a: int, b: int, c: int):
    return a < b < c, a <= b <= c, a == b == c, a < b > c, a != b != c, 0 < a <= 5 < b


@on(5)
@function
def loopvar2(n: int):
    for i in range(10):
        pass
    return i + n


@on(5)
@on(20)
@function
def whileelse(n: int):
    i = 0
    while i < 10:
        if i == n:
            break
        i += 1
    else:
        i = 100
    return i


@on(3, 4)
@function
def swap(a: int, b: int):
    a, b = b, a + b
    (a, b), c = (b, a), 5
    return a, b, c


@on(1)
@function
def shadow(x: int):
    max = x + 1
    sum = max + 2
    len = 3
    return sum * len


@on(1)
@function
def shadowf(x: int):
    def max(a, b):
        return a - b
    return max(x, 4)


@on(3)
@function
def trunc_in_loop(n: int):
    x = 0
    for i in range(n):
        x = x + 0.5
    return x


@on(3)
@function
def trunc_in_loop2(n: int):
    x = 10
    while x > n:
        x = x / 2
    return x


@on(np.array([1,2,3], np.uint8), np.array([1,-2,3], np.int8))
@function
def promo(a: Tensor[3, uint8], b: Tensor[3, int8]):
    return a + b, a + 1, b * 2, a / 2, a - a * 2, a + 1.5, -a, a // 2, a % 2


@on(whole([1,2,3]), normal(3))
@function
def promo2(a: Tensor[3, int32], b: Tensor[3]):
    return a + 1.0, b + 1, a > 1.5, b > 1, a * True, np.where(a > 1, a, 0.5), np.where(b > 0, 1, 0), np.where(b > 0, 1.0, 0)


@on(np.array([True, False, True]))
@function
def boolvec(a: Tensor[3, bool]):
    return a + a, a * 2, a.sum(), a.mean(), ~a, a & True, a | a, a ^ a, np.logical_not(a), a.any(), a.all(), a.astype(np.float32), a == False


@on(whole([7,-7,7,-7]), whole([2,2,-2,-2]))
@function
def vecdiv(a: Tensor[4, int32], b: Tensor[4, int32]):
    return a // b, a % b, a / b, np.mod(a, b), np.remainder(a, b), np.floor_divide(a, b), np.fmod(a, b), a // -2, a % -3


@on(np.array([7.5,-7.5,7.5,-7.5], np.float32), np.array([2,2,-2,-2], np.float32))
@function
def vecdivf(a: Tensor[4], b: Tensor[4]):
    return a // b, a % b, a / b, np.mod(a, b), np.remainder(a, b), np.floor_divide(a, b), np.fmod(a, b), a // -2, a % -3


@on(np.array([1,0,-1,0], np.float32))
@function
def vecdiv0(a: Tensor[4]):
    return a / 0, a // 0, 1 / a, a % 0, 0 / a


@on(whole([1,0,-1,0]))
@function
def vecdiv0i(a: Tensor[4, int32]):
    return a / 0, 1 / a


@on(normal(4), 2)
@function
def range_var_step(x: Tensor[4], k: int):
    t = 0.0
    for i in range(0, 4, k):
        t += x[i]
    return t


@on(10, 0, -3)
@function
def range_var_down(a: int, b: int, k: int):
    t = 0
    for i in range(a, b, k):
        t = t * 10 + i
    return t


@on(3)
@function
def i_before(n: int):
    i = 0
    for i in range(n):
        pass
    return i


@on(3)
@function
def i_changed(n: int):
    t = 0
    for i in range(n):
        i = i * 10
        t += i
    return t


@on(normal(5))
@function
def kwdefault(x: Tensor[5]):
    def f(a, b=2.0, c=1.0):
        return a * b + c
    return f(x) + f(x, 3.0) + f(x, c=5.0)


@on(normal(5))
@function
def kwonly_nested(x: Tensor[5]):
    def f(a, *, b=2.0):
        return a * b
    return f(x, b=3.0) + f(x)


@on(normal(5))
@function
def star_call(x: Tensor[5]):
    args = (1.0, 2.0)
    def f(a, b):
        return x * a + b
    return f(*args)


@on(normal(5))
@function
def star_target(x: Tensor[5]):
    a, *b = (1.0, 2.0, 3.0)
    return x * a + b[0] + b[1]


@on(normal(3))
@function
def unpack_tensor(x: Tensor[3]):
    a, b, c = x
    return a + b * c


@on(normal(3, 4))
@function
def unpack_shape(x: Tensor["n", "m"]):
    n, m = x.shape
    return x.reshape(n * m), n, m


@on(normal(3, 4))
@function
def shape_arith(x: Tensor["n", "m"]):
    b, d = x.shape
    h = 2
    y = x.reshape(b, h, d // h)
    return y.transpose(1, 0, 2), b + d, b * 2, d / 2


@on(normal(3, 4))
@on(normal(4, 4))
@function
def shape_if(x: Tensor["n", "m"]):
    if x.shape[0] == x.shape[1]:
        return x.sum()
    return x.mean()


@on(normal(3, 4))
@function
def assert_shape(x: Tensor["n", 4]):
    assert x.ndim == 2, f"want 2, got {x.ndim}"
    assert x.shape[1] == 4
    if x.shape[1] != 4:
        raise ValueError(f"bad {x.shape}")
    return x.sum()


@on(normal(3, 4), True)
@function
def flag(x: Tensor[3, 4], training: bool):
    return x * 2 if training else x


@on(normal(4))
@function
def optional_default(x: Tensor[4]):
    def norm(x, mask=None):
        if mask is not None:
            x = x * mask
        return x / x.sum()
    return norm(x) + norm(x, mask=np.ones(4, np.float32))


@on(normal(4))
@function
def list_append(x: Tensor[4]):
    out = []
    for i in range(4):
        out.append(x[i] * i)
    return np.stack(out)


@on(normal(4))
@function
def list_build(x: Tensor[4]):
    out = []
    for w in (1.0, 2.0):
        out = out + [x * w]
        out += [x]
    return np.concatenate(out)


@on(normal(4))
@function
def break_written(x: Tensor[4]):
    t = 0.0
    for w in (1.0, 2.0, 3.0):
        if t > x[0]:
            break
        t += w
    return t


@on(normal(4))
@function
def continue_written(x: Tensor[4]):
    t = 0.0
    for i, w in enumerate((1.0, 2.0, 3.0)):
        if x[i] > 0:
            continue
        t += w
    return t


@on(normal(4))
@function
def static_break(x: Tensor[4]):
    t = x
    for i, w in enumerate((1.0, 2.0, 3.0)):
        if i == 2:
            break
        t = t * w
    return t


@on(normal(4))
@function
def return_written(x: Tensor[4]) -> float32:
    for w in (1.0, 2.0, 3.0):
        if x[0] < w:
            return w
    return 0.0


@on(normal(3, 3))
@function
def nested_break(x: Tensor[3, 3]):
    r = -1
    for i in range(3):
        for j in range(3):
            if x[i, j] > 0.5:
                r = i * 3 + j
                break
        if r >= 0:
            break
    return r


@on(10)
@function
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@on(7)
@on(12)
@function
def collatz(n: int):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@on(normal(4))
@function
def early(x: Tensor[4]):
    if x[0] > 0:
        return x
    if x[1] > 0:
        return x * 2
    y = x * 3
    return y


@on(normal(3))
@function
def closure_counter(x: Tensor[3]):
    fs = []
    for c in (1.0, 2.0):
        fs = [*fs, lambda v, c=c: v + c]
    return fs[0](x) + fs[1](x)


@on(normal(3))
@function
def compose(x: Tensor[3]):
    def twice(f):
        return lambda v: f(f(v))
    return twice(lambda v: v * 2 + 1)(x)


@on(normal(3))
@function
def default_arg_once(x: Tensor[3]):
    k = 1.0
    def f(v, s=k):
        return v * s
    k = 5.0
    return f(x)


@on(normal(3))
@function
def alias11(x: Tensor[3]):
    y = x * 1
    z = y.astype(np.float32)
    y += 1
    return z


@on(normal(3))
@function
def alias13(x: Tensor[3]):
    y = x * 1
    z = np.where(True, y, y)
    z += 1
    return y


@on(whole([1,2,3]))
@function
def setitem_dtype(x: Tensor[3, int32]):
    y = x * 1
    y[0] = 2.7
    return y


@on(normal(3, 4))
@function
def setitems(x: Tensor[3, 4]):
    y = x.copy()
    y[0] = 1
    y[:, 1] = 2
    y[1, 2:] = 0
    y[-1, -1] = 7
    y[..., 0] = 4
    y[::2] = 3
    return y


@on(normal(3, 4))
@function
def setmask(x: Tensor[3, 4]):
    y = x.copy()
    y[y < 0] = 0
    y[x > 1] *= 2
    return y
