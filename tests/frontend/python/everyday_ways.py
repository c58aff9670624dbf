"""Ways through loops, matches and functions as people write them: `test_everyday.py` asks Python.

What stands here has the value that plain Python and NumPy give, evaluated and compiled.
"""

# fmt: off
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportPossiblyUnboundVariable=false, reportReturnType=false, reportMatchNotExhaustive=false, reportUndefinedVariable=false
from collections.abc import Callable

import numpy as np

from relay.frontend.python import Tensor, data, function, int32
from tests.frontend.python.everyday_cases import Cases, noting

CASES: Cases = []
on = noting(CASES)
ROW = np.array([1, 2, 3], np.float32)


@data
class Add:
    by: int32


@data
class Stop:
    pass


Command = Add | Stop


@on(3)
@on(0)
@function
def found_in_an_endless_loop(n: int32) -> int32:
    i = 0
    while True:
        i += 1
        if i > n:
            r = i
            break
    return r


@on(3)
@on(0)
@function
def found_at_two_places(n: int32) -> int32:
    i = 0
    while True:
        if n > 1:
            i += 1
        else:
            r = 0
            break
        if i > 5:
            r = 2
            break
    return r


@on(Add(1), 3)
@on(Stop(), 3)
@function
def guard_and_break(c: Command, n: int32) -> int32:
    i = 0
    while True:
        match c:
            case Add(k) if i > n:
                break
            case Add(k):
                i += k
            case Stop():
                break
    return i


@on(Add(1), 3)
@on(Stop(), 3)
@function
def found_in_a_case(c: Command, n: int32) -> int32:
    i = 0
    while True:
        match c:
            case Add(k) if i > n:
                r = k
                break
            case Add(k):
                i += k
            case Stop():
                r = 0
                break
    return r


@on(Add(3))
@function
def bound_by_a_case(c: Command):
    t = 0
    while True:
        t += 1
        match c:
            case Add(k) if t > k:
                break
            case _:
                k = 0
    return k, t


@on(Add(1), 3)
@on(Add(4), 3)
@function
def one_case_raises(c: Command, n: int32):
    match c:
        case Add(k) if k > n:
            return 1
        case Add(k):
            x = 2
        case Stop():
            raise ValueError
    return x


@on(Add(1), 3)
@on(Add(4), 3)
@function
def one_case_raises_in_a_list(c: Command, n: int32):
    i = 0
    for _ in (1, 2, 3):
        match c:
            case Add(k) if k > n:
                break
            case Add(k):
                i += k
            case Stop():
                raise ValueError
    return i


@on(ROW)
@function
def items_that_change(x: Tensor[3]):
    s = 0.0
    for i, r in enumerate([x + 1, x + 2]):
        r[i] = 1
        r += 1
        s += r.sum()
    return s


@on(ROW)
@function
def a_named_case_that_changes(x: Tensor[3]):
    match x + 1:
        case z if z[0] > 1:
            z += 1
            return z
        case z:
            return z


@on(True, ROW)
@on(False, ROW)
@function
def one_of_two_functions(c: bool, x: Tensor[3]):
    k = 2.0

    def twice(v):
        w = v * k
        return w

    f = twice if c else np.tanh
    g = max if c else min
    return f(f(x)), g(x[0], x[1])


@on(ROW, np.ones((2, 3), np.float32))
@function
def of_any_size(x: Tensor["m"], y: Tensor["p", "m"]) -> tuple[Tensor["p"], Tensor["m"]]:
    def dot(a: Tensor["i", "j"], b: Tensor["j"]) -> Tensor["i"]:
        return a @ b

    z = dot(y, x)
    return z, dot(y.T, z)


@function
def scaling(s: int32) -> Callable[[Tensor["n"]], Tensor["n"]]:
    def scale(x: Tensor["n"]) -> Tensor["n"]:
        return x * s

    return scale


@on(ROW)
@function
def made_for_any_size(x: Tensor["n"]) -> Tensor["n"]:
    return scaling(2)(x)
