"""Constants that a compilation holds while it packs them for kernels."""

import gc
import sys
from pathlib import Path
from weakref import ReferenceType, ref

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import relay
from relay.build import compile_straight_line
from relay.ir.expr import Constant
from relay.ir.walk import post_order
from relay.runtime import program
from relay.support.mapped_file import mapping_of
from relay.transform.fold_constants import FoldConstants
from relay.transform.run_passes import run_passes
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify_inference import SimplifyInference
from tests.support.resident import resident

LARGE = 1 << 20
RNG = np.random.default_rng(0)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """Return the path of a model whose weights are scaled, transformed and laid out anew."""
    given = {name: RNG.random(256, np.float32) for name in ("scale", "shift", "mean", "variance")}
    given["weight"] = RNG.standard_normal((256, 256, 3, 3), np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "weight"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["b"]),
        helper.make_node("Conv", ["b", "weight"], ["y"], pads=[1, 1, 1, 1]),
    ]
    x, y = (
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 256, 28, 28])
        for name in "xy"
    )
    tensors = [numpy_helper.from_array(each, name) for name, each in given.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def large_constants() -> set[int]:
    """Return the identities of all large constants that are not views of a mapped file."""
    nodes = [each for each in gc.get_objects() if isinstance(each, Constant)]
    return {id(each) for each in nodes if each.data.nbytes >= LARGE and not mapping_of(each.data)}


def test_constants_are_freed_while_they_are_packed(network, monkeypatch):
    module, others = relay.load(network), large_constants()
    build, copy = compile_straight_line.build_program, program.copy_array
    nodes, copies, alive = list[set[int]](), list[ReferenceType[np.ndarray]](), list[int]()

    def built(line, *given):
        nodes.append(large_constants() - others)
        return build(line, *given)

    def copied(target, source):
        if source.nbytes >= LARGE:
            copies.append(ref(source))
            alive.append(sum(each() is not None for each in copies))
        copy(target, source)

    monkeypatch.setattr("relay.build.compile.build_program", built)
    monkeypatch.setattr(program, "copy_array", copied)
    relay.compile(module)
    assert nodes == [set()]
    assert alive == [1, 1]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_pages_that_a_pass_has_read_are_released(network):
    module = relay.load(network)
    (weight, *_) = [
        each.data
        for each in post_order(module.main)
        if isinstance(each, Constant) and mapping_of(each.data)
    ]
    assert weight.sum()
    assert resident(network) >= weight.nbytes
    run_passes(module, [SimplifyInference(), FoldConstants(), FoldScale()])
    assert resident(network) == 0
