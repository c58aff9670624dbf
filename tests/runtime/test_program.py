"""Programs as data: specifications, packed constants, profiles, devices."""

import json

import numpy as np
import pytest

from relay.runtime import (
    CPU,
    Device,
    Profile,
    Signature,
    Step,
    StepTime,
    TensorSpec,
    pack_constants,
)
from relay.runtime.aligned_memory import address, aligned_empty
from relay.support.errors import RunError


def test_specifications_are_values():
    assert TensorSpec("x", [1, 2], "float32") is TensorSpec("x", (1, 2), np.float32)
    assert TensorSpec("x", (1, 2), "float32") != TensorSpec("x", (1, 2), "float64")
    assert not TensorSpec("x", ("n",), "float32").is_static
    assert TensorSpec("x", (np.int64(1), 2), "float32") is TensorSpec("x", (1, 2), "float32")


def test_steps_hold_plain_integers():
    step = Step("k", "k", (), (np.prod([2, 4]),), (np.int64(3),), flops=np.int64(5))
    assert json.dumps([step.scalars, step.flops, step.sizes]) == "[[3], 5, [8]]"


def test_a_signature_says_how_results_come_back():
    x = TensorSpec("x", (1,), "float32")
    assert not Signature([x], [x]).is_tuple
    assert Signature([x], [x], is_tuple=True).is_tuple
    assert Signature([x], []).is_tuple
    assert Signature([x], [x, x]).is_tuple
    assert str(Signature([x], [x])) == "(x: float32[1]) -> (x: float32[1])"


def test_constants_are_packed_at_aligned_offsets():
    arrays = [(f"c{n}", np.arange(n, dtype="int8")) for n in (0, 1, 63, 64, 65)]
    packed = pack_constants(arrays)
    assert [c.offset for c in packed.table] == [0, 0, 64, 128, 192]
    assert packed.block.nbytes == 320
    assert packed.block.ctypes.data % 64 == 0
    for entry, (_, array) in zip(packed.table, arrays, strict=True):
        np.testing.assert_array_equal(packed.array(entry), array)


def test_gaps_between_constants_are_zero():
    packed = pack_constants([("a", np.ones(1, "uint8")), ("b", np.ones(1, "uint8"))])
    assert packed.block.sum() == 2


def test_transposed_constants_keep_their_values():
    turned = np.arange(6, dtype="int32").reshape(2, 3).T
    packed = pack_constants([("t", turned)])
    np.testing.assert_array_equal(packed.array(packed.table[0]), turned)


def test_constants_cannot_be_written():
    packed = pack_constants([("a", np.ones(1, "float32"))])
    with pytest.raises(ValueError, match="read-only"):
        packed.array(packed.table[0])[0] = 2


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (2, 0, 4)])
@pytest.mark.parametrize("dtype", ["bool", "float32", "complex128"])
def test_allocated_arrays_are_aligned(shape, dtype):
    array = aligned_empty(shape, np.dtype(dtype))
    assert (array.shape, array.dtype) == (shape, np.dtype(dtype))
    assert array.ctypes.data % 64 == 0
    assert array.flags.writeable
    assert array.flags.c_contiguous
    if array.size:
        assert address(array) == array.ctypes.data


@pytest.mark.parametrize("shape", [(2**61,), (2**62, 2**62)])
def test_absurd_sizes_are_errors(shape):
    with pytest.raises(RunError) as caught:
        aligned_empty(shape, np.dtype("float32"))
    assert caught.value.code == "R009"


def test_profiles_add_up():
    profile = Profile([StepTime("a", "k", 1.0, 2 * 10**6, 10**6), StepTime("b", "k", 3.0)])
    assert (profile.total.milliseconds, profile.total.flops) == (4.0, 2 * 10**6)
    assert profile.steps[0].gflops == pytest.approx(2.0)
    assert profile.steps[0].gbytes == pytest.approx(1.0)
    assert profile.steps[1].gflops == 0
    assert "75.0" in str(profile)
    assert StepTime("idle", "k", 0.0, 1).gflops == 0
    assert str(Profile([]))


def test_devices_are_values():
    assert Device() is CPU is Device("cpu", 0)
    assert str(Device("npu", 1)) == "npu:1"
