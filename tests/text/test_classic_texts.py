"""Texts that the classic printer wrote, and forms that only its grammar names.

The arrays below stand so in texts that it printed: ones of (3, 3) as float32, and one int64 zero.
"""

import json
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.equality import structural_equal
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError
from relay.text.formatter import format_text

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
    with pytest.raises(RelayError, match=r"P040.*entry 7 of relay.Constant.*only 2"):
        relay.parse(HEAD + "def @main() { meta[relay.Constant][7] }" + section())
    with pytest.raises(
        RelayError, match=r"P040.*relay.Constant.*only 0.*\n.*\n.*\n.*\n.*show_meta_data=False"
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


def graph(entries: dict[str, list[int]], nodes: list[dict[str, Any]]) -> str:
    """Return a section in the classic form; node 2 is the first of `nodes`."""
    first = 2 + len(nodes)
    lists = [{"type_key": "Array", "data": members} for members in entries.values()]
    places = [*range(first, first + len(lists))]
    root = {"type_key": "Map", "keys": [*entries], "data": places}
    whole = {"root": 1, "nodes": [{"type_key": ""}, root, *nodes, *lists], "b64ndarrays": []}
    return "\n#[metadata]\n" + json.dumps(whole)


def node(kind: str, **attributes: str) -> dict[str, Any]:
    return {"type_key": kind, "attrs": attributes}


STRING = {"type_key": "runtime.String", "repr_str": "add"}
ONE = node("IntImm", dtype="int32", value="1", span="0")
TRUE = node("IntImm", dtype="bool", value="1", span="0")


@pytest.mark.parametrize(
    ("call", "nodes", "plain"),
    [
        (
            "cumsum(%x, meta[relay.attrs.ScanopAttrs][0])",
            [node("relay.attrs.ScanopAttrs", axis="3", dtype="float64", exclusive="4"), ONE, TRUE],
            'cumsum(%x, axis=1, dtype="float64", exclusive=True)',
        ),
        (
            "cumsum(%x, meta[relay.attrs.ScanopAttrs][0])",
            [node("relay.attrs.ScanopAttrs", axis="0", dtype="", exclusive="0")],
            "cumsum(%x)",
        ),
        (
            "nn.softmax(%x, meta[relay.attrs.SoftmaxAttrs][0])",
            [node("relay.attrs.SoftmaxAttrs", axis="0")],
            "nn.softmax(%x, axis=0)",
        ),
        (
            "nn.dilate(%x, meta[relay.attrs.DilateAttrs][0])",
            [
                node("relay.attrs.DilateAttrs", strides="3", dilation_value="0.5"),
                {"type_key": "Array", "data": [4, 4]},
                ONE,
            ],
            "nn.dilate(%x, strides=[1, 1], dilation_value=0.5f)",
        ),
        (
            "scatter_elements(%x, %i, %x, meta[relay.attrs.ScatterElementsAttrs][0])",
            [node("relay.attrs.ScatterElementsAttrs", axis="3", reduction="4"), ONE, STRING],
            'scatter_elements(%x, %i, %x, axis=1, reduction="add")',
        ),
        (
            "stft(%x, %w, meta[relay.attrs.StftAttrs][0])",
            [
                node(
                    "relay.attrs.StftAttrs", n_fft="4", hop_length="2", win_length="-1",
                    normalized="1", onesided="0",
                ),
                ONE,
            ],
            "stft(%x, %w, n_fft=4, hop_length=2, normalized=True, onesided=False)",
        ),
    ],
)  # fmt: skip
def test_the_attributes_of_a_call_in_one_object(call: str, nodes: list[dict[str, Any]], plain: str):
    params = "%x: Tensor[(2, 8), float32], %i: Tensor[(2, 8), int64], %w: Tensor[(4), float32]"
    head = HEAD + f"def @main({params}) {{"
    kind = nodes[0]["type_key"]
    read = relay.parse(f"{head} ({call}, {call}) }}" + graph({kind: [2]}, nodes))
    assert structural_equal(read, relay.parse(f"{head} ({plain}, {plain}) }}"))


@pytest.mark.parametrize(
    "attrs", [None, [], {"axis": 0}, {"axis": 0, "bogus": "1"}, {"axis": None}]
)
def test_attributes_that_are_no_texts(attrs: Any):
    text = HEAD + "def @main(%x: float32) { nn.softmax(%x, meta[relay.attrs.SoftmaxAttrs][0]) }"
    damaged = {"type_key": "relay.attrs.SoftmaxAttrs", "attrs": attrs}
    with pytest.raises(RelayError, match="P041"):
        relay.parse(text + graph({"relay.attrs.SoftmaxAttrs": [2]}, [damaged]))


def test_attributes_that_are_damaged():
    text = HEAD + "def @main(%x: float32) { cumsum(%x, meta[relay.attrs.ScanopAttrs][0]) }"
    damaged = graph({"relay.attrs.ScanopAttrs": [2]}, [node("relay.attrs.ScanopAttrs", axis="99")])
    with pytest.raises(RelayError, match="P041"):
        relay.parse(text + damaged)
    with pytest.raises(RelayError, match=r"P040.*does not contain attributes"):
        relay.parse(text + graph({"relay.attrs.ScanopAttrs": [2]}, [ONE]))


def test_sizes_in_the_metadata():
    name = {"type_key": "runtime.String", "repr_str": "n"}
    sizes = [
        node("tir.Var", name="4", dtype="int32"),
        node("tir.Var", name="4", dtype="int32"),
        name,
        node("tir.Mul", a="2", b="6", dtype="int32"),
        node("IntImm", dtype="int32", value="2"),
    ]
    text = """def @main(
      %x: Tensor[(meta[tir.Var][0], 2), float32],
      %y: Tensor[(meta[tir.Var][1]), float32],
      %z: Tensor[(meta[tir.Mul][0]), float32]) { (%x, %y, %z) }"""
    module = relay.parse(HEAD + text + graph({"tir.Var": [2, 3], "tir.Mul": [5]}, sizes))
    assert [str(param.type) for param in module.main.params] == [
        "Tensor[(n, 2), float32]",
        "Tensor[(n1,), float32]",
        "Tensor[(2 * n,), float32]",
    ]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "def @main(%x: Tensor[(2, 3), float32], a=1 b=2) { sum(%x, axis=[1] keepdims=True) }",
            "def @main(%x: Tensor[(2, 3), float32], a=1, b=2) { sum(%x, axis=[1], keepdims=True) }",
        ),
        (
            "def @main(%t: (int32, bool)) { (%t. 0, %t . 1) }",
            "def @main(%t: (int32, bool)) { (%t.0, %t.1) }",
        ),
        ('def @main(a="b\nc") { 1 }', 'def @main(a="b\\nc") { 1 }'),
    ],
)
def test_liberties_of_the_classic_grammar(text: str, plain: str):
    assert structural_equal(relay.parse(HEAD + text), relay.parse(HEAD + plain))
    assert structural_equal(relay.parse(format_text(HEAD + text)), relay.parse(HEAD + plain))


@pytest.mark.parametrize("brackets", ["()", "(())"])
def test_a_function_in_brackets_sees_its_own_name(brackets: str):
    half = len(brackets) // 2
    literal = "fn (%n: int32) -> int32 { if (%n <= 0) { 7 } else { %f(%n - 1) } }"
    value = brackets[:half] + literal + brackets[half:]
    assert evaluate(relay.parse(HEAD + f"def @main() {{ let %f = {value}; %f(3) }}")) == 7


def test_a_call_in_brackets_does_not_see_the_name_that_it_gets():
    text = "def @main() { let %f = 5; let %f = (fn () { %f }()); %f }"
    assert evaluate(relay.parse(HEAD + text)) == 5
