"""Elementary functions against mpmath and NumPy, at their edges too, on scalars and vectors."""

import functools
import math
from typing import Any

import numpy as np
import pytest
from kernels.llvm.running import run, scalar_map, vector_map

from benchmarks.vector_math import FUNCTIONS, arguments, exact, ulps
from relay.kernels.cpu_model import CpuModel
from relay.kernels.scalar import Apply, Broadcast, Const, Fn
from relay.support.dtype import DType, float16, float32, float64

PLAIN = CpuModel("x86_64-unknown-linux-gnu", "x86-64", "", 16, 16, 0)
"""An x86 without multiply-add and without wide vectors: the code must not depend on them."""

# What docs/vector-math.md promises, rounded up.
BOUNDS = {
    Fn.EXP: 1.1,
    Fn.LOG: 1.1,
    Fn.LOG2: 1.5,
    Fn.LOG10: 1.5,
    Fn.SIN: 2.0,
    Fn.COS: 2.0,
    Fn.TAN: 4.0,
    Fn.TANH: 3.0,
    Fn.SIGMOID: 3.0,
    Fn.ERF: 2.0,
    Fn.POW: 1.0,
}
SIZE = {float32: 640, float64: 320}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-45, -1e-45, 3e38, -3e38, 0.5, -0.5]


@functools.cache
def known(fn: Fn, dtype: DType) -> list[Any]:
    """Return the exact results, which take longer than all else here."""
    return exact(fn, arguments(fn, dtype, SIZE[dtype]))


def call(fn: Fn, xs: list[np.ndarray], dtype: DType, width: int, machine: CpuModel) -> np.ndarray:
    """Run a function over arrays, a scalar or a vector at a time."""
    size = len(xs[0]) // width * width
    out = np.empty(size, dtype.numpy)

    def make(*args):
        return Apply(fn, args, args[0].dtype)

    dtypes = [dtype] * len(xs)
    kernel = (
        scalar_map(size, dtypes, dtype, make)
        if width == 1
        else vector_map(size, dtypes, dtype, make, width)
    )
    run(kernel, *(np.ascontiguousarray(x[:size]) for x in xs), out, machine=machine)
    return out


@pytest.mark.parametrize("width", [1, 8, 16, 32])
@pytest.mark.parametrize("machine", [CpuModel.host(), PLAIN], ids=["host", "plain"])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.name)
def test_float32(fn: Fn, machine: CpuModel, width: int):
    xs = arguments(fn, float32, SIZE[float32])
    error = ulps(call(fn, xs, float32, width, machine), known(fn, float32), float32)
    worst = int(np.argmax(error))
    assert error[worst] <= BOUNDS.get(fn, 3.0), [x[worst] for x in xs]


@pytest.mark.parametrize("width", [2, 3, 4, 8, 12, 16, 24, 32])
@pytest.mark.parametrize("fn", [Fn.EXP, Fn.LOG], ids=lambda fn: fn.name)
def test_instructions_for_whole_registers_change_no_bit(fn: Fn, width: int):
    xs = [np.concatenate([np.array(EDGES + EDGES[:3], np.float32), *arguments(fn, float32, 640)])]
    one_by_one = call(fn, xs, float32, 1, CpuModel.host())
    found = call(fn, xs, float32, width, CpuModel.host())
    np.testing.assert_array_equal(found, one_by_one[: len(found)])


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.name)
def test_float64(fn: Fn, width: int):
    xs = arguments(fn, float64, SIZE[float64])
    error = ulps(call(fn, xs, float64, width, CpuModel.host()), known(fn, float64), float64)
    worst = int(np.argmax(error))
    assert error[worst] <= 4.0, [x[worst] for x in xs]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("width", [1, 16])
