"""Reductions, normalisations, poolings and movements of random shapes against their references."""

from typing import cast

import numpy as np
import pytest

from relay.ir.expr import Array
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Allocate, For
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.scalar import Const, size_named
from relay.ops.max_min_reductions import ArgMax, Max, Min
from relay.ops.nn.normalization import GroupNorm, LayerNorm
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D, MaxPool2DGrad
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum
from relay.ops.tensor.transpose import Transpose
from relay.support.dims.algebra import DimVar
from relay.support.dtype import dtype
from relay.support.node import replace
from relay.targets.cpu import cpu_target
from relay.targets.kernel_expressions import Formulas
from tests.targets.running import run, run_tensors, scheduled

SIZES = (1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 64, 100, 130)


def random_shape(rng, rank):
    shape = [int(rng.choice(SIZES)) for _ in range(rank)]
    while np.prod(shape) > 100_000:
        shape[int(rng.integers(rank))] = 2
    return tuple(shape)


def check(op, *arrays, tolerance=1e-4):
    found = cast(Array, run(op, arrays))
    expected = cast(Array, op.reference(*arrays))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(20))
def test_reduction(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 5))
    axes = tuple(int(a) for a in range(rank) if rng.random() < 0.5)
    cls = (Sum, Max, Mean, ArgMax, Prod)[seed % 5]
    op = cls(axes or None, keepdims=bool(rng.random() < 0.5))
    data = rng.uniform(0.9, 1.1, random_shape(rng, rank)).astype("float32")
    check(op, data, tolerance=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_normalisation(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 5))
    shape = random_shape(rng, rank)
    axis = int(rng.integers(rank))
    data = rng.standard_normal(shape).astype(("float32", "float64")[seed % 2])
    check((Softmax, LogSoftmax)[seed % 2](axis=axis), data)
    vectors = [rng.standard_normal(shape[axis]).astype(data.dtype) for _ in range(2)]
    check(LayerNorm(axis=axis), data, *vectors)


@pytest.mark.parametrize(("rows", "units"), [(1, 13), (3, 8), (6, 16), (9, 21)])
def test_rows_share_the_dequantised_numbers_of_a_matrix(rows, units):
    rng = np.random.default_rng(rows)
    x, numbers = te.placeholder((rows, 96), "float32"), te.placeholder((units, 3, 32), "int8")
    scales = te.placeholder((units, 3), "float32")
    block, place = te.reduce_axis(3, "block"), te.reduce_axis(32, "place")

    def element(row: te.Scalar, unit: te.Scalar) -> te.Scalar:
        number = te.cast(numbers[unit, block, place], "float32") * scales[unit, block] - 0.5
        return te.sum(x[row, block * 32 + place] * number, (block, place))

    product = te.compute((rows, units), element)
    formulas = Formulas("test", [x, numbers, scales], [product])
    choice = cpu_target(CpuModel.host()).choose(formulas)
    assert choice is not None
    assert choice.fields()["across"] > 1 or rows == 1
    data, scale = rng.standard_normal((rows, 96)), rng.random((units, 3))
    whole = rng.integers(-128, 128, (units, 3, 32))
    arrays = [data.astype("float32"), whole.astype("int8"), scale.astype("float32")]
    (found,) = run_tensors([x, numbers, scales], [product], None, arrays)
    expected = data @ (whole * scale[..., None] - 0.5).reshape(units, 96).T
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 9])
def test_many_rows_of_few_elements(length):
    """Lanes run over rows there, whose number is not a multiple of theirs."""
    rng = np.random.default_rng(length)
    for shape in ((101, length), (3, 37, length), (5, 1, 33, length, 1)):
        data = rng.standard_normal(shape).astype(("float32", "float64")[length % 2])
        axis = len(shape) - 1 - (shape[-1] == 1)
        for op in (Softmax(axis=axis), LogSoftmax(axis=axis)):
            check(op, data)
        vectors = [rng.standard_normal(shape[axis]).astype(data.dtype) for _ in range(2)]
        check(LayerNorm(axis=axis), data, *vectors)


