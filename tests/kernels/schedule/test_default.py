"""The default schedule is right for whatever tensor expressions say."""

from collections.abc import Sequence

import numpy as np
import pytest
from kernels import interpret

from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import lower

Array = np.ndarray
RNG = np.random.default_rng(7)


def check(
    outputs: Sequence[te.Tensor], inputs: Sequence[te.Tensor], arrays: Sequence[Array],
    expected: Sequence[Array],
) -> None:  # fmt: skip
    """Compare what a kernel gives, interpreted and compiled, with what NumPy gives."""
    kernel = lower(default_schedule(outputs), inputs)
    assert complaints(kernel) == []
    code = compile_kernels([kernel], CpuModel.host(), Options())
    compiled = Engine(code).function(kernel, code[0])
    for call in (lambda *a: interpret.run(kernel, *a), compiled):
        results = [np.empty_like(array) for array in expected]
        call(*arrays, *results)
        for result, right in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, right, rtol=1e-5, atol=1e-6)


def floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def placeholder(array: Array, name: str = "x") -> te.Placeholder:
    return te.placeholder(array.shape, array.dtype.name, name)


def test_a_softmax_in_one_formula() -> None:
    a = floats(5, 9)
    x = placeholder(a)
    k, r = te.reduce_axis(9, "k"), te.reduce_axis(9, "r")
    top = te.compute((5,), lambda i: te.max(x[i, k], k))
    y = te.compute(
        (5, 9), lambda i, j: te.exp(x[i, j] - top[i]) / te.sum(te.exp(x[i, r] - top[i]), r)
    )
    e = np.exp(a - a.max(1, keepdims=True))
    check([y], [x], [a], [e / e.sum(1, keepdims=True)])


@pytest.mark.parametrize("last", [False, True])
def test_positions_of_extremes_with_ties_and_nan(last: bool) -> None:
    a = np.array([[3, 1, 3, 0], [1, 1, 1, 1], [0, np.nan, 2, np.nan]], np.float32)
    x = placeholder(a)
    k = te.reduce_axis(4, "k")
    high = te.compute((3,), lambda i: te.argmax(x[i, k], k, last=last))
    low = te.compute((3,), lambda i: te.argmin(x[i, k], k, last=last))
    expected = ([2, 3, 3], [3, 3, 3]) if last else ([0, 0, 1], [3, 0, 1])
    check([high, low], [x], [a], [np.array(e, np.int64) for e in expected])


def test_a_reduction_of_a_reduction() -> None:
    a = floats(3, 4, 5)
    x = placeholder(a)
    i, j = te.reduce_axis(4, "i"), te.reduce_axis(5, "j")
    y = te.compute((3,), lambda n: te.max(te.sum(x[n, i, j], j), i))
    check([y], [x], [a], [a.sum(2).max(1)])


def test_everything_to_one_number() -> None:
    a = floats(6, 7)
    x = placeholder(a)
    i, j = te.reduce_axis(6, "i"), te.reduce_axis(7, "j")
    y = te.compute((), lambda: te.sum(x[i, j], (i, j)) / 42.0)
    check([y], [x], [a], [np.array(a.mean(), np.float32)])


def test_reductions_of_every_kind() -> None:
    a = floats(4, 6)
    x = placeholder(a)

    def over(reduce, body):
        k = te.reduce_axis(6, "k")
        return te.compute((4,), lambda i: reduce(body(x[i, k]), k))

    positive = [over(te.all, lambda v: v > -1.0), over(te.any, lambda v: v > 1.0)]
    outputs = [over(te.prod, lambda v: v), over(te.min, lambda v: v), *positive]
    check(outputs, [x], [a], [a.prod(1), a.min(1), np.all(a > -1, 1), np.any(a > 1, 1)])


def test_sums_over_nothing() -> None:
    a = floats(4, 0)
    x = placeholder(a)
    k, r = te.reduce_axis(0, "k"), te.reduce_axis(0, "r")
    total = te.compute((4,), lambda i: te.sum(x[i, k], k))
    top = te.compute((4,), lambda i: te.max(x[i, r], r) + 1.0)
    check([total, top], [x], [a], [np.zeros(4, np.float32), np.full(4, -np.inf, np.float32)])


