"""Calls, defaults, closures and recursion as people write them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportRedeclaration=false
# pyright: reportOptionalMemberAccess=false, reportUnusedExpression=false, reportMatchNotExhaustive=false
from collections.abc import Callable

import numpy as np

from relay.frontend.python import Tensor, function
from tests.frontend.python.everyday_cases import Cases, normal, noting

CASES: Cases = []
on = noting(CASES)


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


@on(np.ones(3, np.float32), True)
@on(np.ones(3, np.float32), False)
@function
def lambdas_without_parameters(x: Tensor[3], c: bool):
    y = x * 2
    f = (lambda: y) if c else (lambda: x)
    if c:
        g = lambda: x
    else:
        g = lambda: y
    return f() + 1, g()


@on(5)
@on(8)
@function
def even_and_odd(n: int):
    def even(n: int) -> bool:
        return True if n == 0 else odd(n - 1)
    def odd(n: int) -> bool:
        return False if n == 0 else even(n - 1)
    return even(n), odd(n), even(n + 1)


@on(7)
@function
def three_in_a_ring(n: int):
    def a(n: int) -> int:
        if n <= 0: return 0
        return b(n - 1) + 1
    def b(n: int) -> int:
        if n <= 0: return 10
        return c(n - 1) * 2
    def c(n: int) -> int:
        if n <= 0: return 100
        return a(n - 1) + b(n - 2) + 1
    return a(n), b(n), c(n)


k = 5.0


@on(1.5)
@function
def read_when_called(x: float):
    def scaled(y):
        return shifted(y) * k
    def shifted(y: float) -> float:
        return y + k
    k = x * 2
    before = scaled(x)
    k = x * 3
    return before, scaled(x), shifted(x)


@on(1.5, 3)
@function
def read_in_a_loop(x: float, n: int):
    def bounded(y: float) -> float:
        return y + k if y > 10 else doubled(y * 2)
    def doubled(k: float) -> float:
        return bounded(k + 1.0) + k
    k = 1.0
    for i in range(n):
        k = k + i
        x = bounded(x)
    return x


@on(1.5, 1)
@on(1.5, -1)
@function
def read_in_branches(x: float, n: int):
    def plus(y: float) -> float:
        return y + k
    if n > 0:
        k = 2.0
        z = plus(x)
    else:
        k = 3.0
        z = plus(x) + plus(x)
    def times(k: float) -> float:
        return plus(k) * k
    return z + plus(x), times(z)


@on(4)
@function
def passed_on_late(n: int):
    def total(f: Callable[[int], int], n: int) -> int:
        return 0 if n == 0 else f(n) + total(f, n - 1)
    def square(i: int) -> int:
        return i * other(i)
    def other(i: int) -> int:
        return i + 1 if i > 2 else square(i + 1)
    return total(square, n) + total(other, n)


@on(1.5)
@on(0.5)
@on(-0.5)
@function
def one_of_three(x: float):
    if x > 1:
        f = np.sin
    elif x > 0:
        f = np.cos
    else:
        f = np.exp
    return f(x)


@on(1.5)
@on(-1.5)
@function
def one_of_four_closures(x: float):
    y, z = x * 2, x + 1
    f = (lambda v: v * y) if x > 1 else (np.sin if x > 0 else ((lambda v: v + z) if x > -1 else np.exp))
    return f(x)


def times(k):
    return lambda v: v * k


@on(1.5)
@on(0.5)
@on(-0.5)
@function
def closures_made_on_paths(x: float):
    if x > 0:
        f = times(np.sin(x) if x > 1 else np.cos(x))
    else:
        f = np.exp
    return f(x)


@on(1.5)
@on(0.5)
@on(-0.5)
@function
def function_changed_by_a_loop(x: float):
    f = np.sin
    for k in range(2):
        if x > k:
            f = np.cos
    return f(x)


@on(1.5, 3)
@on(0.5, 3)
@on(1.5, 1)
@function
def functions_exchanged_by_a_loop(x: float, n: int):
    y, f, g, h = x, np.sin, np.cos, np.exp
    for k in range(n):
        f, g = g, f
        y = y * 1.5
        if y > 2:
            g = lambda v: v * y
        h = np.tanh if f is np.cos else np.exp
    return f(x) - g(x) + h(x) * (f is np.cos) + (g in (np.sin, np.cos))


@on(normal(2, 3))
@function
def function_for_each_row(x: Tensor[2, 3]):
    first = x[0, 0]
    def scaled(row, by, plus=0.0):
        return row * by if row[0] > first else row / np.sum(row * row) + plus
    return np.apply_along_axis(scaled, 1, x, 2.0, plus=x[1, 1])
