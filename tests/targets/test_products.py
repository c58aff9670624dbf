"""Products of random shapes, as the schedules of the CPU tile them, against references."""

from typing import cast

import numpy as np
import pytest

from relay.ir.expr import Array, Call, Constant, Var
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import For
from relay.kernels.passes.traverse_statements import statements
from relay.opdef.layout import Layout
from relay.ops.families import type_of
from relay.ops.nn.activations import Relu
from relay.ops.nn.conv_operators import (
    Conv1D,
    Conv1DBackwardWeight,
    Conv1DTranspose,
    Conv2D,
    Conv2DBackwardWeight,
    Conv2DTranspose,
    Conv3D,
    Conv3DBackwardWeight,
    Conv3DTranspose,
)
from relay.ops.nn.dense_pack import DensePack
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.support.node import replace
from relay.targets.cpu import cpu_target
from relay.targets.cpu.preferred_layouts import prefer
from relay.targets.cpu.schedules.pack_operands import packed_rows
from relay.targets.kernel_expressions import Formulas
from tests.targets.running import run, run_tensors, scheduled

BLOCKED = Layout.parse("NC16c")  # at hand, so that no convolution stays plain
CONVOLUTIONS = {1: Conv1D, 2: Conv2D, 3: Conv3D}
BACKWARD = {1: Conv1DBackwardWeight, 2: Conv2DBackwardWeight, 3: Conv3DBackwardWeight}
TRANSPOSED = {1: Conv1DTranspose, 2: Conv2DTranspose, 3: Conv3DTranspose}


def tolerance(dtype: str) -> float:
    return 1e-4 if dtype == "float32" else 1e-10


def check(op, arrays):
    expected = op.reference(*arrays)
    found = run(op, arrays)
    if expected.dtype.kind == "f":
        bound = tolerance(str(expected.dtype))
        np.testing.assert_allclose(found, expected, rtol=bound, atol=bound * 10)
    else:
        np.testing.assert_array_equal(found, expected)


def random_convolution(rng, rank):
    groups = int(rng.choice([1, 1, 1, 2, 4]))
    inner, outer = int(rng.integers(1, 20)), int(rng.integers(1, 40))
    if rng.random() < 0.5:  # sizes that blocks fit
        inner, outer = 16 * int(rng.integers(1, 3)), 16 * int(rng.integers(1, 5))
    depthwise = rng.random() < 0.25
    if depthwise:
        groups, inner, outer = inner, 1, 1
    strides = tuple(int(rng.integers(1, 5)) for _ in range(rank))
    dilation = tuple(int(rng.integers(1, 4)) for _ in range(rank))
    kernel = tuple(int(rng.integers(1, 4)) for _ in range(rank))
    padding = tuple(int(rng.integers(0, 4)) for _ in range(2 * rank))
    largest = {1: 90, 2: 24, 3: 10}[rank]
    sizes = tuple(
        int(rng.integers((k - 1) * d + 1, largest)) for k, d in zip(kernel, dilation, strict=True)
    )
    op = CONVOLUTIONS[rank](strides=strides, padding=padding, dilation=dilation, groups=groups)
    data = rng.standard_normal((int(rng.integers(1, 3)), inner * groups, *sizes), np.float32)
    weight = rng.standard_normal((outer * groups, inner, *kernel), np.float32)
    return op, data, weight


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_plain_convolution(rank, seed):
    rng = np.random.default_rng(seed)
    op, data, weight = random_convolution(rng, rank)
    check(op, (data, weight))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_preferred_convolution(rank, seed):
    rng = np.random.default_rng(100 + seed)
    op, data, weight = random_convolution(rng, rank)
    call = Call(op, (Var("x", TensorType(data.shape, "float32")), Constant(weight)))
    chosen = prefer(call, [BLOCKED, None], CpuModel.host())
    if chosen is None:
        return
    laid = [
        layout.from_plain(array, layout.letters) if isinstance(layout, Layout) else array
        for layout, array in zip(chosen.inputs, (data, weight), strict=True)
    ]
    check(chosen.op, [np.ascontiguousarray(a) for a in laid])


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_preferred_weight_gradients(rank):
    for seed in range(3):
        rng = np.random.default_rng(300 + seed)
        op, data, weight = random_convolution(rng, rank)
        attributes = {name: getattr(op, name) for name in op.__match_args__}
        op = BACKWARD[rank](**attributes | {"kernel_size": weight.shape[2:]})
        shape = Call(
            CONVOLUTIONS[rank](**attributes), (Constant(data), Constant(weight))
        ).tensor_type
        grad = rng.standard_normal(shape.static_shape, np.float32)
        call = Call(op, (Constant(grad), Constant(data)))
        chosen = prefer(call, [None, None], CpuModel.host())
        if chosen is not None:
            laid = [
                layout.from_plain(array, layout.letters) if isinstance(layout, Layout) else array
                for layout, array in zip(chosen.inputs, (grad, data), strict=True)
            ]
            check(chosen.op, [np.ascontiguousarray(a) for a in laid])


