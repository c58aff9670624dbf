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
