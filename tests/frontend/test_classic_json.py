"""Modules that TVM's Relay saved as JSON, with their text, inputs and outputs as it gave them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate

FILES = Path(__file__).parent / "classic_json"
NAMES = sorted(path.stem for path in FILES.glob("*.json"))
WITH_OUTPUTS = sorted(path.stem for path in FILES.glob("*.npz"))


def section(name: str = "dense") -> dict[str, Any]:
    return json.loads((FILES / f"{name}.json").read_text())


def from_text(name: str) -> relay.Module:
    return relay.parse((FILES / f"{name}.txt").read_text(), name)


def flat(value: Any) -> list[Any]:
    return [each for item in value for each in flat(item)] if type(value) is tuple else [value]


@pytest.mark.parametrize("name", NAMES)
def test_json_and_text_are_the_same_module(name: str):
    module = relay.load(FILES / f"{name}.json")
    assert relay.structural_equal(module, from_text(name))
    assert relay.structural_equal(relay.parse(module.astext()), module)


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_the_outputs_are_those_of_tvm(name: str):
    with np.load(FILES / f"{name}.npz") as saved:
        arrays = dict(saved)
    inputs = [arrays[key] for key in sorted(arrays) if key.startswith("in")]
    wanted = [arrays[key] for key in sorted(arrays) if key.startswith("out")]
    module = relay.load(FILES / f"{name}.json")
    for outputs in (evaluate(module, *inputs), relay.compile(module)(*inputs)):
        for found, each in zip(flat(outputs), wanted, strict=True):
            np.testing.assert_allclose(found, each, rtol=1e-5, atol=1e-6)


def rooted(name: str, kind: str) -> Any:
    """Load a file with its first node of a kind as the root."""
    fields = section(name)
    kinds = [node["type_key"] for node in fields["nodes"]]
    return relay.load_json(json.dumps({**fields, "root": kinds.index(kind)}))


def test_expressions_and_types_are_roots_too():
    assert rooted("if", "relay.Function").type is from_text("if").main.type
    assert isinstance(rooted("if", "relay.If"), relay.If)
    assert rooted("if", "relay.TensorType") == relay.TensorType((), "bool")
    assert isinstance(rooted("data_type", "relay.PatternConstructor"), relay.PatternConstructor)
    assert isinstance(rooted("if", "IRModule"), relay.IRModule)


def test_a_file_that_holds_a_function_is_a_program(tmp_path: Path):
    fields = section("if")
    kinds = [node["type_key"] for node in fields["nodes"]]
    path = tmp_path / "function.json"
    path.write_text(json.dumps({**fields, "root": kinds.index("relay.Function")}))
    assert relay.structural_equal(relay.load(path), from_text("if"))
    path.write_text(json.dumps({**fields, "root": kinds.index("relay.TensorType")}))
    with pytest.raises(relay.RelayError, match="U074"):
        relay.load(path)


def test_kinds_that_do_not_exist_are_listed_once():
    fields = section()
    for node in fields["nodes"]:
        if node["type_key"] in ("relay.TensorType", "relay.attrs.DenseAttrs"):
            node["type_key"] = "tir.PrimFunc" if "Tensor" in node["type_key"] else "tir.Buffer"
        if node["type_key"] == "Op":
            node["repr_str"] = "unheard_of"
    with pytest.raises(relay.RelayError) as found:
        relay.load_json(json.dumps(fields))
    assert found.value.code == "F010"
    assert list(found.value.notes) == [
        "the operator unheard_of: 3 ×",
        "tir.Buffer: 1 ×",
        "tir.PrimFunc: 4 ×",
    ]


def test_a_deep_program():
    nodes: list[dict[str, Any]] = [
        {"type_key": ""},
        {"type_key": "runtime.String", "repr_str": "x"},
        {"type_key": "relay.Id", "attrs": {"name_hint": "1"}},
        {"type_key": "relay.Var", "attrs": {"vid": "2", "type_annotation": "5"}},
        {"type_key": "Array"},
        {"type_key": "relay.TensorType", "attrs": {"shape": "4", "dtype": "float32"}},
        {"type_key": "Op", "repr_str": "tanh"},
    ]
    argument = 3
    for _ in range(5_000):
        nodes.append({"type_key": "Array", "data": [argument]})
        argument = len(nodes)
        parts = {"op": "6", "args": str(argument - 1), "attrs": "0", "type_args": "4"}
        nodes.append({"type_key": "relay.Call", "attrs": parts})
    found: Any = relay.load_json(json.dumps({"root": argument, "nodes": nodes}))
    assert found.ty == relay.scalar_type("float32")


@pytest.mark.parametrize(
    "changes",
    [
        {"root": 99_999},
        {"root": "x"},
        {"nodes": 3},
        {"nodes": [1, 2]},
        {"b64ndarrays": ["AAAA"]},
        {"b64ndarrays": []},
        {"nodes": [{"type_key": "Array", "data": [0]}], "root": 0},
        {"nodes": [{"type_key": "relay.Var", "attrs": {}}], "root": 0},
        {"nodes": [{"type_key": "relay.Let", "attrs": None}], "root": 0},
        {"nodes": [{"type_key": "Map", "keys": ["a", "b"], "data": []}], "root": 0},
        {"nodes": [{"type_key": "Map", "keys": "ab", "data": [0, 0]}], "root": 0},
        {"nodes": [{"type_key": "Array", "data": "0"}], "root": 0},
        {"nodes": [{"type_key": "Array", "data": [-7]}], "root": 0},
        {"nodes": [{"type_key": 3}], "root": 0},
        {"nodes": [{}], "root": 0},
        {"nodes": [], "root": 0},
        {"root": -1},
        {"root": 100},
    ],
    ids=str,
)
def test_damaged_files(changes: dict[str, Any]):
    with pytest.raises(relay.RelayError) as found:
        relay.load_json(json.dumps({**section(), **changes}))
    assert found.value.code == "U074"
    assert found.value.help
    assert "Error" not in found.value.message


@pytest.mark.parametrize(
    ("kind", "without", "extra", "message"),
    [
        ("Conv2DAttrs", ("padding", "strides"), {}, "a call of nn.conv2d lack padding, strides"),
        ("MaxPool2DAttrs", (), {"strange": "1"}, "nn.max_pool2d have the unknown strange"),
        ("Conv2DAttrs", (), {"span": "0"}, None),
    ],
)
def test_attributes_that_are_missing_or_unknown(kind, without, extra, message):
    """TVM writes all attributes of an operator, so a file that lacks one is damaged."""
    fields = section("convolution")
    for node in fields["nodes"]:
        if node["type_key"] == f"relay.attrs.{kind}":
            kept = {name: each for name, each in node["attrs"].items() if name not in without}
            node["attrs"] = kept | extra
    if message is None:
        assert relay.load_json(json.dumps(fields))
        return
    with pytest.raises(relay.RelayError, match=message) as found:
        relay.load_json(json.dumps(fields))
    assert found.value.code == "U074"


def test_a_missing_array_is_named():
    with pytest.raises(relay.RelayError, match="there is no array 1: the file has 0"):
        relay.load_json(json.dumps({**section(), "b64ndarrays": []}))
