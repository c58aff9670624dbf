from typing import Any

import pytest

import relay
from relay.support.errors import RelayError

HEADER = '#[version = "0.0.5"]\n'
MISTAKES = [
    ("P001", "def @main() { 1 ^ 2 }"),
    ("P002", "/* /* */ def @main() { 1 }"),
    ("P003", "def @main() { " + "(" * 200_001),
    ("P003", "def @main(%x: " + "(" * 150 + ") { 1 }"),
    ("P003", "def @main() { " + "1" * 5000 + " }"),
    ("P010", "def @main() { add(1, 2 }"),
    ("P010", "def @main(%x: int32) { -%x }"),
    ("P010", "def @main(%x: Tensor[(max(n)), float32]) { %x }"),
    ("P011", "def @main(%x: float99) { %x }"),
    ("P012", "def @main() { 300u8 }"),
    ("P013", "def @main() { ref(1, 2) }"),
    ("P020", "def @main(%x: float32) { nn.softmax(%x, axes=1) }"),
    ("P021", "def @main(%x: float32) { clip(%x) }"),
    ("P022", 'def @main(%x: float32) { transpose(%x, axes=["a"]) }'),
    ("P030", "def @main() { let %x = %x; 1 }"),
    ("P031", "def @f() { 1 } def @f() { 2 }"),
    ("P032", "def @main(%x: int32, %x: int32) { 1 }"),
    ("P033", "def @main(%x: int32) { match (%x) { Foo => 1 } }"),
    ("P040", "def @main() { meta[relay.Constant][7] }"),
    ("P041", "def @main() { 1 }\n#[metadata]\n{]"),
    ("P041", '#[metadata]\n{"relay.Constant": [{"shape": [9], "dtype": "int8", "data": ""}]}'),
]


@pytest.mark.parametrize(("code", "text"), MISTAKES)
def test_mistakes(code: str, text: str):
    with pytest.raises(RelayError) as caught:
        relay.parse(HEADER + text)
    assert caught.value.code == code, caught.value
    assert caught.value.span is not None


def test_a_module_needs_its_version():
    for text in ("def @main() { 1 }", '#[version = "9"]\ndef @main() { 1 }'):
        with pytest.raises(RelayError, match="P004"):
            relay.parse(text)


def test_an_expression_that_is_read_as_a_module():
    with pytest.raises(RelayError, match=r"(?s)P010.*relay\.parse_expr"):
        relay.parse(HEADER + "fn (%x: int32) { %x }")


def test_several_mistakes_are_reported_at_once():
    with pytest.raises(RelayError) as caught:
        relay.parse(
            HEADER + "def @f() { let %a = %b; let %c = %d; %a }\ndef @g( { }\ndef @h() { %z }"
        )
    errors = [caught.value, *caught.value.others]
    places = [(e.code, e.span.line, e.span.column) for e in errors if e.span is not None]
    assert places == [("P030", 2, 21), ("P030", 2, 34), ("P010", 3, 9), ("P030", 4, 12)]


@pytest.mark.parametrize("width", ["a", 0, -5, None, 1.5])
def test_a_width_that_is_none(width: Any):
    module = relay.parse(HEADER + "def @main() { 1 }")
    for part in (module, module["main"], module["main"].type):
        with pytest.raises(RelayError) as caught:
            part.astext(width=width)
        assert caught.value.code == "U004"


@pytest.mark.parametrize("name", ["x", "%x", "@x", "%9", "x.y"])
def test_a_long_name_is_not_quoted_in_full(name: str):
    with pytest.raises(RelayError) as caught:
        relay.parse(HEADER + "def @main() { " + name + name[-1] * 100_000 + " }")
    assert len(str(caught.value)) < 1000


def test_half_a_character_can_be_shown():
    with pytest.raises(RelayError, match="P001") as caught:
        relay.parse(HEADER + "def @main() { \ud800 }")
    assert str(caught.value).encode()


@pytest.mark.parametrize(
    "text",
    [
        "%z",
        "%9",
        "(,)",
        ".5f",
        "1_000",
        "0x10",
        "let %x 1; 2",
        "let %1 = 1; 2",
        "1\x0c",
        "\xa01",
        "fn (%x: int128) { %x }",
        "fn (%x: int32, %x: int32) { %x }",
    ],
)
def test_mistakes_that_have_help(text: str):
    with pytest.raises(RelayError) as caught:
        relay.parse(HEADER + f"def @main() {{ {text} }}")
    assert caught.value.help


@pytest.mark.parametrize("name", ["int128", "float8", "bool8", "float8_e4m3b11"])
def test_an_element_type_that_does_not_exist(name: str):
    with pytest.raises(
        RelayError, match=r"P011.*\n(.*\n)*.*use one of the element types bool, int8,"
    ):
        relay.parse(HEADER + f"def @main(%x: Tensor[(2), {name}]) {{ %x }}")
