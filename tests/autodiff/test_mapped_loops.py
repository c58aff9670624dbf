"""Loops that depend on mapped values: rows take different numbers of steps (`relay.vmap`)."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float64, int64
from relay.support.errors import RelayError

RNG = np.random.default_rng(5)
ROWS, NUMBERS = RNG.uniform(-2, 2, (5, 4)), np.array([1, 7, 27, 0, 12])
POSITIVE = np.array([0.43, 1.71, 2.04, 3.37])
Function = Callable[..., Any]
vmap, grad, jit = cast("Any", relay.vmap), cast("Any", relay.grad), cast("Any", relay.jit)


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def newton(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def first_big(xs):
    total = 0.0
    for x in xs:
        if x < 0.0:
            continue
        total = total + x * x
        if total > 3.0:
            break
    return total


def returns_from_inner_loop(x):
    total = 0.0
    while x > 0.0:
        y = x
        while y > 0.5:
            y = y * 0.6
            total = total + y * x
            if total > 5.0:
                return total * total
            if total < 1.0:
                continue
            total = total + 0.1
        x = x - 0.9
    return total


def counters_of_two_loops(xs):
    for i in range(4):
        for j in range(4):
            if i < j and xs[i] + xs[j] > 2.0:
                return i * 10 + j
    return -1


def loop_in_branch(x):
    """Return a result for which the loop would not end where the branch is not taken."""
    y = 0.0
    if x > 1.0:
        while x != 0.0:
            x = np.maximum(x - 1.0, 0.0)
            y = y + np.sqrt(x + 1.0)
    return y


def containers(x):
    sums, pair = {"sum": x, "last": x}, (x, [x * 2.0, x])
    while pair[0] > 0.1:
        x, (a, b) = pair
        sums = {"sum": sums["sum"] + x, "last": a}
        pair = (x * 0.5, [b * x, a])
    return sums["sum"] - sums["last"] * pair[1][0]


def mapped_after_a_step(x):
    y, z, steps = 0.0, 0.0, 0
    while y + z < 10.0:
        z = y * 0.5
        y = y + x
        steps += 1
    return y + z * steps


def infinite_slopes(x):
    """Return sums of roots, of negative numbers for a row that has left the loop."""
    total = 0.0
    while x > 0.5:
        total = total + np.sqrt(x - 0.5)
        x = x - 0.7
    return total


def traps(n):
    """Return a sum: a row that has left the loop would divide by 0, and fail an assertion."""
    total = 0
    while n > 0:
        assert n > 0
        total = total + 100 // n
        n = n - 1
    return total


def uneven_counter(xs):
    """Return a sum whose counter advances differently on two paths."""
    total, i = 0.0, 0
    while i < 4:
        total = total + xs[i]
        i = i + 2 if total > 1.0 else i + 1
    return total


CASES = [
    (collatz, NUMBERS),
    (newton, POSITIVE),
    (first_big, ROWS),
    (returns_from_inner_loop, POSITIVE),
    (counters_of_two_loops, ROWS),
    (loop_in_branch, np.array([-1.0, 2.5, 0.0, 4.3])),
    (containers, POSITIVE),
    (mapped_after_a_step, POSITIVE),
    (infinite_slopes, POSITIVE),
    (traps, NUMBERS),
    (uneven_counter, ROWS),
]
names = [function.__name__ for function, _ in CASES]


@pytest.mark.parametrize(("function", "rows"), CASES, ids=names)
def test_values(function: Function, rows: np.ndarray) -> None:
    """Also for no rows."""
    many = vmap(function)
    np.testing.assert_allclose(many(rows), [*map(function, rows)])
    assert many(rows[:0]).shape == (0,)


@pytest.mark.parametrize(("function", "rows"), [CASES[3], CASES[9]])
def test_compiled(function: Function, rows: np.ndarray) -> None:
    """Also for two axes, where the rows of a row leave the loop together or not."""
    wanted = np.array([function(row) for row in rows])
    np.testing.assert_allclose(jit(vmap(function))(rows), wanted)
    twice = jit(vmap(vmap(function)))
    np.testing.assert_allclose(twice(np.stack([rows, rows[::-1]])), [wanted, wanted[::-1]])


def slopes(function: Function, rows: np.ndarray) -> np.ndarray:
    """Return the derivative of each row's result by finite differences."""
    found = np.zeros_like(rows)
    for index in np.ndindex(rows.shape):
        step = np.zeros_like(rows)
        step[index] = 1e-6
        ahead, behind = (function((rows + way * step)[index[0]]) for way in (1, -1))
        found[index] = (ahead - behind) / 2e-6
    return found


