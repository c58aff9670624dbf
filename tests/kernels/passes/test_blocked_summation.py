"""Long sums are added up in blocks: whatever lies across a block's end, and how exact they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import relay
from relay.kernels.llvm.code_size import operations
from relay.kernels.loops import (
    Allocate,
    Buffer,
    For,
    Kernel,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
)
from relay.kernels.passes import blocked_summation
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.scalar import Const, Scalar, Var, lift, size_named
from relay.ops.functions.core import mean
from relay.ops.functions.core import sum as summed
from relay.ops.sum_and_mean_reductions import Variance
from relay.support.dtype import float32

Array = NDArray[np.float32]
OPEN = relay.DimVar("n")


def compiled(formula: Callable[..., Any], *shapes: tuple[Any, ...]) -> relay.Executable:
    params = tuple(relay.var(f"x{i}", shape=shape) for i, shape in enumerate(shapes))
    return relay.compile(
        relay.IRModule.from_expr(relay.Function(params, formula(*params))), threads=1
    )


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("size", [1, 5, 6, 13])
def test_blocks_of_a_few(monkeypatch: pytest.MonkeyPatch, size: int):
    """Products of 3 rows keep totals in registers, those of 12 in memory."""
    monkeypatch.setattr(blocked_summation, "SHORTEST", 1)
    monkeypatch.setattr(blocked_summation, "LONGEST", 5)
    x, y, image, weight = (
        random(size, 19),
        random(12, size),
        random(1, 4, size, 6),
        random(2, 4, 3, 3),
    )
    for n in (size, OPEN):
        outer = compiled(lambda x: summed(x, axis=[0], keepdims=True), (n, 19, 1))(x[..., None])
        np.testing.assert_allclose(outer[0, :, 0], x.sum(0), atol=1e-5)
        inner = compiled(lambda y: y - mean(y, axis=[1], keepdims=True), (12, n))(y)
        np.testing.assert_allclose(inner, y - y.mean(1, keepdims=True), atol=1e-5)
        for rows in (y[:3], y):
            product = compiled(relay.nn.matmul, (len(rows), n), (n, 19))(rows, x)
            np.testing.assert_allclose(product, rows @ x, atol=1e-5)
        taps = compiled(
            lambda x, w: relay.nn.conv2d(x, w, padding=[1, 1]), (1, 4, n, 6), (2, 4, 3, 3)
        )(image, weight)
        padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
        views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        np.testing.assert_allclose(taps, np.einsum("bihwkl,oikl->bohw", views, weight), atol=1e-4)


def test_sums_of_some_thousands_are_as_exact_as_those_of_other_libraries():
    """A product of many rows has longer blocks than a sum: the error is that of two of them."""
    count = 4096
    x, rows = np.full((count, 32), 0.1, np.float32), np.ones((12, count), np.float32)
    exact = count * float(np.float32(0.1))
    sums = compiled(lambda x: summed(x, axis=[0]), x.shape)(x)
    np.testing.assert_allclose(sums, exact, rtol=2 * 128 * 2.0**-24)
    products = compiled(relay.nn.matmul, rows.shape, x.shape)(rows, x)
    np.testing.assert_allclose(products, exact, rtol=2 * 512 * 2.0**-24)


@pytest.mark.parametrize("n", [1 << 20, OPEN], ids=str)
def test_long_sums_keep_their_digits(n: Any):
    """One accumulator is wrong by a hundredth."""
    count = 1 << 20
    bound = (8193 + count / 8192) * 2.0**-24
    x, row = np.full((count, 3), 0.1, np.float32), np.ones((2, count), np.float32)
    exact = count * float(np.float32(0.1))
    sums = compiled(lambda x: summed(x, axis=[0]), (n, 3))(x)
    np.testing.assert_allclose(sums, exact, rtol=bound)
    products = compiled(relay.nn.matmul, (2, n), (n, 3))(row, x)
    np.testing.assert_allclose(products, exact, rtol=bound)
    square = Variance(axis=(0,))
    spread = compiled(lambda x, m: relay.Call(square, (x, m)), (n, 3), (1, 3))(x, x[:1] * 0)
    np.testing.assert_allclose(spread, float(np.float32(0.1)) ** 2, rtol=bound)


def test_a_sum_without_a_block_keeps_what_was_added_before():
    """The columns of a window are fewer than a vector: all of them are in the rest of each row."""
    text = """#[version = "0.0.5"]
    def @main(%x: Tensor[(1, 1, h, w), float32]) { nn.adaptive_avg_pool2d(%x, output_size=[1, 4]) }
    """
    x = random(1, 1, 3, 8)
    found = relay.compile(relay.parse(text), threads=1)(x)
    np.testing.assert_allclose(found, x.mean(2).reshape(1, 1, 1, 4, 2).mean(4), atol=1e-6)


def test_code_grows_by_the_same_amount_for_each_loop():
    """The loops around a loop in blocks add its total once, not once for each addition in it."""

    def code(depth: int) -> int:
        loops = [Var(f"k{i}") for i in range(depth)]
        x = Buffer("x", tuple(size_named(f"n{i}") for i in range(depth)), float32)
        tile = Buffer("tile", (64,), float32, MemoryScope.REGISTER)
        i = Var("i")
        added = Load(tile, (i,)) + Load(x, tuple(loops))
        body: Stmt = For(i, Const(0), Const(64), Mode.UNROLL, Store(tile, (i,), added))
        for var, size in zip(reversed(loops), reversed(x.shape), strict=True):
            body = For(var, Const(0), lift(size), Mode.SERIAL, body)
        kernel = Kernel("sum", (x,), (), Allocate(tile, body))
        return operations(blocked_summation.block_sums(kernel, Simplifier()).body)

    two, three, four, five = map(code, (2, 3, 4, 5))
    assert five - four <= 1.5 * (three - two)


@pytest.mark.parametrize("size", [Const(4096), size_named("n")], ids=["known", "open"])
def test_code_that_seldom_runs_is_that_of_sums_that_are_longer_than_most(size: Scalar):
    """All blocks of a sum of known length run; those of an open length are rarely several."""
    x, total = Buffer("x", (size,), float32), Buffer("total", (), float32)
    k = Var("k")
    body = For(k, Const(0), size, Mode.SERIAL, Store(total, (), Load(total, ()) + Load(x, (k,))))
    kernel = blocked_summation.block_sums(Kernel("sum", (x, total), (), body), Simplifier())
    modes = {each.mode for each in statements(kernel.body) if isinstance(each, For)}
    assert modes == ({Mode.SERIAL} if isinstance(size, Const) else {Mode.SERIAL, Mode.SELDOM})
