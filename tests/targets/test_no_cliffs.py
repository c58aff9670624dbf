"""Convolutions of every kind of shape get tiles of vectors in registers, whatever divides what.

Values are checked against references elsewhere too; here each shape is compiled as a program, so
that the choice of layouts is part of it.
"""

import numpy as np
import pytest

import relay
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constant, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import For, MemoryScope, Mode, Store
from relay.kernels.passes.traverse_statements import statements
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import Dense
from relay.ops.nn.winograd_blocks import WinogradDataTransform
from relay.targets.cpu.preferred_layouts import prefer
from tests.targets.running import scheduled

# batch, input channels, output channels, height, width, kernel, stride, padding, dilation, groups
SHAPES = [
    (1, 34, 68, 12, 20, 1, 1, 0, 1, 2),  # a group is not a multiple of a vector
    (2, 24, 24, 9, 17, 3, 1, 1, 1, 8),  # nor of anything
    (1, 64, 96, 7, 9, 3, 1, 1, 1, 2),  # several blocks in a group
    (1, 32, 26, 19, 13, 3, 2, 0, 1, 2),
    (3, 13, 5, 18, 37, 5, 2, 2, 1, 1),  # few outputs, prime inputs
    (1, 48, 2, 23, 25, 7, 3, 0, 3, 1),  # stride and dilation have a step in common
    (1, 10, 4, 21, 33, 3, 4, 1, 2, 1),
    (1, 17, 53, 20, 40, 3, 1, 2, 2, 1),  # outputs that no block fits
    (1, 34, 34, 11, 21, 3, 1, 1, 1, 34),
    (1, 22, 22, 14, 18, 3, 3, 0, 1, 22),
    (1, 12, 24, 15, 9, 5, 2, 2, 1, 12),  # two outputs of each channel
    (2, 40, 72, 13, 13, 1, 3, 0, 1, 1),
]


def operator(shape):
    _, _, _, _, _, _, stride, padding, dilation, groups = shape
    return Conv2D(strides=stride, padding=padding, dilation=dilation, groups=groups)


def sizes(shape):
    batch, into, out, height, width, kernel, *_, groups = shape
    return (batch, into, height, width), (out, into // groups, kernel, kernel)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_values(shape, threads):
    rng = np.random.default_rng(sum(shape))
    data, weight = (rng.standard_normal(size, np.float32) for size in sizes(shape))
    op = operator(shape)
    x = Var("x", TensorType(data.shape, "float32"))
    program = Module({"main": Function((x,), Call(op, (x, Constant(weight))))})
    compiled = relay.compile(program, threads=threads)
    found, expected = np.asarray(compiled(data)), op.reference(data, weight)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_plain_sums_are_vectors_in_registers(shape):
    op = operator(shape)
    x, w = (te.placeholder(size, "float32") for size in sizes(shape))
    body = scheduled([x, w], [op.compute(x, w)], CpuModel.host()).body
    sums = [s for s in statements(body) if isinstance(s, Store) and s.buffer.name == op.name]
    assert sums
    assert {s.buffer.scope for s in sums} == {MemoryScope.REGISTER}
    assert all(s.value.dtype.lanes > 1 for s in sums)


@pytest.mark.parametrize("units", [1, 7, 17, 31, 178, 254, 723])
@pytest.mark.parametrize("rows", [1, 3, 19])
def test_a_weight_that_no_panel_fits(rows, units):
    rng = np.random.default_rng(units)
    data = rng.standard_normal((rows, 37), np.float32)
    weight = rng.standard_normal((units, 37), np.float32)
    x = Var("x", TensorType(data.shape, "float32"))
    program = Module.of(Function((x,), Call(Dense(), (x, Constant(weight)))))
    found = np.asarray(relay.compile(program, threads=1)(data))
    np.testing.assert_allclose(found, data @ weight.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("rows", "layout"), [(2, "NC254n"), (16, "NC16n"), (DimVar("n"), "NC16n")])
def test_odd_units_lie_side_by_side_or_in_panels_of_which_the_last_is_filled_up(rows, layout):
    x = Var("x", TensorType((rows, 64), "float32"))
    call = Call(Dense(), (x, Constant(np.zeros((254, 64), np.float32))))
    zen5 = CpuModel.of("x86_64-unknown-linux-gnu", "znver5", "+avx512f,+avx512vl,+avx2,+fma")
    chosen = prefer(call, (None, None), zen5)
    assert chosen is not None
    assert str(chosen.inputs[1]) == layout


def test_large_winograd_tiles_are_not_unrolled():
    height = DimVar("height")
    x = te.placeholder((1, 2, height, 6, 3), "float32")
    op = WinogradDataTransform(tile_size=2, kernel_size=5, padding=(1, 1, 1, 1))
    result = op.compute(x)
    body = scheduled([x], [result], CpuModel.host(), (op, result)).body
    modes = {each.mode for each in statements(body) if isinstance(each, For)}
    assert Mode.UNROLL not in modes


def test_lines_of_a_tile_share_the_vectors_that_their_windows_read():
    x, w = te.placeholder((1, 2, 28, 64), "float32"), te.placeholder((2, 1, 7, 7), "float32")
    op = Conv2D(padding=3, groups=2)
    body = scheduled([x, w], [op.compute(x, w)], CpuModel.host()).body
    taps = [loop for loop in statements(body) if isinstance(loop, For) and loop.var.name == "ckh"]
    assert {loop.mode for loop in taps} == {Mode.UNROLL}
