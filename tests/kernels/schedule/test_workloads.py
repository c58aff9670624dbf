"""Scheduled kernels give what NumPy gives, before and after each pass, interpreted and compiled."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import interpret
from kernels.schedule import workloads
from kernels.schedule.workloads import Work

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Kernel
from relay.kernels.passes.hoist_addresses import hoist
from relay.kernels.passes.partition_loops import partition
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.passes.vectorize import vectorize
from relay.kernels.schedule.lower import nested

Array = np.ndarray
F = np.float32
INTERPRETED_LANES, COMPILED_LANES = 2, 16


def random(*shape: int) -> Array:
    rng = np.random.default_rng(sum(shape))
    return (rng.random(shape) - 0.5).astype(F)


def stages(work: Work) -> list[Kernel]:
    """Return the kernel as it is written, partitioned, vectorised, and with addresses hoisted."""
    simplify = Simplifier()
    written = nested(work.schedule, work.inputs, "kernel", simplify)
    cut = partition(written, simplify)
    wide = vectorize(cut, simplify)
    return [written, cut, wide, hoist(wide, simplify)]


def checked(kernel: Kernel) -> Kernel:
    assert complaints(kernel) == []
    return kernel


def check(work: Work, inputs: list[Array], expected: Array) -> None:
    written, *_, hoisted = map(checked, stages(work))
    for kernel in (written, hoisted):  # what a pass between them breaks stays broken
        out = np.full_like(expected, np.nan)
        interpret.run(kernel, *inputs, out)
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


def check_compiled(work: Work, inputs: list[Array], expected: Array) -> None:
    kernel = stages(work)[-1]
    out = np.full_like(expected, np.nan)
    codes = compile_kernels([kernel], CpuModel.host(), Options())
    Engine(codes).function(kernel, codes[0])(*inputs, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


def relu(x: Array) -> Array:
    return np.maximum(x, F(0))


def blocked(x: Array, lanes: int) -> Array:
    """Return NCHW as NCHW16c, with any number of lanes for the 16."""
    n, c, h, w = x.shape
    return np.ascontiguousarray(x.reshape(n, c // lanes, lanes, h, w).transpose(0, 1, 3, 4, 2))


def windows(x: Array, kernel: int, stride: int, dilation: int = 1) -> Array:
    """Return [n, c, oh, ow, kh, kw]: what each output pixel sees of a padded image."""
    reach = dilation * (kernel - 1) + 1
    views = np.lib.stride_tricks.sliding_window_view(x, (reach, reach), axis=(2, 3))
    return views[:, :, ::stride, ::stride, ::dilation, ::dilation]


def padded(x: Array, pad: int, value: float = 0.0) -> Array:
    return np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=F(value))


def gemm_case(lanes: int, m: int, n: int, k: int, mr: int = 14) -> tuple[Work, list[Array], Array]:
    a, b, bias, residual = random(m, k), random(k, n), random(n), random(m, n)
    tile = 2 * lanes
    blocks = -(-n // tile)
    wide = np.zeros((k, blocks * tile), F)
    wide[:, :n] = b
    packed = np.ascontiguousarray(wide.reshape(k, blocks, tile).transpose(1, 0, 2))
    work = workloads.gemm(m, n, k, mr, lanes=lanes)
    return work, [a, packed, bias, residual], relu(a @ b + bias + residual)


def conv_case(
    lanes: int, n: int, c: int, h: int, w: int, o: int, kernel: int, stride: int = 1, pad: int = 0,
    dilation: int = 1, tile: int = 4, blocks: int = 2,
) -> tuple[Work, list[Array], Array]:  # fmt: skip
    c, o = c * lanes, o * lanes
    x, f, bias = random(n, c, h, w), random(o, c, kernel, kernel), random(o)
    seen = windows(padded(x, pad), kernel, stride, dilation)
    y = np.einsum("nchwij,ocij->nohw", seen, f).astype(F) + bias[:, None, None]
    residual = random(*y.shape)
    work = workloads.conv(n, c, h, w, o, kernel, stride, pad, dilation, tile, blocks, lanes)
    shape = (o // lanes, lanes, c // lanes, lanes, kernel, kernel)
    weight = np.ascontiguousarray(f.reshape(shape).transpose(0, 2, 4, 5, 3, 1))
    inputs = [blocked(x, lanes), weight, bias.reshape(-1, lanes), blocked(residual, lanes)]
    return work, inputs, blocked(relu(y + residual), lanes)


def depthwise_case(
    lanes: int, n: int, c: int, h: int, w: int, kernel: int, stride: int, pad: int
) -> tuple[Work, list[Array], Array]:
    c = c * lanes
    x, f = random(n, c, h, w) * 9, random(c, kernel, kernel)
    y = np.einsum("nchwij,cij->nchw", windows(padded(x, pad), kernel, stride), f).astype(F)
    weight = np.ascontiguousarray(f.reshape(-1, lanes, kernel, kernel).transpose(0, 2, 3, 1))
    work = workloads.depthwise(n, c, h, w, kernel, stride, pad, lanes=lanes)
    return work, [blocked(x, lanes), weight], blocked(np.clip(y, F(0), F(6)), lanes)


def pool_case(
    lanes: int, n: int, c: int, h: int, w: int, kernel: int, stride: int, pad: int
) -> tuple[Work, list[Array], Array]:
    c = c * lanes
    x = random(n, c, h, w)
    y = windows(padded(x, pad, -np.inf), kernel, stride).max((4, 5))
    work = workloads.max_pool(n, c, h, w, kernel, stride, pad, lanes)
    return work, [blocked(x, lanes)], blocked(y, lanes)


def softmax_case(lanes: int, rows: int, columns: int) -> tuple[Work, list[Array], Array]:
    x = random(rows, columns) * 9
    e = np.exp(x - x.max(1, keepdims=True))
    return workloads.softmax(rows, columns, lanes), [x], e / e.sum(1, keepdims=True)


def chain_case(lanes: int, *shape: int) -> tuple[Work, list[Array], Array]:
    x, y = random(*shape), random(*shape)
    return workloads.chain(shape, lanes), [x, y], relu(x * 2 + y)


def batch_matmul_case(
    lanes: int, b: int, m: int, n: int, k: int
) -> tuple[Work, list[Array], Array]:
    x, y = random(b, m, k), random(b, n, k)
    work = workloads.batch_matmul(b, m, n, k, lanes=lanes)
    return work, [x, y], x @ y.transpose(0, 2, 1)


def deconv_case(
    lanes: int, c: int, h: int, o: int, kernel: int, stride: int, pad: int
) -> tuple[Work, list[Array], Array]:
    x, f = random(h, c), random(kernel, c, o)
    full = np.zeros(((h - 1) * stride + kernel, o), F)
    for at in range(h):
        full[at * stride : at * stride + kernel] += np.einsum("c,kco->ko", x[at], f)
    expected = np.ascontiguousarray(full[pad : len(full) - pad])
    work = workloads.conv_transpose(c, h, o, kernel, stride, pad, lanes)
    return work, [x, f], expected


CASES: list[tuple[Callable[..., tuple[Work, list[Array], Array]], tuple[int, ...]]] = [
    (gemm_case, (30, 20, 2)),
    (gemm_case, (14, 32, 3)),
    (gemm_case, (5, 7, 3)),
    (gemm_case, (29, 65, 1)),
    (gemm_case, (3, 49, 2)),
    (conv_case, (1, 1, 5, 6, 2, 3, 1, 1)),
    (conv_case, (1, 1, 5, 9, 3, 3, 2, 1)),
    (conv_case, (1, 1, 5, 5, 1, 5, 1, 2, 1, 5)),
    (conv_case, (1, 1, 5, 6, 1, 3, 1, 2, 2, 4)),
    (conv_case, (1, 2, 3, 5, 1, 1)),
    (depthwise_case, (1, 2, 6, 12, 3, 2, 1)),
    (depthwise_case, (2, 1, 6, 5, 5, 1, 2)),
    (depthwise_case, (1, 1, 3, 20, 3, 1, 1)),
    (pool_case, (1, 2, 8, 8, 2, 2, 0)),
    (pool_case, (2, 1, 7, 9, 3, 2, 1)),
    (softmax_case, (3, 40)),
    (softmax_case, (2, 5)),
    (softmax_case, (4, 16)),
    (chain_case, (3, 5, 7)),
    (chain_case, (32,)),
    (chain_case, (3,)),
    (batch_matmul_case, (2, 13, 40, 5)),
    (batch_matmul_case, (1, 3, 16, 4)),
    (deconv_case, (3, 5, 18, 4, 2, 1)),
    (deconv_case, (2, 6, 16, 3, 3, 0)),
    (deconv_case, (2, 4, 7, 5, 3, 1)),
]


def name(value: object) -> str:
    return value.__name__ if callable(value) else "x".join(map(str, value))  # pyright: ignore


@pytest.mark.parametrize(("case", "shape"), CASES, ids=name)
def test_interpreted(case, shape) -> None:
    check(*case(INTERPRETED_LANES, *shape))


@pytest.mark.parametrize(("case", "shape"), CASES, ids=name)
def test_compiled(case, shape) -> None:
    check_compiled(*case(COMPILED_LANES, *shape))


@settings(max_examples=10)
@given(st.integers(1, 12), st.integers(1, 20), st.integers(1, 2), st.integers(1, 9))
def test_any_matrix_product(m: int, n: int, k: int, mr: int) -> None:
    check(*gemm_case(4, m, n, k, mr))


@settings(max_examples=12)
@given(st.data())
def test_any_convolution(data: st.DataObject) -> None:
    def draw(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    kernel, dilation, pad, stride = draw(1, 4), draw(1, 2), draw(0, 3), draw(1, 3)
    reach = dilation * (kernel - 1) + 1
    least = max(1, reach - 2 * pad)
    h, w = draw(least, least + 5), draw(least, least + 9)
    tile, blocks = draw(1, 6), draw(1, 2)
    check(*conv_case(2, 1, 1, h, w, 1, kernel, stride, pad, dilation, tile, blocks))


@settings(max_examples=20)
@given(st.data())
def test_any_transposed_convolution(data: st.DataObject) -> None:
    def draw(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    kernel, stride, h = draw(1, 5), draw(1, 4), draw(1, 6)
    pad = draw(0, (kernel - 1) // 2)
    check(*deconv_case(4, 1, h, 3, kernel, stride, pad))
