"""Arrays that two variables may share: what is written gives NumPy's value, or `F116`."""

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float32, int32
from relay.support.errors import RelayError


@relay.data
class Box:
    t: Tensor[3]


@relay.function
def ident(x: Tensor[3]) -> Tensor[3]:
    return x


@relay.function
def swap(x: Tensor[3], y: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
    return y, x


@relay.function
def boxed(x: Tensor[3]) -> Box:
    return Box(x)


@relay.function
def sometimes(x: Tensor[3], n: int32) -> Tensor[3]:
    z = x * 2
    if n > 0:
        z = x
    return z


@relay.function
def branch(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    if n > 0:
        z = y
    else:
        z = x.copy()
    y[0] = 9.0
    return z


@relay.function
def conditional(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = y if n > 0 else x.copy()
    y[0] = 9.0
    return z


@relay.function
def loop(x: Tensor[3], n: int32) -> Tensor[3]:
    y, z = x.copy(), x.copy()
    for _ in range(n):
        z = y
    y[0] = 9.0
    return z


@relay.function
def while_loop(x: Tensor[3], n: int32) -> Tensor[3]:
    y, z = x.copy(), x.copy()
    while n > 0:
        z = y
        n = n - 1
    y[0] = 9.0
    return z


@relay.function
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


@relay.function
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


@relay.function
def called(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = ident(y)
    y[0] = 9
    return z


@relay.function
def called_sometimes(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = sometimes(y, n)
    y[0] = 9
    return z


@relay.function
def swapped(x: Tensor[3], n: int32) -> Tensor[3]:
    y, z = x.copy(), x * 2
    u, v = swap(y, z)
    u[0] = 9
    return z - v


@relay.function
def field_of_call(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = swap(y, x)[1]
    y[0] = 9
    return z


@relay.function
def local(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()

    def g() -> Tensor[3]:
        return y

    z = g()
    z[0] = 9
    return y


@relay.function
def local_writes(x: Tensor[3], n: int32) -> Tensor[3]:
    def g(v):
        v[0] = 9.0
        return v

    y = x.copy()
    z = g(y)
    return y + z


@relay.function
def data(x: Tensor[3], n: int32) -> float32:
    y = x.copy()
    b = Box(y)
    y[0] = 50
    return b.t[0]


@relay.function
def data_of_call(x: Tensor[3], n: int32) -> float32:
    y = x.copy()
    b = boxed(y)
    y[0] = 50
    return b.t[0]


@relay.function
def field(x: Tensor[3], n: int32) -> float32:
    b = Box(x.copy())
    z = b.t
    z[0] = 50
    return b.t[0]


@relay.function
def pattern(x: Tensor[3], n: int32) -> Tensor[3]:
    b = Box(x.copy())
    match b:
        case Box(z):
            z[0] = 9.0
            return b.t


@relay.function
def repeated(x: Tensor[3], n: int32) -> Tensor[3]:
    ys = [x.copy()] * 2
    ys[0] += 1
    return ys[1]


@relay.function
def item(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    ys = [y, x * 2]
    ys[0] += 1
    return y


@relay.function
def diagonal(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    d = np.diag(y)
    y[0, 0] = 40
    return d


@relay.function
def turned(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = np.flip(y)
    y[0] = 40
    return z


@relay.function
def in_a_later_round(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = x.copy()
    for i in range(n):
        if i == 1:
            z = y
        y[0] += 1.0
    return z


@relay.function
def diagonal_by_einsum(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    d = np.einsum("ii->i", y)
    y[0, 0] = 40.0
    return d


@relay.function
def turned_by_einsum(x: Tensor[3], n: int32) -> Tensor[3, 3]:
    y = x.reshape(3, 1) * x
    z = np.einsum("ij->ji", y)
    z += 1.0
    return y


@relay.function
def repeated_fields(x: Tensor[3], n: int32) -> Tensor[3]:
    def twice(a: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
        return (a,) * 2  # pyright: ignore[reportReturnType]

    y = x.copy()
    u, v = twice(y)
    y[0] = 9.0
    return u + v


@relay.function
def one_array_in_two_fields(x: Tensor[3], n: int32) -> Tensor[3]:
    def twice(a: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
        b = a * 2
        return b, b

    u, v = twice(x)
    u[0] = 9.0
    return v


@relay.function
def made_before_the_rounds(x: Tensor[3], n: int32) -> Tensor[3]:
    prev, cur = x.copy(), np.zeros(3, np.float32)
    for _ in range(n):
        for j in range(3):
            cur[j] += prev[j] + 1
        prev = cur
    return prev


@relay.function
def made_in_some_rounds(x: Tensor[3], n: int32) -> Tensor[3]:
    prev, cur = x.copy(), np.zeros(3, np.float32)
    for i in range(n):
        if i % 2 == 0:
            cur = np.zeros(3, np.float32)
        for j in range(3):
            cur[j] += prev[j] + 1
        prev = cur
    return prev


@relay.function
def of_this_round(x: Tensor[3], n: int32) -> Tensor[3]:
    last = x.copy()
    for _ in range(n):
        cur = x * 2
        last = cur
        for j in range(3):
            cur[j] = last[0] + 1
    return last


@relay.function
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


@pytest.mark.parametrize(
    "program",
    [
        *(branch, conditional, loop, while_loop, matched, early, called, called_sometimes, swapped),
        *(field_of_call, local, data_of_call, in_a_later_round, turned_by_einsum),
        *(repeated_fields, one_array_in_two_fields, made_before_the_rounds, made_in_some_rounds),
        of_a_round_around,
    ],
    ids=lambda each: each.__name__,
)
def test_what_two_names_may_see_is_refused(program):
    with pytest.raises(RelayError) as caught:
        program(np.array([1, 2, 3], "f"), np.int32(1))
    assert caught.value.code == "F116"
    assert "copy" in str(caught.value) or "new" in str(caught.value)


@relay.function
def alone(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    z = ident(x).copy() if n > 0 else x * 2
    for i in range(n):
        z = z + y
        y[i % 3] += z[0]
    z[0] = 9
    return z - y


@relay.function
def items_of_a_list(x: Tensor[3], n: int32) -> Tensor[3]:
    ys = [x.copy(), x.copy()]
    ys[0] += 1
    return ys[0] * ys[1]


@relay.function
def numbers(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    t = y[0]
    y[0] = y[1]
    y[1] = t
    return y


@relay.function
def plus_copies(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x * 2
    z = +y
    y[0] = 7
    return z - y


@relay.function
def diagonals(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    d = np.diag(y).copy()
    d[:2] += np.diag(y, 1) + np.diag(y, -1)
    d[0] += np.diag(y, 2)[0]
    return d


@relay.function
def new_in_a_tuple(x: Tensor[3]) -> tuple[Tensor[3], Tensor[3]]:
    h = np.tanh(x)
    return h, x * 2


@relay.function
def fields_that_are_new(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.copy()
    h, _ = new_in_a_tuple(y)
    y[0] = 9.0
    return h + y


@relay.function
def sums_by_einsum(x: Tensor[3], n: int32) -> Tensor[3]:
    y = x.reshape(3, 1) * x
    s = np.einsum("ij->i", y)
    flat = y.flatten()
    y[0, 0] = 40.0
    return s + y[0] + flat[:3]


@pytest.mark.parametrize(
    "program",
    [
        *(alone, items_of_a_list, numbers, plus_copies, diagonals),
        *(fields_that_are_new, sums_by_einsum, local_writes, data, field, pattern, repeated),
        *(item, diagonal, turned, diagonal_by_einsum, of_this_round),
    ],
    ids=lambda each: each.__name__,
)
def test_what_one_name_sees_is_written(program):
    x = np.array([1, 2, 3], "f")
    for n in (0, 2):
        wanted = program.python(x.copy(), np.int32(n))
        np.testing.assert_allclose(program(x, np.int32(n)), wanted, rtol=1e-6)
        compiled = relay.compile(program)
        np.testing.assert_allclose(compiled(x, np.int32(n)), wanted, rtol=1e-6)
