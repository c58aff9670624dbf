"""Arrays with several names, some only on some paths: `test_everyday.py` asks Python.

Each function takes an array of three and a whole number, by which paths differ.
"""

# pyright: basic, reportReturnType=false, reportPossiblyUnboundVariable=false
import numpy as np

from relay.frontend.python import PythonFunction, Tensor, data, float32, function, int32
from tests.frontend.python.everyday_cases import Cases


@data
class Box:
    t: Tensor[3]


@function
def ident(x: Tensor[3]) -> Tensor[3]:
    return x


@function
def swap(x: Tensor[3], y: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
    return y, x


@function
def boxed(x: Tensor[3]) -> Box:
    return Box(x)


@function
def sometimes(x: Tensor[3], n: int32) -> Tensor[3]:
    z = x * 2
    if n > 0:
        z = x
    return z


@function
def branch(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    if n > 0:
        z = y
    else:
        z = x.copy()
    y[0] = 9.0
    return z


@function
def conditional(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = y if n > 0 else x.copy()
    y[0] = 9.0
    return z


@function
def loop(x: Tensor[3], n: int32) -> Tensor[3]:
    y, z = x.copy(), x.copy()
    for _ in range(n):
        z = y
    y[0] = 9.0
    return z


@function
def while_loop(x: Tensor[3], n: int32) -> Tensor[3]:
    y, z = x.copy(), x.copy()
    while n > 0:
        z = y
        n = n - 1
    y[0] = 9.0
    return z


@function
def matched(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = x.copy()
    match n:
        case 1:
            z = y
        case _:
            z = x * 1
    y[0] = 9.0
    return z


@function
def early(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = x.copy()
    if n > 5:
        return x
    if n > 3:
        z = x * 2
    elif n > 0:
        z = y
    w = z
    z = x * 3
    w[0] = 9.0
    return y


@function
def called(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = ident(y)
    y[0] = 9
    return z


@function
def called_sometimes(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = sometimes(y, n)
    y[0] = 9
    return z


@function
def swapped(x: Tensor[3], n: int32) -> Tensor[3]:
    y, z = x.copy(), x * 2
    u, v = swap(y, z)
    u[0] = 9
    return z - v


@function
def field_of_call(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = swap(y, x)[1]
    y[0] = 9
    return z


@function
def local(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()

    def g() -> Tensor[3]:
        return y

    z = g()
    z[0] = 9
    return y


@function
def local_writes(x: Tensor[3], n: int32) -> Tensor[3]:
    def g(v):
        v[0] = 9.0
        return v

    y = x.copy()
    z = g(y)
    return y + z


@function
def field_of_data(x: Tensor[3], n: int32) -> float32:
    y = x.copy()
    b = Box(y)
    y[0] = 50
    return b.t[0]


@function
def data_of_call(x: Tensor[3], n: int32) -> float32:
    y = x.copy()
    b = boxed(y)
    y[0] = 50
    return b.t[0]


@function
def field(x: Tensor[3], n: int32) -> float32:
    b = Box(x.copy())
    z = b.t
    z[0] = 50
    return b.t[0]


@function
def pattern(x: Tensor[3], n: int32) -> Tensor[3]:
    b = Box(x.copy())
    match b:
        case Box(z):
            z[0] = 9.0
            return b.t


@function
def repeated(x: Tensor[3], n: int32) -> Tensor[3]:
    ys = [x.copy()] * 2
    ys[0] += 1
    return ys[1]


@function
def item(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    ys = [y, x * 2]
    ys[0] += 1
    return y


@function
def diagonal(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    d = np.diag(y)
    y[0, 0] = 40
    return d


@function
def turned(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = np.flip(y)
    y[0] = 40
    return z


@function
def in_a_later_round(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = x.copy()
    for i in range(n):
        if i == 1:
            z = y
        y[0] += 1.0
    return z


@function
def diagonal_by_einsum(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    d = np.einsum("ii->i", y)
    y[0, 0] = 40.0
    return d


@function
def repeated_fields(x: Tensor[3], n: int32) -> Tensor[3]:
    def twice(a: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
        return (a,) * 2  # pyright: ignore[reportReturnType]

    y = x.copy()
    u, v = twice(y)
    y[0] = 9.0
    return u + v


@function
def one_array_in_two_fields(x: Tensor[3], n: int32) -> Tensor[3]:
    def twice(a: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
        b = a * 2
        return b, b

    u, v = twice(x)
    u[0] = 9.0
    return v


@function
def made_before_the_rounds(x: Tensor[3], n: int32) -> Tensor[3]:
    prev, cur = x.copy(), np.zeros(3, np.float32)
    for _ in range(n):
        for j in range(3):
            cur[j] += prev[j] + 1
        prev = cur
    return prev


@function
def made_in_some_rounds(x: Tensor[3], n: int32) -> Tensor[3]:
    prev, cur = x.copy(), np.zeros(3, np.float32)
    for i in range(n):
        if i % 2 == 0:
            cur = np.zeros(3, np.float32)
        for j in range(3):
            cur[j] += prev[j] + 1
        prev = cur
    return prev


@function
def of_this_round(x: Tensor[3], n: int32) -> Tensor[3]:
    last = x.copy()
    for _ in range(n):
        cur = x * 2
        last = cur
        for j in range(3):
            cur[j] = last[0] + 1
    return last


@function
def of_a_round_around(x: Tensor[3], n: int32) -> tuple[Tensor[3], Tensor[3]]:
    kept, made = x.copy(), x.copy()
    for _ in range(n):
        other = made
        for _ in range(n):
            kept = made
            made = x * 2
            break
        other[0] = kept[1] + 1
    return kept, made


@function
def alone(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = ident(x).copy() if n > 0 else x * 2
    for i in range(n):
        z = z + y
        y[i % 3] += z[0]
    z[0] = 9
    return z - y


@function
def items_of_a_list(x: Tensor[3], n: int32) -> Tensor[3]:
    ys = [x.copy(), x.copy()]
    ys[0] += 1
    return ys[0] * ys[1]


@function
def numbers(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    t = y[0]
    y[0] = y[1]
    y[1] = t
    return y


@function
def plus_copies(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x * 2
    z = +y
    y[0] = 7
    return z - y


@function
def diagonals(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    d = np.diag(y).copy()
    d[:2] += np.diag(y, 1) + np.diag(y, -1)
    d[0] += np.diag(y, 2)[0]
    return d


@function
def new_in_a_tuple(x: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
    h = np.tanh(x)
    return h, x * 2


@function
def fields_that_are_new(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    h, _ = new_in_a_tuple(y)
    y[0] = 9.0
    return h + y


@function
def sums_by_einsum(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    s = np.einsum("ij->i", y)
    flat = y.flatten()
    y[0, 0] = 40.0
    return s + y[0] + flat[:3]


@function
def ping_pong(x: Tensor[3], n: int32):
    now, then = x.copy(), np.zeros(3, np.float32)
    for _ in range(n):
        for j in range(3):
            then[j] = 0.5 * now[j] + 0.25 * now[(j + 1) % 3]
        now, then = then, now
    return now


@function
def rotated(x: Tensor[3], n: int32):
    a, b, c = x.copy(), x * 2, x * 3
    for _ in range(n):
        a, b, c = b, c, a
        a[0] += b[1]
        c[1] = a[0]
    a[2] = 7
    return a, b, c


@function
def left_early(x: Tensor[3], n: int32):
    a, b = x.copy(), x * 2
    k = 0
    while True:
        a[0] += 1
        if k > n:
            break
        if k % 2:
            a, b = b, a
        k += 1
    b[1] = 5
    return a, b


@function
def by_a_third_name(x: Tensor[3], n: int32):
    a, b = x.copy(), x * 2
    for _ in range(n):
        spare = a
        a = b
        b = spare
        b[0] += a[1]
    return a, b


@function
def new_in_each_round(x: Tensor[3], n: int32):
    last = x
    for _ in range(n):
        now = last.copy()
        for j in range(3):
            now[j] += last[(j + 1) % 3]
        last = now
    return last


@function
def returned_from_the_loop(x: Tensor[3], n: int32) -> Tensor[3]:
    a, b = x.copy(), x * 2
    for i in range(5):
        a, b = b, a
        a[i % 3] += 1
        if i == n:
            return b
    a[0] = 9
    return b


@function
def one_of_three_stays(x: Tensor[3], n: int32):
    a, b, c = x.copy(), x * 2, x * 3
    for _ in range(n):
        a, b = b, c
        a[0] += 1
    return a, b, c


@function
def swapped_in_some_rounds_only(x: Tensor[3], n: int32):
    a, b = x.copy(), x * 2
    for i in range(n):
        if i % 2:
            a = b
        b[0] += 1
    return a, b


@function
def read_in_the_next_round(x: Tensor[3], n: int32):
    a, kept = x.copy(), x * 2
    total = 0.0
    for i in range(n):
        if i > 0:
            total += kept[0]
        kept = a
        a[0] += 1
    return total


@function
def perhaps_the_same(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x * 2 if n > 0 else x
    y += 1
    return y


@function
def shared_by_a_function(x: Tensor[3], n: int32) -> Tensor[3]:
    def same(v: Tensor[3]) -> Tensor[3]:
        return v

    y = x * 2
    z = same(y)
    z += 1
    return y


@function
def writes_to_its_parameter(x: Tensor[3], n: int32):
    x[0] = 1.0
    for i in range(n):
        x += i


@function
def bumped(v: Tensor[3], by: float32) -> Tensor[3]:
    v[1:] += by
    return v


@function
def writes_by_a_decorated_function(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x * 2
    for _ in range(n):
        bumped(y, 1.0)
    if n > 1:
        y = bumped(x, 0.5)
    y[0] = 7.0
    return y


def chosen(c, v, w):
    if c:
        v = w
    v[2] += 1
    return v


@function
def of_the_caller(x: Tensor[3], n: int32):
    y = x * 2
    z = chosen(n > 1, y, x)
    z[0] = 9.0
    return y, z


@function
def views_of_several(x: Tensor[3], n: int32):
    y, z = x * 2, x.copy()
    v = y[::-1] if n > 1 else z[:]
    for i in range(n):
        v[i % 3] += 5
        if i == 1:
            v = z[::-1]
    return y, z, v


@function
def data_that_changes(x: Tensor[3], n: int32):
    y = x * 2
    box = Box(y)
    for i in range(n):
        box.t[0] += 1
        if i > 0:
            box = Box(x)
    return y, box.t


@function
def one_list(x: Tensor[3], n: int32):
    rows = [x * 1, x * 2]
    if n > 1:
        rows = [x * 3, x]
        same = rows
    else:
        same = rows = [x, x * 4]
    same[0] = x + 1
    rows[1][0] = 8.0
    return rows[0], same[1]


@function
def write_around(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x * 2

    def put(k: int32, v: float32) -> int32:
        y[k] = v
        return 0

    z = put(0, 1.0)
    return y + z


@function
def one_view_with_two_names(x: Tensor[3], n: int32):
    c = x * 2
    v, w = x * 3, x * 4
    for i in range(n):
        v = c[::-1]
        w = v
        c = x + i
        v[0] = 5.0
    w[1:] += 1
    return v, w, c


@function
def in_a_dictionary_of_each_round(x: Tensor[3], n: int32):
    a, b = x * 2, x.copy()
    named = {"p": a, "q": x + 1}
    for i in range(n):
        a, b = b, a
        for _ in range(n):
            named = {**named, "q": b}
        b[1] = i + 1.0
    b[b > 2] = 0.5
    return a, b, named["p"], named["q"]


@function
def changed_here_and_new_there(x: Tensor[3], n: int32):
    named, rows = {"p": x * 1, "q": x + 1}, [x * 2, x * 3]
    if n > 1:
        named["p"] = x * 5
        rows[0] = x * 7
    else:
        named = {**named, "q": x * 4}
        rows = [*rows]
    return named["p"], named["q"], rows[0], rows[1]


X = np.array([1, 2, 3], np.float32)
CASES: Cases = [
    (each, (X, np.int32(n)))
    for each in list(vars().values())
    if isinstance(each, PythonFunction) and list(each.original.__annotations__)[:2] == ["x", "n"]
    for n in (0, 1, 3)
]