@pytest.mark.parametrize("length", [1, 2, 8, 15, 17, 33, 300])
def test_rows_together(length):
    """Rows whose results alone are wanted, in any number: the last ones are fewer."""
    rng = np.random.default_rng(length)
    for k, shape in enumerate(((2, length), (17, length), (3, 37, length), (131, length, 1))):
        kind = ("float32", "float64", "float16", "bfloat16", "int32", "int64")[(length + k) % 6]
        data = rng.integers(1, 5, shape).astype(dtype(kind).numpy)
        axis = len(shape) - 1 - (shape[-1] == 1)
        for op in (Sum, Max, Min, ArgMax):
            check(op((axis,), keepdims=bool(k % 2)), data)


@pytest.mark.parametrize("length", [3, 16, 24, 65, 129, 512])
@pytest.mark.parametrize("rows", [1, 3, 33, 300])
def test_matrix_times_vector(rows, length):
    rng = np.random.default_rng(rows * length)
    kind = ("float32", "float64")[(rows + length) % 2]
    matrix = rng.standard_normal((rows, length)).astype(kind)
    vector = rng.standard_normal(length).astype(kind)
    a, x = te.placeholder((rows, length), kind), te.placeholder((length,), kind)
    k = te.reduce_axis(length)
    y = te.compute((rows,), lambda i: te.sum(a[i, k] * x[k], k))
    z = te.compute((rows,), lambda i: te.maximum(y[i] * 2.0, 0.0))
    (found,) = run_tensors([a, x], [z], None, [matrix, vector])
    expected = np.maximum(matrix.astype("f8") @ vector * 2, 0)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("columns", "is_large"), [(300, True), (9, False)])
def test_a_large_matrix_is_read_once_for_a_few_vectors(columns, is_large):
    """The loop over its rows is outermost, whichever operand it is."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((rows, 512)).astype("f4") for rows in (3, columns)]
    x, w = (te.placeholder(each.shape, "float32") for each in arrays)
    k = te.reduce_axis(512)
    y = te.compute((3, columns), lambda i, j: te.sum(x[i, k] * w[j, k], k))
    z = te.compute((3, columns), lambda i, j: te.maximum(y[i, j], 0.0))
    (found,) = run_tensors([x, w], [z], None, arrays)
    np.testing.assert_allclose(found, np.maximum(arrays[0] @ arrays[1].T, 0), rtol=1e-4, atol=1e-4)
    body = scheduled([x, w], [z], CpuModel.host()).body
    assert isinstance(body, For)
    assert body.extent == Const(columns if is_large else 3)


LENGTHS = (0, 1, 2, 3, 4, 9, 16, 17, 70, 4095, 4096, 4163)  # of all versions of open rows


@pytest.mark.parametrize("lengths", [(1,), (4,), (9,), (16,), (17,), (333,), LENGTHS])
def test_rows_in_any_number(lengths):
    """The number of rows is open; so is their length where several are tried."""
    is_open = len(lengths) > 1
    n, m = DimVar("n"), DimVar("m") if is_open else lengths[0]
    x, k = te.placeholder((n, m), "float32"), te.reduce_axis(m)
    sums = te.compute((n,), lambda i: te.sum(x[i, k] * x[i, k], k))
    share = te.compute((n, m), lambda i, j: te.exp(x[i, j] - sums[i]))
    whole = te.compute((n,), lambda i: te.sum(share[i, k], k))
    scaled = te.compute((n, m), lambda i, j: share[i, j] / whole[i])
    for result in (sums, scaled):
        kernel = scheduled([x], [result], CpuModel.host())
        sizes = ("n", "m") if is_open else ("n",)
        kernel = replace(kernel, scalars=tuple(map(size_named, sizes)))
        assert complaints(kernel) == []
        (code,) = compile_kernels([kernel], CpuModel.host(), Options(level=1))
        call = Engine([code]).function(kernel, code)
        for length in lengths:
            check_rows(call, length, normalised=result is scaled, scalars=len(sizes))


def check_rows(call, length, *, normalised, scalars):
    """Compare the sums of squares of each row, or its softmax, with NumPy's."""
    rng = np.random.default_rng(length)
    for rows in (0, 1, 2, 15, 16, 17, 33, 100):
        data = rng.standard_normal((rows, length)).astype("f4") / np.float32(max(1, length))
        expected = (data.astype("f8") ** 2).sum(1)
        if normalised:
            expected = np.exp(data) / np.exp(data).sum(1, keepdims=True)
        found = np.zeros(expected.shape, "f4")
        call(data, found, *(rows, length)[:scalars])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_columns_in_any_number(kind):
    """A transposition to one column is a copy, to two an interleaving, to more made of squares."""
    n = DimVar("n")
    x = te.placeholder((n, 37), kind)
    kernel = scheduled([x], [te.compute((37, n), lambda i, j: x[j, i] + 1)], CpuModel.host())
    kernel = replace(kernel, scalars=(size_named("n"),))
    assert complaints(kernel) == []
    (code,) = compile_kernels([kernel], CpuModel.host(), Options(level=1))
    call = Engine([code]).function(kernel, code)
    for columns in (0, 1, 2, 3, 16, 17, 40):
        data = np.random.default_rng(columns).integers(-9, 9, (columns, 37)).astype(kind)
        found = np.zeros((37, columns), kind)
        call(data, found, columns)
        np.testing.assert_array_equal(found, data.T + 1)