@pytest.mark.parametrize(
    ("grad", "data", "attributes"),
    [
        ((3, 1, 10, 9, 16), (3, 1, 10, 9, 16), {"padding": 1, "kernel_size": (3, 3)}),
        ((2, 2, 8, 7, 16), (2, 4, 16, 14, 16), {"strides": 2, "kernel_size": (1, 1)}),
        ((1, 1, 21, 8, 16), (1, 1, 23, 10, 16), {"kernel_size": (3, 3)}),
    ],
)
def test_sums_of_more_than_the_cache_holds_are_computed_in_chunks(grad, data, attributes):
    op = Conv2DBackwardWeight(
        **attributes, data_layout="NCHW16c", kernel_layout="OIHW16i16o", out_layout="NCHW16c"
    )
    rng = np.random.default_rng(sum(data))
    arrays = [rng.standard_normal(shape, np.float32) for shape in (grad, data)]
    inputs = [te.placeholder(array.shape, "float32") for array in arrays]
    outputs = [Relu().compute(op.compute(*inputs))]
    size = 4 * int(np.prod(op.infer(*(type_of(x) for x in inputs)).static_shape))
    small = replace(CpuModel.host(), l2=2 * size)  # the derivative just fits
    formulas = Formulas("test", inputs, outputs, (op, outputs[0]))
    choice = cpu_target(small).choose(formulas)
    assert choice is not None
    assert choice.fields()["rule"] == "long-products"
    kernel = choice.kernel()
    (code,) = compile_kernels([kernel], small, Options(level=1))
    found = np.empty(outputs[0].shape, "f4")
    Engine([code]).function(kernel, code)(*arrays, found)
    expected = np.maximum(op.reference(*arrays), 0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def random_transposed(rng, rank):
    inner, outer = int(rng.choice([1, 3, 8, 16, 20])), int(rng.choice([1, 3, 8, 16, 20]))
    strides = tuple(int(rng.integers(1, 4)) for _ in range(rank))
    dilation = tuple(int(rng.integers(1, 3)) for _ in range(rank))
    kernel = tuple(int(rng.integers(1, 5)) for _ in range(rank))
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    padding = tuple(int(rng.integers(0, min(2, r) + 1)) for r in (*reach, *reach))
    extra = tuple(int(rng.integers(0, s)) for s in strides)
    largest = {1: 20, 2: 9, 3: 5}[rank]
    sizes = tuple(int(rng.integers(3, largest)) for _ in range(rank))
    op = TRANSPOSED[rank](strides=strides, padding=padding, dilation=dilation, output_padding=extra)
    data = rng.standard_normal((int(rng.integers(1, 3)), inner, *sizes), np.float32)
    weight = rng.standard_normal((inner, outer, *kernel), np.float32)
    return op, data, weight


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_transposed_convolution(rank, seed):
    rng = np.random.default_rng(seed)
    op, data, weight = random_transposed(rng, rank)
    check(op, (data, weight))
    call = Call(op, (Var("x", TensorType(data.shape, "float32")), Constant(weight)))
    chosen = prefer(call, [BLOCKED, None], CpuModel.host())
    assert chosen is not None
    laid = [
        layout.from_plain(array, layout.letters) if isinstance(layout, Layout) else array
        for layout, array in zip(chosen.inputs, (data, weight), strict=True)
    ]
    check(chosen.op, [np.ascontiguousarray(a) for a in laid])


def random_sizes(rng):
    return [int(rng.choice([1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 33, 48, 64, 65])) for _ in range(3)]


@pytest.mark.parametrize("seed", range(15))
def test_matrix_product(seed):
    rng = np.random.default_rng(seed)
    rows, inner, columns = random_sizes(rng)
    flips = rng.random(2) < 0.5
    batch = int(rng.integers(1, 4))
    a = rng.standard_normal((batch, inner, rows) if flips[0] else (batch, rows, inner))
    b = rng.standard_normal((columns, inner) if flips[1] else (inner, columns))
    op = Matmul(transpose_a=bool(flips[0]), transpose_b=bool(flips[1]))
    if seed % 3:
        op = BatchMatmul(transpose_a=bool(flips[0]), transpose_b=bool(flips[1]))
        b = np.stack([b] * (batch if seed % 3 == 1 else 1))
    dtype = ["float32", "float64"][seed % 2]
    check(op, (a.astype(dtype), b.astype(dtype)))


@pytest.mark.parametrize("seed", range(10))
def test_dense(seed):
    rng = np.random.default_rng(seed)
    rows, inner, columns = random_sizes(rng)
    op = Dense(out_dtype="int32") if seed % 5 == 0 else Dense()
    dtype = "int8" if seed % 5 == 0 else "float32"
    data = (rng.standard_normal((rows, inner)) * 50).astype(dtype)
    weight = (rng.standard_normal((columns, inner)) * 2).astype(dtype)
    check(op, (data, weight))
    call = Call(op, (Var("x", TensorType(data.shape, dtype)), Constant(weight)))
    chosen = prefer(call, [BLOCKED, None], CpuModel.host())
    if chosen is not None:
        layout = chosen.inputs[1]
        assert isinstance(layout, Layout)
        full = np.pad(weight, ((0, -columns % layout.block("N")), (0, 0)))
        packed = np.ascontiguousarray(layout.from_plain(full, layout.letters))
        check(chosen.op, (data, packed))


@pytest.mark.parametrize("seed", range(10))
def test_epilogue(seed):
    rng = np.random.default_rng(seed)
    rows, inner, columns = random_sizes(rng)
    arrays = [rng.standard_normal(s).astype(np.float32)
              for s in ((rows, inner), (columns, inner), (columns,), (rows, columns))]  # fmt: skip
    a, b, bias, other = (te.placeholder(x.shape, "float32") for x in arrays)
    op = Dense()
    product = op.compute(a, b)
    shifted = te.compute(product.shape, lambda i, j: product[i, j] + bias[j], "bias")
    gate = te.compute(product.shape, lambda i, j: te.sigmoid(shifted[i, j]), "gate")
    result = te.compute(product.shape, lambda i, j: gate[i, j] * shifted[i, j] + other[i, j], "out")
    output = Relu().compute(result)
    (found,) = run_tensors([a, b, bias, other], [output], (op, product), arrays)
    plain = op.reference(*arrays[:2]) + arrays[2]
    expected = np.maximum(plain / (1 + np.exp(-plain)) + arrays[3], 0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32"])
def test_dtypes(dtype):
    from relay.support.dtype import dtype as dtype_of

    rng = np.random.default_rng(0)
    of = dtype_of(dtype).numpy
    data = (rng.standard_normal((1, 16, 9, 9)) * 3).astype(of)
    weight = (rng.standard_normal((32, 16, 3, 3)) * 3).astype(of)
    op = Conv2D(padding=(1, 1))
    found = cast(Array, run(op, (data, weight)))
    expected = cast(Array, op.reference(data, weight))
    bound = {"float16": 2e-2, "bfloat16": 2e-1}.get(dtype, 1e-9)
    np.testing.assert_allclose(
        found.astype(np.float64), expected.astype(np.float64), rtol=bound, atol=10 * bound
    )


@pytest.mark.parametrize(
    ("shape", "weight", "attributes"),
    [
        ((1, 2, 9, 9), (2, 1, 2, 3), {"strides": (3, 1), "padding": (0, 1, 0, 1), "groups": 2}),
        (
            (2, 15, 1, 9, 9),
            (15, 17, 4, 3, 4),
            {
                "strides": (2, 1, 3),
                "dilation": (2, 2, 1),
                "padding": (1, 2, 0, 1, 0, 0),
                "groups": 3,
            },
        ),
    ],
)
def test_taps_that_do_not_exist_are_not_read(shape, weight, attributes):
    rng = np.random.default_rng(0)
    op = TRANSPOSED[len(shape) - 2](**attributes)
    arrays = [rng.normal(size=size).astype(np.float32) for size in (shape, weight)]
    check(op, arrays)


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_a_weight_from_far_memory_is_fetched_ahead_by_few_rows(rows):
    host = CpuModel.host()
    units, inner = 384, host.l2 // (384 * 4) + 40
    rng = np.random.default_rng(rows)
    arrays = [rng.normal(size=shape).astype("f") for shape in ((rows, inner), (units, inner))]
    call = Call(Dense(), (Var("x", TensorType((rows, inner))), Constant(arrays[1])))
    chosen = prefer(call, [None, None], host)
    assert chosen is not None
    op, layout = cast("DensePack", chosen.op), cast("Layout", chosen.inputs[1])
    weight = layout.from_plain(arrays[1], "NC")
    tensors = [te.placeholder(a.shape, "float32", "t") for a in (arrays[0], weight)]
    kernel = scheduled(tensors, [op.compute(*tensors)], host)
    assert [bool(buffer.ahead) for buffer in kernel.params] == [False, rows < 40, False]
    found = run(op, [arrays[0], weight])
    np.testing.assert_allclose(found, arrays[0] @ arrays[1].T, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_vectors_that_are_read_once_are_read_from_either_end(rows):
    host = CpuModel.host()
    rng = np.random.default_rng(rows)
    data = rng.normal(size=(rows, 300)).astype("f")
    weight = rng.normal(size=(9, 300, 64)).astype("f")
    op = DensePack("NC64n", units=576)
    tensors = [te.placeholder(a.shape, "float32", "t") for a in (data, weight)]
    parity = te.placeholder((), "int32", "parity")
    output = op.compute(*tensors)
    kernel = scheduled([*tensors, parity], [output], host, parity=parity)
    turned = [s for s in statements(kernel.body) if isinstance(s, For) and s.backwards is not None]
    assert bool(turned) == (rows < 40)
    (code,) = compile_kernels([kernel], host, Options(level=1))
    found = [np.empty((rows, 576), "f") for _ in range(2)]
    for number, out in enumerate(found):
        Engine([code]).function(kernel, code)(data, weight, np.array(number, "i4"), out)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], op.reference(data, weight), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_terms_on_other_pages_are_packed(batch):
    """Derivatives by weights read the same columns of both operands for each term."""
    rng = np.random.default_rng(3)
    shapes = ((*batch, 260, 523), (*batch, 260, 70))
    arrays = [rng.standard_normal(shape, np.float32) for shape in shapes]
    op = BatchMatmul(transpose_a=True)
    check(op, arrays)
    (output,) = [op.compute(*(te.placeholder(each, "float32", "x") for each in shapes))]
    assert packed_rows(output, lanes=16)[1] is not None
