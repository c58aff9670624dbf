"""Chains of operators over mixed element types, of which `tools/fuzz_chains.py` runs thousands."""

import ml_dtypes
import numpy as np
import pytest

import relay
from relay.kernels.cpu_model import CpuModel
from relay.kernels.machine_names import machine_named
from tools.fuzzing.chains import check_chain

HERE = CpuModel.host()


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_chains(first: int):
    for number in range(first, first + 10):
        check_chain(number, HERE)


@pytest.mark.skipif(not HERE.has("avx2"), reason="needs AVX2")
@pytest.mark.parametrize("first", range(100, 140, 10))
def test_chains_for_avx2(first: int):
    for number in range(first, first + 10):
        check_chain(number, machine_named("x86-64-v3"))


@pytest.mark.parametrize("n", [2, 3, 5, 8, 9, 12, 17, 24])
@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_vectors_of_an_epilogue_are_longer_than_the_rows_before_it(n: int, kind: str):
    x = relay.var("x", shape=(3, 5, n), dtype="float64")
    run = relay.compile(relay.IRModule.from_expr(relay.cast(relay.nn.softmax(x), kind)))
    given = np.random.default_rng(n).standard_normal((3, 5, n))
    power = np.exp(given - given.max(-1, keepdims=True))
    expected = power / power.sum(-1, keepdims=True)
    np.testing.assert_allclose(run(given), expected.astype(kind), rtol=2e-3)


@pytest.mark.parametrize("n", [17, 33])
def test_a_last_lane_is_written_by_itself(n: int):
    x = relay.var("x", shape=(3, n), dtype="bfloat16")
    run = relay.compile(relay.IRModule.from_expr(relay.nn.softmax(x, axis=0)), threads=1)
    given = np.random.default_rng(n).standard_normal((3, n)).astype(ml_dtypes.bfloat16)
    power = np.exp(given.astype(np.float64))
    found = run(given).astype(np.float64)
    np.testing.assert_allclose(found, power / power.sum(0), atol=1e-2)


def test_two_rows_of_mixed_widths():
    x = relay.var("x", shape=(5, 2))
    compared = relay.cast(relay.clip(relay.nn.softmax(x), 0.25, 4.0), "int64") < relay.const(
        1, "int64"
    )
    run = relay.compile(relay.IRModule.from_expr(compared))
    assert run(np.ones((5, 2), np.float32)).all()


def test_half_precision_to_bytes():
    x = relay.var("x", shape=(3, 3), dtype="float16")
    soft = relay.nn.softmax(relay.nn.log_softmax(x))
    run = relay.compile(relay.IRModule.from_expr(relay.cast(relay.clip(soft, 1.0, 3.0), "int8")))
    np.testing.assert_array_equal(run(np.ones((3, 3), np.float16)), np.ones((3, 3), np.int8))