@pytest.mark.parametrize(
    "function",
    [newton, first_big, returns_from_inner_loop, containers, mapped_after_a_step, infinite_slopes],
)
def test_gradients(function: Function) -> None:
    """Maps of gradients, and gradients of maps."""
    rows = ROWS if function is first_big else POSITIVE
    wanted = slopes(function, rows)
    each = vmap(grad(function))
    np.testing.assert_allclose(each(rows), wanted, rtol=1e-5, atol=1e-8)
    whole = grad(lambda xs: vmap(function)(xs).sum())
    np.testing.assert_allclose(whole(rows), wanted, rtol=1e-5, atol=1e-8)


def test_compiled_gradients() -> None:
    """By a shared argument."""

    def scaled(x, w):
        while np.sum(x * x) > 0.1:
            x = np.tanh(x * w) / (1.0 + np.sum(x * x))
        return np.sum(x * w)

    each = jit(vmap(grad(scaled, "w"), in_axes=(0, None)))
    one = grad(scaled, "w")
    np.testing.assert_allclose(each(ROWS, ROWS[0]), [one(row, ROWS[0]) for row in ROWS])


def shrunk(x):
    """Return the norm of a vector that a loop shrinks."""
    while np.sum(x * x) > 0.2:
        x = np.tanh(x) * 0.9
    return np.sum(x * x), x


@pytest.mark.parametrize(
    "derivative",
    [
        relay.jacobian(lambda x: shrunk(x)[1]),
        relay.hessian(lambda x: shrunk(x)[0]),
        relay.grad(shrunk, has_aux=True),
        relay.value_and_grad(shrunk, has_aux=True),
    ],
)
def test_other_derivatives(derivative: Function) -> None:
    """Jacobians and Hessians are computed in forward mode instead of reverse mode."""
    found, wanted = vmap(derivative)(ROWS), [derivative(row) for row in ROWS]
    leaves, of_rows = flat(found), zip(*map(flat, wanted), strict=True)
    for leaf, rows in zip(leaves, of_rows, strict=True):
        np.testing.assert_allclose(leaf, np.stack(rows))


def flat(values: Any) -> list[Any]:
    """Return the arrays in nested tuples."""
    return [x for each in values for x in flat(each)] if isinstance(values, tuple) else [values]


@pytest.mark.parametrize("shares", [False, True])
def test_products_with_jacobians(shares: bool) -> None:
    """The derivative of the result is the last argument, of each row or shared."""
    pullback = relay.vjp(lambda x: shrunk(x)[1])
    directions = [ROWS[0] if shares else row for row in ROWS[::-1]]
    given, axes = (ROWS[0], (0, None)) if shares else (ROWS[::-1].copy(), 0)
    pairs = [cast("Any", pullback)(*each) for each in zip(ROWS, directions, strict=True)]
    found = vmap(pullback, in_axes=axes)(ROWS, given)
    for each, rows in zip(found, zip(*pairs, strict=True), strict=True):
        np.testing.assert_allclose(each, np.stack(rows))


def test_branches_that_are_not_taken_do_not_change_derivatives() -> None:
    """The slope of a root is infinite at 0, where the other side is taken."""

    def guarded(x):
        return np.sqrt(x) * x if x > 0.0 else 3.0 * x

    xs = np.array([-1.0, 0.0, 4.0])
    np.testing.assert_allclose(vmap(grad(guarded))(xs), [3.0, 3.0, 3.0])
    np.testing.assert_allclose(grad(lambda xs: vmap(guarded)(xs).sum())(xs), [3.0] * 3)


