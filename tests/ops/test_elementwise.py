"""What examples do not show of elementwise operators; references against other implementations."""

import math
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

import relay
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Divide, Maximum, Mod, TruncDivide, TruncMod
from relay.ops.cast import Cast
from relay.ops.creation import Full, Zeros
from relay.ops.elementwise import Abs, Ceil, Clip, Floor, Negative, Round, Sign, Trunc
from relay.ops.fixed_point import FixedPointMultiply
from relay.ops.logical import LeftShift, RightShift
from relay.ops.max_min_reductions import ArgMax, ArgMin, Max
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum, Variance
from relay.ops.tensor.arange import Arange
from relay.ops.transcendental import (
    Asin,
    Asinh,
    Atan,
    Atanh,
    Erf,
    Power,
    Sigmoid,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)
from relay.semantics.apply_operator import apply
from relay.testing.compile_operator import run_operator

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def both(op: OperatorDef, *values: np.ndarray) -> np.ndarray:
    """Return what the reference gives, once compiled code has given the same."""
    expected = cast(np.ndarray, apply(op, *values))
    found = cast(np.ndarray, run_operator(op, values))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(
        found.astype(np.float64), expected.astype(np.float64), rtol=2e-6, atol=1e-6
    )
    return expected


ODD = (Floor, Ceil, Trunc, Round, Sqrt, Sin, Tan, Sinh, Tanh, Asin, Atan, Asinh, Atanh, Erf)


@pytest.mark.parametrize("cls", ODD, ids=lambda cls: cls.name)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_zero_keeps_its_sign(cls, dtype: str):
    zeros = np.array([0.0, -0.0], dtype)
    for found in (apply(cls(), zeros), run_operator(cls(), [zeros])):
        np.testing.assert_array_equal(np.signbit(found), [False, True])


def test_the_sign_of_zero_is_zero_and_of_nan_nan():
    x = np.array([-0.0, 0.0, np.nan, -3.0], np.float32)
    found = run_operator(Sign(), [x])
    np.testing.assert_array_equal(found, np.sign(x))
    assert not np.signbit(found[:2]).any()


def test_negative_and_abs_of_the_extremes():
    least = np.array([-128, 127], np.int8)
    np.testing.assert_array_equal(both(Negative(), least), [-128, -127])
    np.testing.assert_array_equal(both(Abs(), least), [-128, 127])
    np.testing.assert_array_equal(np.signbit(run_operator(Negative(), [np.zeros(1)])), [True])
    np.testing.assert_array_equal(both(Negative(), np.array([0, 1], np.uint8)), [0, 255])


def test_round_halves_away_from_zero():
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, 8388609.0], np.float32)
    expected = [math.copysign(math.floor(abs(v) + 0.5), v) for v in x.astype(float).tolist()]
    np.testing.assert_array_equal(both(Round(), x), expected)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_integer_division_is_that_of_c(dtype: str):
    limits = np.iinfo(dtype)
    numbers = np.array([limits.min, limits.max, 0, 1, 2, 3, 7, 100], dtype)
    if limits.min < 0:
        numbers = np.concatenate([numbers, -numbers[3:]])
    x, y = np.meshgrid(numbers, numbers[numbers != 0])
    safe = ~((x == limits.min) & (y.astype(object) == -1))
    tx, ty = torch.from_numpy(np.where(safe, x, 0)), torch.from_numpy(y)
    quotient = torch.div(tx, ty, rounding_mode="trunc").numpy()
    rest = torch.fmod(tx, ty).numpy()
    for op in (Divide(), TruncDivide()):
        np.testing.assert_array_equal(both(op, x, y)[safe], quotient[safe])
    for op in (Mod(), TruncMod()):
        np.testing.assert_array_equal(both(op, x, y)[safe], rest[safe])


def test_division_by_zero_gives_zero():
    x, y = np.array([-7, 0, 7], np.int32), np.zeros(3, np.int32)
    for op in (Divide(), TruncDivide(), Mod(), TruncMod()):
        np.testing.assert_array_equal(both(op, x, y), [0, 0, 0])


def test_the_least_integer_by_minus_one_is_itself():
    x, y = np.array([-(2**31)], np.int32), np.array([-1], np.int32)
    np.testing.assert_array_equal(both(Divide(), x, y), x)
    np.testing.assert_array_equal(both(Mod(), x, y), [0])


def test_shifts_beyond_the_width():
    x, by = np.array([-5, 5, -5], np.int32), np.array([32, 40, -1], np.int32)
    np.testing.assert_array_equal(both(LeftShift(), x, by), [0, 0, 0])
    np.testing.assert_array_equal(both(RightShift(), x, by), [-1, 0, -1])


def test_casts_saturate():
    x = np.array([np.nan, np.inf, -np.inf, 1e10, -1e10, 127.9, -128.9, 0.99], np.float32)
    np.testing.assert_array_equal(both(Cast("int8"), x), [0, 127, -128, 127, -128, 127, -128, 0])
    np.testing.assert_array_equal(both(Cast("uint8"), x), [0, 255, 0, 255, 0, 127, 0, 0])
    top = both(Cast("int64"), np.array([2.0**63, -(2.0**63), 2.0**62]))
    np.testing.assert_array_equal(top, [2**63 - 1, -(2**63), 2**62])


