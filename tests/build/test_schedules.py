"""Schedules are data: printed, kept in files, replaced; what a rule allows computes the same."""

import re

import numpy as np
import pytest

import relay
from relay.build.kernel_listing import listings
from relay.ir.expr import Call, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.softmax import Softmax
from relay.ops.sum_and_mean_reductions import Sum
from relay.runtime import NativeExecutable
from relay.runtime.kernel_schedules import described, schedules_of
from relay.support.errors import CompileError

LAYER = """#[version = "0.0.5"]
def @main(%x: Tensor[(20, 12), float32], %w: Tensor[(24, 12), float32]) {
  nn.relu(nn.dense(%x, %w))
}
"""


def chosen(executable) -> dict[str, dict[str, object]]:
    assert isinstance(executable, NativeExecutable)
    return {each.name: dict(each.fields) for each in schedules_of(executable.program)}


def layer_inputs():
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 12)).astype("f4"), rng.normal(size=(24, 12)).astype("f4")


@pytest.mark.parametrize(
    "wanted",
    [
        {"high": 1, "wide": 1, "vectors": 1},
        {"wide": 3, "block": 5},
        {"block": 20, "parallel": False},
        {"rule": "across", "vectors": 1},
        {"rule": "along", "vectors": 2},
        {"rule": "along", "vectors": 1, "parallel": False},
    ],
    ids=described,
)
def test_a_dense_layer_by_any_schedule(wanted, tmp_path):
    module = relay.parse(LAYER)
    executable = relay.compile(module, threads=2, schedules={"dense+relu": wanted})
    fields = chosen(executable)["dense+relu"]
    assert {**fields, **wanted} == fields
    x, w = layer_inputs()
    np.testing.assert_allclose(executable(x, w), np.maximum(x @ w.T, 0), rtol=1e-5, atol=1e-5)
    executable.save(tmp_path / "layer.relay")
    again = relay.Executable.load(tmp_path / "layer.relay")
    assert described(fields) in str(again.explain())


CASES = {  # an operator, its operands, and what to ask for
    "convolution": (
        Conv2D(padding=1),
        [(1, 3, 9, 11), (5, 3, 3, 3)],
        [{"wide": 2}, {"vectors": 1}],
    ),
    "softmax": (
        Softmax(),
        [(37, 21)],
        [{"rule": "along", "vectors": 1}, {"rule": "together", "height": 2, "beside": 1}],
    ),
    "rows": (Sum(axis=(1,)), [(33, 70)], [{"rule": "along", "vectors": 2}]),
    "columns": (Sum(axis=(0,)), [(70, 133)], [{"rule": "across", "vectors": n} for n in (1, 2)]),
}


@pytest.mark.parametrize("name", CASES)
def test_other_kernels_by_any_schedule(name):
    op, shapes, wishes = CASES[name]
    params = tuple(Var(f"p{n}", TensorType(shape)) for n, shape in enumerate(shapes))
    module = Module.of(Function(params, Call(op, params)))
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype("f4") for shape in shapes]
    plain = relay.compile(module, threads=1)
    (kernel,) = chosen(plain)
    seen = {described(chosen(plain)[kernel])}
    for wish in wishes:
        executable = relay.compile(module, threads=1, schedules={kernel: wish})
        seen.add(described(chosen(executable)[kernel]))
        np.testing.assert_allclose(executable(*arrays), op.reference(*arrays), rtol=1e-4, atol=1e-5)
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("schedules", "message"),
    [
        ({"conv2d": {}}, "the program has no kernel 'conv2d'"),
        ({"dense+relu": {"rule": "magic"}}, "no schedule rule named 'magic'"),
        ({"dense+relu": {"rule": "loose"}}, "no schedule rule named 'loose'"),
        ({"dense+relu": {"width": 3}}, "the schedule has no field 'width'"),
        ({"dense+relu": {"wide": 400}}, "cannot be applied"),
        ({"dense+relu": {"wide": True}}, "cannot be applied"),
        ({"dense+relu": {"wide": "3"}}, "cannot be applied"),
        ({"dense+relu": {"wide": [3]}}, "cannot be applied"),
        ({"dense+relu": {"block": 0}}, "cannot be applied"),
        ({"dense+relu": {"block": 21}}, "cannot be applied"),
    ],
    ids=str,
)
def test_what_cannot_be_had_is_said(schedules, message):
    with pytest.raises(CompileError, match=message) as caught:
        relay.compile(relay.parse(LAYER), schedules=schedules)
    assert caught.value.code == "C170"


