"""`relay.parse` and `relay.astext`: what they take besides programs, and what they refuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.support.errors import RelayError

PLAIN = '#[version = "0.0.5"]\ndef @main(%x: int32) { %x + 1 }'


@pytest.mark.parametrize("given", [b"text", 3, None])
@pytest.mark.parametrize("door", [relay.parse, relay.parse_expr])
def test_what_is_no_text(door: Callable[[Any], object], given: Any):
    with pytest.raises(RelayError, match="U003"):
        door(given)


@pytest.mark.parametrize("given", [3, "text", None])
def test_what_is_no_program(given: Any):
    with pytest.raises(RelayError, match="U003"):
        relay.astext(given)


def test_the_mark_that_editors_write_in_front():
    assert relay.parse("\ufeff" + PLAIN).main.type is relay.parse(PLAIN).main.type


def test_options_of_printing():
    module = relay.parse(PLAIN, source_name="plain.rly")
    assert "/* ty=int32 */" in relay.astext(module, show_types=True)
    assert max(map(len, relay.astext(module, width=20).splitlines()[1:])) <= 28
    assert relay.astext(relay.PatternWildcard()) == "_"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: relay.const([[1], [1, 2]]), "T012"),
        (lambda: relay.var("x", shape=3), "T017"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_values_and_shapes_that_are_none(make: Any, code: str):
    with pytest.raises(RelayError, match=code):
        make()
    assert np.shape(relay.const([[1], [2]]).data) == (2, 1)


@pytest.mark.parametrize(
    ("body", "help_"),
    [
        (
            "if (%x) { 1 } else { 2 }",
            "compare the number with zero: %x > 0 or not_equal(%x, 0)",
        ),
        ("nn.relu(data=%x)", "write arguments without names: nn.relu(%x)"),
        ("%x ** 2", "write a power as power(a, b)"),
        ("if (1.5f) { 1 } else { 2 }", "0f"),
    ],
)
def test_helps(body: str, help_: str):
    with pytest.raises(RelayError) as caught:
        relay.parse(f'#[version = "0.0.5"]\ndef @main(%x: int32) {{ {body} }}')
    assert help_ in str(caught.value)


def test_a_number_that_is_none_is_marked():
    with pytest.raises(RelayError, match=r"(?s)P012.*-1u8.*\^\^") as caught:
        relay.parse('#[version = "0.0.5"]\ndef @main() { -1u8 }')
    assert caught.value.span is not None
    assert caught.value.span.column == 15


def test_a_text_continues_a_module_and_its_metadata():
    known = relay.parse('#[version = "0.0.5"]\ntype O { N, S(int32) }\ndef @one() { 1 }')
    text = """#[version = "0.0.5"]
    def @main(%o: O) {
      match (%o) { N => meta[relay.Constant][0], S(_) => meta[relay.Constant][1] }
    }"""
    table = {"relay.Constant": [relay.const([1.0, 2.0]), np.zeros(2, "float32")]}
    module = relay.parse(text, init_module=known, init_meta_table=table)
    assert set(module.functions) == {"one", "main"}
    assert module.main.body.type == relay.TensorType((2,))
    with pytest.raises(RelayError, match="P031"):
        relay.parse(text.replace("@main", "@one"), init_module=known, init_meta_table=table)


def test_the_mark_of_an_editor_is_no_part_of_an_expression():
    assert relay.parse_expr("\ufeff1 + 1").type == relay.scalar_type("int32")


def test_a_module_as_json_is_no_text():
    with pytest.raises(RelayError, match=r"(?s)P004.*with relay\.load_json"):
        relay.parse('{"root": 1, "nodes": [{"type_key": ""}], "b64ndarrays": []}')