def test_casts_to_half_round_once():
    x = np.array([1 + 2.0**-11 + 2.0**-40, 65519.9999999, 1e-8, 6e-8], np.float64)
    np.testing.assert_array_equal(both(Cast("float16"), x), x.astype(np.float16))
    tie = np.float32(1 + 2.0**-8)
    assert both(Cast("bfloat16"), np.array([tie])) == np.array([1.0]).astype(ml_dtypes.bfloat16)


def test_clip_of_integers():
    x = np.array([-128, -3, 0, 5, 127], np.int8)
    np.testing.assert_array_equal(both(Clip(-2.9, 4.9), x), [-2, -2, 0, 4, 4])
    np.testing.assert_array_equal(both(Clip(-1e30, 1e30), x), x)
    big = np.array([2**62 + 1, -(2**62) - 1], np.int64)
    np.testing.assert_array_equal(both(Clip(-math.inf, math.inf), big), big)


def test_nan_goes_through():
    x = np.array([np.nan, 1.0], np.float32)
    assert np.isnan(both(Clip(0, 1), x)[0])
    assert np.isnan(both(Sign(), x)[0])
    assert np.isnan(both(Maximum(), x, x[::-1].copy())).all()
    assert np.isnan(both(Max(), x))


@pytest.mark.parametrize(
    ("op", "peer"),
    [
        (Erf(), torch.erf),
        (Sigmoid(), torch.sigmoid),
        (Tanh(), torch.tanh),
        (Sign(), torch.sign),
        (Atanh(), torch.atanh),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_functions_against_torch(op: OperatorDef, peer):
    x = np.concatenate([np.linspace(-12, 12, 999), [1e-30, -1e-30, 300.0]])
    expected = peer(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(both(op, x), expected, rtol=1e-12, atol=1e-15)


def test_power_of_odd_arguments():
    odd = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -3.0, np.inf, -np.inf, np.nan])
    x, y = np.meshgrid(odd, odd)
    expected = torch.pow(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    np.testing.assert_allclose(both(Power(), x, y), expected, rtol=1e-15)


def test_reductions_against_torch():
    x = np.random.default_rng(0).standard_normal((3, 4, 5))
    t = torch.from_numpy(x)
    mean = x.mean(axis=(0, 2), keepdims=True)
    for unbiased in (False, True):
        expected = t.var(dim=(0, 2), unbiased=unbiased).numpy()
        found = both(Variance((0, 2), unbiased=unbiased), x, mean)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(both(Prod(1), x), t.prod(dim=1).numpy(), rtol=1e-12)
    np.testing.assert_allclose(both(Sum((0, 1)), x), t.sum(dim=(0, 1)).numpy(), rtol=1e-12)


def test_half_precision_is_summed_in_single():
    x = np.full(5000, 1.0, np.float16)
    assert both(Sum(), x) == 5000
    assert both(Mean(), x) == 1
    x = np.full(3000, 100.0, np.float16)
    assert both(Mean(), x) == 100  # the sum alone would be infinite


def test_mean_of_integers_truncates():
    np.testing.assert_array_equal(both(Mean(), np.array([-1, -2], np.int32)), -1)
    np.testing.assert_array_equal(both(Mean(), np.full(200, 100, np.int8)), 100)
    np.testing.assert_array_equal(both(Mean(), np.zeros(0, np.int32)), 0)


def test_position_among_equals():
    x = np.array([[1, 3, 3, 0], [2, 2, 2, 2]], np.int32)
    np.testing.assert_array_equal(both(ArgMax(1), x), [1, 0])
    np.testing.assert_array_equal(both(ArgMax(1, select_last_index=True), x), [2, 3])
    np.testing.assert_array_equal(both(ArgMin(), x), 3)


@pytest.mark.parametrize(("start", "stop", "step"), [(0, 7, 2), (7, 0, -3), (2, 2, 1), (5, 1, 2)])
@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_arange(start: int, stop: int, step: int, dtype: str):
    op = Arange(start, stop, step, dtype)
    scalars = [np.array(number, dtype) for number in (start, stop, step)]
    np.testing.assert_array_equal(both(op, *scalars), np.arange(start, stop, step).astype(dtype))


def test_fixed_point_multiply_rounds_halves_up():
    op = FixedPointMultiply(1 << 30, 0)  # one half
    x = np.array([-3, -2, -1, 0, 1, 2, 3], np.int32)
    np.testing.assert_array_equal(both(op, x), [-1, -1, 0, 0, 1, 1, 2])


def test_fills():
    assert both(Zeros(3)).dtype == np.float32
    np.testing.assert_array_equal(both(Full((2,), "int32"), np.array(2.9)), [2, 2])


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("function", [relay.maximum, relay.minimum])
def test_extremes_keep_a_constant_nan_of_either_sign(kind: str, function: Any):
    x = relay.var("x", shape=(4,), dtype=kind)
    for nan in (np.nan, -np.nan):
        run = relay.compile(relay.IRModule.from_expr(function(x, relay.const(nan, kind))))
        assert np.isnan(run(np.array([1, -2, 0, np.inf], kind))).all()


def test_the_order_of_channels_has_a_classic_name():
    x = relay.var("x", shape=(1, 8, 2, 3))
    classic, usual = (relay.nn.depth_to_space(x, block_size=2, mode=m) for m in ("CDR", "CRD"))
    assert classic.op is usual.op