def test_traps_of_active_rows() -> None:
    """The assertion fails for one row only."""

    def checked(x):
        while x > 1.0:
            x = x * 0.5
            assert x != 1.0
        return x

    assert vmap(checked)(np.array([3.0, 0.5])).tolist() == [0.75, 0.5]
    with pytest.raises(RelayError) as caught:
        vmap(checked)(np.array([3.0, 8.0, 0.5]))
    assert caught.value.code == "R040"


@relay.function
def power(n: int64, x: float64) -> float64:
    """Return a power of `x` by recursion that is not a loop."""
    if n <= 0:
        return 1.0
    half = power(n // 2, x)
    return half * half * (x if n % 2 == 1 else 1.0)


def test_recursion() -> None:
    """Calls in one side of a branch, which ends when no row takes that side."""
    n, x = np.array([0, 5, 2, 9]), np.array([2.0, 1.5, -1.0, 0.7])
    np.testing.assert_allclose(jit(vmap(power))(n, x), x**n)
    slope = vmap(grad(power, "x"))
    np.testing.assert_allclose(slope(n, x), n * x ** (n - 1.0))


@relay.data
class Single:
    """One number."""

    a: float64


@relay.data
class Pair:
    """Two numbers."""

    a: float64
    b: float64


@relay.function
def ratio(data: Single | Pair, y: float64) -> float64:
    """Return a number of which a loop that reads the data takes different numbers of steps."""
    total = 0.0
    while y > 0.5:
        match data:
            case Pair(a, b):
                total = total + np.log(a + b)
                y = y - 0.4
            case Single(a):
                total = total + 1.0 / a
                y = y * 0.5
    return 1.0 / (total + 0.1)


@relay.function
def of_data(x: float64, pair: int64) -> float64:
    """Return a sum over a loop that passes data to another loop."""
    data: Single | Pair = Single(x)
    if pair > 0:
        data = Pair(x, x + 1.0)
    total = 0.0
    while x > 0.0:
        total = total + np.sqrt(ratio(data, x))
        x = x - 1.5
    return total


@pytest.mark.parametrize("pair", [0, 1])
def test_data_with_mapped_fields(pair: int) -> None:
    """Elements that have left a loop also replace the fields of data."""
    found = vmap(of_data, in_axes=(0, None))(POSITIVE, pair)
    np.testing.assert_allclose(found, [of_data.python(x, pair) for x in POSITIVE])
    slope = grad(of_data)
    found = vmap(slope, in_axes=(0, None))(POSITIVE, pair)
    np.testing.assert_allclose(found, [slope(x, pair) for x in POSITIVE])


@relay.function
def open_size(xs: Tensor["n", float64]) -> float64:  # noqa: F821 - a size
    """Return the sum of the first elements of an array of any size."""
    total = 0.0
    for x in xs:
        total = total + x
        if total > 2.0:
            break
    return total


def test_open_sizes_and_uniform_counters() -> None:
    """The counter of the loop is the same for all rows, so it is not mapped."""
    many = vmap(open_size)
    np.testing.assert_allclose(relay.compile(many)(ROWS), [*map(open_size.python, ROWS)])
    assert "%i: int32" in many.module.astext()


def test_uniform_loops_stay() -> None:
    """A loop that takes the same steps for all rows has no mask."""

    def repeated(x):
        for i in range(3):
            x = x * 2.0 + i
        return x

    many = vmap(repeated)
    np.testing.assert_allclose(many(POSITIVE), 8.0 * POSITIVE + 4.0)
    assert "any(" not in many.at(POSITIVE).module.astext()


WRITING = """
def @main(%x: float32) {
  if (%x > 1f) { let %r = ref(%x); ref_write(%r, 2f); ref_read(%r) } else { %x }
}"""


def test_branches_without_a_mapped_form() -> None:
    """Elements cannot share what they write."""
    with pytest.raises(RelayError, match="references") as caught:
        vmap(relay.parse('#[version = "0.0.5"]' + WRITING))
    assert caught.value.code == "C120"
