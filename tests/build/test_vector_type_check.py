"""Vectors of elements stand in types only: whoever is to make values of them says so, and where."""

from collections.abc import Callable

import numpy as np
import pytest

import relay
from relay.build.executor_factory import build
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayTypeError

PROGRAMS = (
    "def @main(%x: Tensor[(2), float32x4]) { %x + %x }",
    'def @main(%x: Tensor[(2, 4), float32]) { cast(%x, dtype="float32x4") }',
    "type T { C(Tensor[(2), float32x4]) }\ndef @main(%x: T) { match (%x) { C(%t) => %t } }",
)


@pytest.mark.parametrize("text", PROGRAMS)
@pytest.mark.parametrize("door", [relay.compile, relay.vm.compile])
def test_no_compiler_takes_them(door: Callable[[relay.Module], object], text: str):
    module = relay.parse('#[version = "0.0.5"]\n' + text)
    with pytest.raises(RelayTypeError, match="T018") as caught:
        door(module)
    assert caught.value.span is not None


@pytest.mark.parametrize("text", PROGRAMS[:2])
def test_no_graph_is_made_of_them(text: str):
    with pytest.raises(RelayTypeError, match="T018"):
        build(relay.parse('#[version = "0.0.5"]\n' + text))


def test_the_evaluator_has_no_values_of_them():
    for text in PROGRAMS[:2]:
        module = relay.parse('#[version = "0.0.5"]\n' + text)
        with pytest.raises(RelayTypeError, match="T018") as caught:
            evaluate(module, np.ones((2, 4), "float32"))
        assert caught.value.span is not None


def test_what_is_not_reached_may_speak_of_them():
    text = "def @other(%x: Tensor[(2), float32x4]) { %x + %x }\ndef @main(%x: int32) { %x }"
    module = relay.parse('#[version = "0.0.5"]\n' + text)
    assert relay.compile(module)(np.int32(3)) == 3