def test_kernels_of_one_label_have_numbers():
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(20, 12), float32], %v: Tensor[(12, 12), float32],
          %w: Tensor[(9, 12), float32]) {
  nn.dense(nn.dense(%x, %v), %w)
}
"""
    executable = relay.compile(relay.parse(text), threads=1, schedules={"dense#2": {"wide": 2}})
    fields = chosen(executable)
    assert list(fields) == ["dense#1", "dense#2"]
    assert fields["dense#2"]["wide"] == 2
    both = chosen(relay.compile(relay.parse(text), threads=1, schedules={"dense": {"wide": 2}}))
    assert [each["wide"] for each in both.values()] == [2, 2]


def test_where_a_size_is_open_both_ways_are_named():
    text = LAYER.replace("(20, 12)", "(n, 12)")
    (fields,) = chosen(relay.compile(relay.parse(text), threads=1)).values()
    assert fields["rule"] == "either"
    assert described(fields).startswith("either(turned=")
    turned = {"turned": {"wide": 2}}
    executable = relay.compile(relay.parse(text), threads=1, schedules={"dense+relu": turned})
    (found,) = chosen(executable).values()
    assert "wide=2," in described(found)
    assert found["unturned"] == fields["unturned"]
    x, w = layer_inputs()
    np.testing.assert_allclose(executable(x, w), np.maximum(x @ w.T, 0), rtol=1e-5)
    for wrong in ({"turned": 3}, {"turned": {"width": 3}}, {"wide": 3}):
        with pytest.raises(CompileError, match="C170"):
            relay.compile(relay.parse(text), schedules={"dense+relu": wrong})


def test_a_program_with_control_flow_has_schedules():
    text = """#[version = "0.0.5"]
def @main(%b: bool, %x: Tensor[(20, 12), float32], %w: Tensor[(24, 12), float32]) {
  if (%b) { nn.relu(nn.dense(%x, %w)) } else { nn.dense(tanh(%x), %w) }
}
"""
    executable = relay.compile(relay.parse(text), threads=1, schedules={"dense": {"wide": 2}})
    fields = chosen(executable)
    assert fields["dense"]["wide"] == 2 != fields["dense+relu"]["wide"]
    x, w = layer_inputs()
    found = executable(np.array(False), x, w)
    np.testing.assert_allclose(found, np.tanh(x) @ w.T, rtol=1e-5, atol=1e-5)
    (listed,) = listings(relay.parse(text), "dense+relu")
    assert listed.schedule == described(fields["dense+relu"])


def test_a_listing_shows_loops_and_assembly():
    (found,) = listings(relay.parse(LAYER), "dense+relu", target="x86-64-v3")
    assert found.schedule.startswith("products(")
    assert "kernel dense+relu(p0: float32[20, 12]" in found.loops
    assert "vfmadd" in found.assembly
    with pytest.raises(CompileError) as caught:
        listings(relay.parse(LAYER), "dense+tanh")
    assert caught.value.code == "C170"


def test_a_listing_is_of_the_program_that_its_options_compile():
    with pytest.raises(CompileError, match="no kernel 'dense\\+relu'"):
        listings(relay.parse(LAYER), "dense+relu", opt_level=0)
    assert [each.name for each in listings(relay.parse(LAYER), "dense", opt_level=0)] == ["dense"]
    params = "%x: Tensor[(4096), float32], %y: float32"
    module = relay.parse(f'#[version = "0.0.5"] def @main({params}) {{ %x / %y }}')
    exact, fast = (
        listings(module, "divide", fast_math=fast, target="x86-64-v3")[0].assembly
        for fast in (False, True)
    )
    assert "vdivps" in exact
    assert "vmulps" not in exact
    assert "vmulps" in fast


def test_masked_loads_stay_masked():
    """LLVM took masked multiply-adds apart into loads without a mask, beyond the last row."""
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(k), float32], %w: Tensor[(n, k), float32]) { nn.dense(%x, %w) }
"""
    (found,) = listings(relay.parse(text), "dense", target="x86-64-v4")
    blocks = re.split(r"^\S+:$", found.assembly, flags=re.MULTILINE)
    masked = [each for each in blocks if re.search(r"vfmadd.*%zmm\d+ \{%k", each)]
    assert masked
    for each in masked:
        assert not re.search(r"vmov.*\), %zmm\d+$", each, flags=re.MULTILINE), each
