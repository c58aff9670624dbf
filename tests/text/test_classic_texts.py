"""Texts that the classic printer wrote, and forms that only its grammar names.

The arrays below stand so in texts that it printed: ones of (3, 3) as float32, and one int64 zero.
"""

import json
from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\n'
ONES = (
    "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAAAMAAAAAAAAAJAAAAAAAAAAAAIA/"
    "AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8="
)
ZERO = "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQABAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAA="


def constant(index: int) -> dict[str, Any]:
    attributes = {"_checked_type_": "0", "data": str(index), "span": "0", "virtual_device_": "0"}
    return {"type_key": "relay.Constant", "attrs": attributes}


def section(**changes: Any) -> str:
    nodes: list[dict[str, Any]] = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relay.Constant", "runtime.BoxInt"], "data": [2, 3]},
        {"type_key": "Array", "data": [4, 5]},
        {"type_key": "Array", "data": [6]},
        constant(0),
        constant(1),
        {"type_key": "runtime.BoxInt", "repr_str": "3"},
    ]
    whole: dict[str, Any] = {"root": 1, "nodes": nodes, "b64ndarrays": [ONES, ZERO]}
    return "\n#[metadata]\n" + json.dumps({**whole, "attrs": {"tvm_version": "0.18.0"}, **changes})


def test_metadata():
    text = """def @main(%x: Tensor[(3, 3), float32]) {
      %0 = add(%x, meta[relay.Constant][0]);
      (split(%0, indices_or_sections=meta[runtime.BoxInt][0]), meta[relay.Constant][1])
    }"""
    module = relay.parse(HEAD + text + section())
    value: Any = evaluate(module, np.zeros((3, 3), np.float32))
    parts, zero = value
    np.testing.assert_array_equal(np.concatenate(parts), np.ones((3, 3), np.float32))
    assert zero.dtype == np.int64
    assert zero.tolist() == [0]


@pytest.mark.parametrize(
    "changes",
    [
        {"root": 9},
        {"nodes": 1},
        {"b64ndarrays": []},
        {"b64ndarrays": ["AAAA", ZERO]},
        {"b64ndarrays": [ZERO[:40], ZERO]},
        {"b64ndarrays": ["é", ZERO]},
    ],
    ids=str,
)
def test_damaged_metadata(changes: dict[str, Any]):
    with pytest.raises(RelayError, match="P041"):
        relay.parse(HEAD + "def @main() { meta[relay.Constant][0] }" + section(**changes))


@pytest.mark.parametrize(
    "text",
    [
        "def @main(%x: int32) { match %x { %y => %y } }",
        "def @main(%x: (int32, int32)) { match %x.0 { %y => %y } }",
        "def @main(%x: int32) { match (%x, %x) { (%y, _) => %y } }",
        "def @main(%x: Tensor[(2, 2), float32]) { nn.softmax(%x, axis=(1)) }",
        'def @main(%x {virtual_device_="cpu"}: int32) { %x }',
        'def @f(%x: int32) { %x } def @main() { @f(1, attrs_type_key="relay.attrs.X", level=2) }',
    ],
)
def test_forms_that_the_printer_does_not_write(text: str):
    module = relay.parse(HEAD + text)
    assert relay.parse(relay.astext(module)).main.type is module.main.type


def test_what_is_missing_is_named():
    with pytest.raises(RelayError, match=r"P040.*holds 2 of relay.Constant, not number 7"):
        relay.parse(HEAD + "def @main() { meta[relay.Constant][7] }" + section())
    with pytest.raises(
        RelayError, match=r"P040.*holds 0 of relay.Constant.*\n.*\n.*\n.*\n.*metadata=False"
    ):
        relay.parse(HEAD + "def @main() { meta[relay.Constant][0] }")


BRANCHES = """#[version = "0.0.5"]
def @main(%c: bool, %x: float32) {
  %0 = if (%c) { %1 = %x + 1f; %1 * 2f } else { %1 = %x + 3f; %1 * %1 };
  %1 = %0 - %x;
  (%0, %1)
}"""


@pytest.mark.parametrize("chosen", [True, False])
def test_branches_number_their_values_anew(chosen: bool):
    x = np.float32(2)
    whole = (x + 1) * 2 if chosen else (x + 3) * (x + 3)
    assert evaluate(relay.parse(BRANCHES), np.bool_(chosen), x) == (whole, whole - x)


def test_a_block_inside_does_not_take_a_number_again():
    text = BRANCHES.replace("{ %1 = %x + 1f; %1 * 2f }", "{ %1 = { %1 = %x; %1 }; %1 }")
    relay.parse(text)
    with pytest.raises(relay.RelayError, match="P031"):
        relay.parse(
            text.replace(
                "{ %1 = { %1 = %x; %1 }; %1 }", "{ %1 = %x; if (%c) { %1 = %x; %1 } else { %1 } }"
            )
        )
