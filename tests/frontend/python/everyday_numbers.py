"""Arithmetic and conditions as people write them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
import math

import numpy as np

from relay.frontend.python import Tensor, function, int8, int32, uint8
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


@on(normal(5))
@function
def np_in_scalars(x: Tensor[5]):
    m = np.max(x)
    i = int(np.argmax(x))
    return m, i, float(m) * 2, x[i] == m, np.float64(m).dtype == np.float64


@on(np.array([250, 3], np.uint8))
@function
def u8(x: Tensor[2, uint8]):
    return x + x, x * 2, x.sum(), x.mean(), x // 7, x - 4, x.astype(np.int32) - 4, x > 100, x / 255, x.max()


@on(normal(4))
@function
def tern_chain(x: Tensor[4]):
    s = x.sum()
    return 1.0 if s > 1 else -1.0 if s < -1 else 0.0


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


NAN = float("nan")


@on(1.0, NAN, 0.5)
@on(NAN, 1.0, 0.5)
@on(-0.0, 0.0, NAN)
@function
def in_order(x: float, y: float, z: float):
    known = max(1.0, NAN, 0.5), min(NAN, 1.0), max((1, 5), (3, 4)), max([2.0, 3.0])
    return max(x, y), min(x, y), max(x, y, z), min(y, x, z), max(x, 1.0), np.maximum(x, y), *known


@on(np.array([1.0, NAN, 3.0, -2.0], np.float32))
@on(np.array([NAN, 1.0], np.float32))
@on(np.array([-np.inf, NAN], np.float32))
@function
def in_order_of_a_tensor(x: Tensor["n"]):
    return max(x), min(x), x.max(), np.min(x)


@on(np.array([3, -1, 2], np.int32), 2)
@function
def in_order_of_integers(x: Tensor["n", int32], k: int):
    return max(x), min(x), max(k, 3), max(k > 1, k < 0), min([k, 2 * k, 7])


@on(normal(2, 3))
@function
def sums_along_no_axis(x: Tensor[2, "n"]):
    return np.sum(x, axis=()), x.max(axis=()), np.var(x, axis=(), ddof=0), np.any(x > 0, ())