@pytest.mark.parametrize("length", [3, 6, 12, 20])
def test_rows_of_wide_elements_reduced_in_narrow_ones(length):
    """Vectors of the sums are longer than those of what they read, which lies in registers."""
    rng = np.random.default_rng(length)
    data = rng.standard_normal((21, length))
    x, k = te.placeholder(data.shape, "float64"), te.reduce_axis(length)
    top = te.compute((21,), lambda i: te.max(x[i, k], k))
    moved = te.compute((21, length), lambda i, j: te.exp(x[i, j] - top[i]))
    total = te.compute((21,), lambda i: te.sum(te.cast(moved[i, k], "float32"), k))
    share = te.compute((21, length), lambda i, j: te.cast(moved[i, j], "float32") / total[i])
    (found,) = run_tensors([x], [share], None, [data])
    expected = np.exp(data) / np.exp(data).sum(1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("length", [3, 10, 17, 33, 100, 1000])
def test_the_only_row(length):
    data = np.random.default_rng(length).standard_normal((1, length)).astype("f4")
    for shape in ((1, length), (length,), (1, length, 1)):
        axis = shape.index(length)
        check(Softmax(axis=axis), data.reshape(shape))
        check(LayerNorm(axis=axis), data.reshape(shape), data[0], data[0] + 1)


def test_rows_of_long_formulas():
    rng = np.random.default_rng(5)
    data = rng.standard_normal((45, 70)).astype("f4")
    x, k = te.placeholder(data.shape, "float32"), te.reduce_axis(70)
    y = te.compute((45,), lambda i: te.sum(te.exp(te.sin(x[i, k])) / (1.0 + x[i, k] * x[i, k]), k))
    (found,) = run_tensors([x], [y], None, [data])
    wide = data.astype("f8")
    np.testing.assert_allclose(found, (np.exp(np.sin(wide)) / (1 + wide**2)).sum(1), rtol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_group_norm(seed):
    rng = np.random.default_rng(seed)
    groups, each = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    shape = (2, groups * each, int(rng.choice(SIZES[:8])), int(rng.choice(SIZES[:8])))
    vectors = [rng.standard_normal(groups * each).astype("float32") for _ in range(2)]
    data = rng.standard_normal(shape).astype("float32")
    check(GroupNorm(num_groups=groups), data, *vectors, tolerance=1e-3)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "NCHW16c", "NCHW4c"])
