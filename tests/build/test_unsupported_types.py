"""Types that no program can compute with are refused, before a pass works on them."""

from collections.abc import Callable

import numpy as np
import pytest

import relay
from relay.build.executor_factory import build
from relay.semantics.evaluate import evaluate
from relay.support.errors import CompileError, RelayTypeError

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


MANY = ", ".join(f"n{axis}" for axis in range(200))
DEEP = {
    "an input": (f"def @main(%x: Tensor[({MANY}), float32]) {{ exp(%x) }}", 200),
    "a result": (
        "def @main(%x: Tensor[(n), float32]) { expand_dims(%x, axis=0, num_newaxis=64) }",
        65,
    ),
    "a part of a tuple": (f"def @main(%x: (int32, Tensor[({MANY}), int8])) {{ 1 }}", 200),
    "a field": (
        f"type T {{ C(Tensor[({MANY}), int8]), D(T) }}\ndef @main(%x: T) {{ 1 }}",
        200,
    ),
    "a field of a generic type": (
        f"type T[A] {{ C(A), D(T[A]) }}\ndef @main(%x: T[Tensor[({MANY}), int8]]) {{ 1 }}",
        200,
    ),
    "parts of complex numbers": (
        "def @main(%x: Tensor[(n), complex64]) { expand_dims(%x, axis=0, num_newaxis=63) }",
        65,
    ),
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("door", [relay.compile, relay.vm.compile])
def test_too_many_axes_are_refused_before_any_pass_runs(
    door: Callable[[relay.Module], object], name: str, monkeypatch: pytest.MonkeyPatch
):
    text, axes = DEEP[name]
    module = relay.parse('#[version = "0.0.5"]\n' + text)
    for compiler in ("compile", "vm"):
        monkeypatch.setattr(f"relay.build.{compiler}.run_pipeline", None)
        monkeypatch.setattr(f"relay.build.{compiler}.LowerComplex", None)
    with pytest.raises(CompileError, match=f"C102.*{axes} axes") as caught:
        door(module)
    assert caught.value.help