def test_transposed_reversed_strided_reads() -> None:
    a = floats(6, 8)
    x = placeholder(a)
    y = te.compute((4, 6), lambda i, j: x[5 - j, i * 2] * 2.0)
    check([y], [x], [a], [np.ascontiguousarray(a[::-1, ::2].T * 2)])


def test_reshaping_by_division() -> None:
    a = floats(6, 8)
    x = placeholder(a)
    y = te.compute((4, 12), lambda i, j: x[(i * 12 + j) // 8, (i * 12 + j) % 8])
    check([y], [x], [a], [a.reshape(4, 12)])


def test_padding_by_choice_reads_nothing_outside() -> None:
    a = floats(5)
    x = placeholder(a)
    y = te.compute((9,), lambda i: te.select((i >= 2) & (i < 7), x[i - 2], -1.0))
    check([y], [x], [a], [np.pad(a, 2, constant_values=np.float32(-1))])


def test_gathering_by_a_tensor() -> None:
    a, index = floats(7, 3), np.array([6, 0, 3, 3], np.int32)
    x, n = placeholder(a), placeholder(index, "n")
    y = te.compute((4, 3), lambda i, j: x[n[i], j])
    check([y], [x, n], [a, index], [a[index]])


def test_a_result_that_is_used_and_returned() -> None:
    a = floats(5)
    x = placeholder(a)
    y = te.compute((5,), lambda i: te.exp(x[i]))
    z = te.compute((5,), lambda i: y[i] * y[4 - i])
    check([z, y, x, y], [x], [a], [np.exp(a) * np.exp(a)[::-1], np.exp(a), a, np.exp(a)])


def test_large_work_is_shared_out() -> None:
    a = floats(256, 130)  # more than `_PARALLEL_WORK` elements
    x = placeholder(a)
    y = te.compute((256, 130), lambda i, j: te.maximum(x[i, j], 0.0))
    schedule = default_schedule(y)
    assert schedule[y].modes
    check([y], [x], [a], [np.maximum(a, 0)])


def test_hand_written_loops_between_formulas() -> None:
    a = floats(6)
    x = placeholder(a)
    doubled = te.compute((6,), lambda i: x[i] * 2.0)

    def scan(inputs, outputs):
        (source,), (sums, count) = inputs, outputs
        b = te.LoopBuilder()
        total, positive = b.cell(0.0, "float32"), b.cell(0)
        with b.for_(6) as i:
            value = b.let(source[i])
            total.value = total.value + value
            with b.if_(value > 0.0):
                positive.value = positive.value + 1
            with b.else_():
                positive.value = positive.value - 1
            b.store(sums, (i,), total.value)
        b.store(count, (), positive.value)
        return b.finish()

    sums, count = te.loops([((6,), "float32"), ((), "int64")], [doubled], scan)
    y = te.compute((6,), lambda i: sums[i] + 1.0)
    expected = np.cumsum(2 * a) + np.float32(1)
    signs = np.array((a > 0).sum() - (a <= 0).sum(), np.int64)
    check([y, count], [x], [a], [expected.astype(np.float32), signs])
    check([y], [x], [a], [expected.astype(np.float32)])


def test_sorting_by_insertion() -> None:
    a = floats(9)
    x = placeholder(a)

    def sort(inputs, outputs):
        (source,), (out,) = inputs, outputs
        b = te.LoopBuilder()
        with b.for_(9) as i:
            place = b.cell(i)
            value = b.let(source[i])
            b.store(out, (i,), value)
            with b.while_((place.value > 0) & (out[te.maximum(place.value - 1, 0)] > value)):
                b.store(out, (place.value,), out[place.value - 1])
                place.value = place.value - 1
            b.store(out, (place.value,), value)
        return b.finish()

    (y,) = te.loops([((9,), "float32")], [x], sort)
    check([y], [x], [a], [np.sort(a)])