@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("fn", [f for f in FUNCTIONS if f not in (Fn.POW, Fn.ATAN2)])
def test_edges_agree_with_numpy(fn: Fn, dtype: DType, width: int):
    x = np.array(EDGES + EDGES[:3], dtype.numpy)
    check_edges(call(fn, [x], dtype, width, CpuModel.host()), [x], fn, dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("width", [1, 16])
@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("fn", [Fn.POW, Fn.ATAN2])
def test_edges_of_two_arguments(fn: Fn, dtype: DType, width: int):
    values = np.array([*EDGES, 2.0, -2.0, 3.0, -3.0, 2.5, 16777215.0], dtype.numpy)
    x, y = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(values, values))
    keep = len(x) // 16 * 16
    xs = [x[:keep], y[:keep]]
    check_edges(call(fn, xs, dtype, width, CpuModel.host()), xs, fn, dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("width", [1, 16])
@pytest.mark.parametrize("dtype", [float16, float32, float64], ids=str)
@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0])
def test_powers_that_are_known(exponent: float, dtype: DType, width: int):
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5]
    x = np.concatenate([edges, np.geomspace(1e-3, 30, 70), -np.geomspace(1e-3, 30, 70)])
    x = x[: len(x) // 16 * 16].astype(dtype.numpy)
    fixed = Const(exponent, dtype)
    found = np.empty_like(x)
    if width == 1:
        kernel = scalar_map(len(x), [dtype], dtype, lambda a: Apply(Fn.POW, (a, fixed), a.dtype))
    else:
        lanes = Broadcast(fixed, width)
        kernel = vector_map(
            len(x), [dtype], dtype, lambda a: Apply(Fn.POW, (a, lanes), a.dtype), width
        )
    run(kernel, x, found, machine=CpuModel.host())
    wide = np.power(x.astype(np.longdouble), np.longdouble(exponent))
    error = np.abs(found.astype(np.longdouble) - wide) / np.spacing(np.abs(wide.astype(x.dtype)))
    plain = np.isfinite(wide.astype(x.dtype)) & (wide != 0)
    assert error[plain].max() <= 1.5
    others = wide.astype(x.dtype)[~plain]
    np.testing.assert_array_equal(found[~plain], others)
    np.testing.assert_array_equal(np.signbit(found[~plain]), np.signbit(others))


def check_edges(actual: np.ndarray, xs: list[np.ndarray], fn: Fn, dtype: DType) -> None:
    expected = numpy_value(fn, xs)
    special = ~np.isfinite(expected) | (expected == 0)
    same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
    same |= np.isnan(actual) & np.isnan(expected)
    near = np.isclose(actual.astype(np.float64), expected, rtol=1e-5, atol=0)
    tiny = float(np.finfo(str(dtype)).smallest_subnormal)
    near |= np.abs(actual.astype(np.float64) - expected) <= tiny
    good = np.where(special, same, near)
    assert good.all(), [
        (*(x[i] for x in xs), actual[i], expected[i]) for i in np.flatnonzero(~good)
    ]


def numpy_value(fn: Fn, xs: list[np.ndarray]) -> np.ndarray:
    names = {
        Fn.ASIN: "arcsin", Fn.ACOS: "arccos", Fn.ATAN: "arctan", Fn.ASINH: "arcsinh",
        Fn.ACOSH: "arccosh", Fn.ATANH: "arctanh", Fn.POW: "power", Fn.ATAN2: "arctan2",
    }  # fmt: skip
    if fn is Fn.ERF:
        return np.array([math.erf(v) for v in xs[0]]).astype(xs[0].dtype)
    if fn is Fn.SIGMOID:
        return (1 / (1 + np.exp(-xs[0].astype(np.longdouble)))).astype(xs[0].dtype)
    return getattr(np, names.get(fn, fn.value))(*xs)


def test_halves_are_computed_in_float32_and_rounded():
    x = np.linspace(-4, 4, 64).astype(np.float16)
    found = call(Fn.TANH, [x], float16, 16, CpuModel.host())
    np.testing.assert_array_equal(found, np.tanh(x.astype(np.float64)).astype(np.float16))