@pytest.mark.parametrize("seed", range(5))
def test_pooling(layout, seed):
    rng = np.random.default_rng(seed)
    window = tuple(int(rng.integers(1, 5)) for _ in range(2))
    strides = tuple(int(rng.integers(1, 4)) for _ in range(2))
    padding = tuple(int(rng.integers(0, min(2, k))) for k in (*window, *window))
    height, width = (int(rng.integers(4, 40)) for _ in range(2))
    shape = {
        "NCHW": (2, 3, height, width),
        "NHWC": (2, height, width, int(rng.integers(1, 40))),
        "NCHW16c": (1, 2, height, width, 16),
        "NCHW4c": (1, 3, height, width, 4),
    }[layout]
    data = rng.standard_normal(shape).astype("float32")
    for cls in (MaxPool2D, AvgPool2D):
        check(cls(window, strides=strides, padding=padding, layout=layout), data)


@pytest.mark.parametrize("seed", range(10))
def test_transpose(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 5))
    data = rng.standard_normal(random_shape(rng, rank)).astype(("float32", "int8")[seed % 2])
    check(Transpose(tuple(map(int, rng.permutation(rank)))), data, tolerance=0)


@pytest.mark.parametrize("seed", range(10))
def test_costly_formula_read_twice(seed):
    rng = np.random.default_rng(seed)
    rows, columns = (int(rng.choice(SIZES)) for _ in range(2))
    x = te.placeholder((rows, columns), "float32", "x")
    power = te.compute(x.shape, lambda i, j: te.exp(x[i, j]), "power")
    k = te.reduce_axis(columns, "k")
    total = te.compute((rows,), lambda i: te.sum(power[i, k], k), "total")
    share = te.compute(x.shape, lambda i, j: power[i, j] / total[i], "share")
    data = rng.standard_normal((rows, columns)).astype("float32")
    found = run_tensors([x], [share, total], None, [data])
    powers = np.exp(data)
    np.testing.assert_allclose(found[1], powers.sum(1), rtol=1e-5)
    np.testing.assert_allclose(found[0], powers / powers.sum(1, keepdims=True), rtol=1e-5)


def test_what_a_shared_stage_reads_is_computed_before_it():
    """Costly formulas, each read twice, behind a product of everything: none belongs to a row."""
    x = te.placeholder((5, 7), "float64", "x")
    powers = te.compute(x.shape, lambda i, j: te.exp(x[i, j]), "powers")
    wrapped = te.compute(
        (8, 7), lambda i, j: te.exp(powers[i % 5, j] - powers[(i + 1) % 5, j]), "wrapped"
    )
    r, c = te.reduce_axis(9, "r"), te.reduce_axis(7, "c")
    result = te.compute((1, 1), lambda _i, _j: te.sum(wrapped[r * 3 % 8, c], (r, c)), "result")
    data = np.random.default_rng(0).standard_normal((5, 7))
    (found,) = run_tensors([x], [result], None, [data])
    exp, row = np.exp(data), np.arange(8)
    expected = np.exp(exp[row % 5] - exp[(row + 1) % 5])[np.arange(9) * 3 % 8].sum()
    np.testing.assert_allclose(found, [[expected]], rtol=1e-6)


@pytest.mark.parametrize("shape", [(2, 3, 7, 6, 16), (1, 1, 9, 5, 24), (2, 2, 3, 3, 4)])
def test_positions_in_windows_are_found_once_for_an_image(shape):
    op = MaxPool2DGrad((3, 3), (2, 2), padding=(1, 1, 1, 1), layout=f"NCHW{shape[-1]}c")
    batch, blocks, high, wide, block = shape
    rng = np.random.default_rng(sum(shape))
    data = rng.integers(0, 5, shape).astype(np.float32)  # some windows have equal maxima
    grad = rng.standard_normal((batch, blocks, (high + 1) // 2, (wide + 1) // 2, block), np.float32)
    np.testing.assert_allclose(run(op, [grad, data]), op.reference(grad, data), rtol=1e-6)
    inputs = [te.placeholder(array.shape, "float32") for array in (grad, data)]
    body = scheduled(inputs, [op.compute(*inputs)], CpuModel.host()).body
    sizes = {s.buffer.name: s.buffer.shape for s in statements(body) if isinstance(s, Allocate)}
    assert sizes["nn.max_pool2d_grad_argmax"][2:] == grad.shape[2:]
