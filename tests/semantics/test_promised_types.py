"""The evaluator gives values of the sizes that types say, or stops."""

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\n'
TWO, OPEN = "Tensor[(2), float32]", "Tensor[(?), float32]"
X, Y = np.ones(2, np.float32), np.ones(3, np.float32)

PROMISES = {
    "the result of a function that is passed": f"""
def @use(%f: fn ({TWO}) -> {TWO}, %x: {TWO}) -> float32 {{ sum(%f(%x)) }}
def @main(%x: {TWO}, %y: {OPEN}) {{
  @use(fn (%t: {OPEN}) -> {OPEN} {{ concatenate((%t, %y)) }}, %x)
}}""",
    "one name of two lets": f"""
def @main(%x: {OPEN}, %y: {OPEN}) {{
  let %a: Tensor[(m), float32] = abs(%x);
  let %b: Tensor[(m), float32] = abs(%y);
  (%a, %b)
}}""",
    "one name in a tuple": f"""
def @main(%x: {OPEN}, %y: {OPEN}) {{
  let %z: (Tensor[(m), float32], Tensor[(m), float32]) = (%x, %y);
  %z
}}""",
    "a name of a let in a closure": f"""
def @main(%x: {OPEN}, %y: {OPEN}) {{
  let %a: Tensor[(m), float32] = %x;
  let %f = fn (%t: {OPEN}) {{ let %b: Tensor[(m), float32] = %t; %b + %a }};
  %f(%y)
}}""",
}


@pytest.mark.parametrize("name", PROMISES)
def test_values_of_other_sizes_stop_the_program(name: str):
    with pytest.raises(RelayError) as caught:
        evaluate(relay.parse(HEAD + PROMISES[name]), X, Y)
    assert caught.value.code == "R054"


def test_a_name_of_a_let_is_another_size_in_each_call():
    module = relay.parse(f"""{HEAD}
def @main(%x: {OPEN}, %y: {OPEN}) {{
  let %f = fn (%t: {OPEN}) {{ let %b: Tensor[(m), float32] = %t; sum(%b) }};
  %f(%x) + %f(%y)
}}""")
    assert evaluate(module, X, Y) == 5


@pytest.mark.parametrize("size", ["n + m", "n - m", "n * m"])
def test_sizes_that_no_input_tells_are_refused_as_by_the_compiler(size: str):
    module = relay.parse(f"{HEAD}def @main(%x: Tensor[({size}), float32]) {{ sum(%x) }}")
    for run in (lambda: evaluate(module, X), lambda: relay.compile(module)):
        with pytest.raises(RelayError, match="but no input determines m and n") as caught:
            run()
        assert caught.value.code == "C115"
