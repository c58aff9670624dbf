"""Programs as Python compute what the evaluator does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.build.value_difference import difference
from relay.ir.module import HasModule
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data
from relay.support.errors import RelayError
from tools.fuzzing.programs import RandomChoices, random_program

TEXTS = {
    "sizes": """def @main(%x: Tensor[(n, 2), float32]) {
      let %f = fn (%y: Tensor[(m), float32]) { broadcast_to(sum(%y), shape=[2 * m, n]) };
      (%f(reshape(%x, newshape=[2 * n])), full(inff, shape=[n]))
    }""",
    "references": """def @main(%x: Tensor[(3, 2), float32]) {
      let %r = ref(%x);
      let %add = fn (%y: Tensor[(3, 2), float32]) { ref_write(%r, ref_read(%r) + %y) };
      let %a = %add(%x);
      let %b = %add(ref_read(%r));
      (ref_read(%r), cast(%x, dtype="bfloat16"), ref_read(ref(1.5f)))
    }""",
    "names": """def @print(%lambda: Tensor[(3, 2), float32]) { %lambda + 1f }
    def @main(%np: Tensor[(3, 2), float32]) {
      let %class = @print;
      let %np = %class(%np);
      if (sum(%np) > 0f) { %class(%np) } else { %np }
    }""",
    "data": """type Tree { Leaf(Tensor[(3, 2), float32]), Node(Tree, Tree), Empty }
    def @total(%t: Tree) -> Tensor[(3, 2), float32] {
      match (%t) {
        Node(Leaf(%x), %r) => { %x * 2f + @total(%r) },
        Node(%l, %r) => { @total(%l) + @total(%r) },
        Leaf(%x) => { %x },
        _ => { zeros(shape=[3, 2], dtype="float32") }
      }
    }
    def @main(%x: Tensor[(3, 2), float32]) { @total(Node(Node(Leaf(%x), Empty), Leaf(%x))) }""",
}


def from_source(module: HasModule) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(relay.to_python(module), names)
    return names["main"]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_programs_compute_the_same(text: str):
    module = relay.parse(f'#[version = "0.0.5"]\n{text}')
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert difference(evaluate(module, x), from_source(module)(x)) == 0


@pytest.mark.parametrize("number", range(0, 60, 6))
def test_random_programs_compute_the_same(number: int):
    program = random_program(RandomChoices(number), 30)
    if any(isinstance(each, Data) for each in program.inputs):
        assert "class" in relay.to_python(program.module)
        return
    try:
        expected = evaluate(program.module, *program.inputs)
    except RelayError:  # it traps
        return
    found = from_source(program.module)(*program.inputs)
    assert _same(expected, found)


def test_a_size_is_read_once_where_several_variables_have_it():
    params = "%x: Tensor[(n, 2), float32], %y: Tensor[(n, 2), float32]"
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ full(1f, shape=[n]) }}')
    lines = relay.to_python(module).splitlines()
    assert [line.strip() for line in lines if ".shape[" in line] == ["n = x.shape[0]"]


def _same(expected: Any, found: Any) -> bool:
    """Whether values are equal; objects of data types are named tuples."""
    if isinstance(expected, Data):
        return type(found).__name__ == expected.constructor.name and _same(expected.fields, found)
    if isinstance(expected, tuple):
        return len(expected) == len(found) and all(map(_same, expected, found))
    return not isinstance(expected, np.ndarray) or difference(expected, found) == 0


COUNT = """def @main(%n: int32, %x: float32) -> float32 {
  if (%n == 0) { %x } else { @main(%n - 1, %x + cast(%n, dtype="float32")) }
}"""
LOCAL = """def @main(%n: int32, %x: float32) -> float32 {
  let %f = fn (%x: float32, %n: int32) -> float32 {
    if (%n == 0) { %x } else { %f(%x + 1f, %n - 1) }
  };
  %f(%x, %n) + %f(%x, 3)
}"""
KEPT = """def @main(%n: int32, %x: float32) -> float32 { @all(%n, %x, fn () -> float32 { %x })() }
def @all(%n: int32, %x: float32, %f: fn() -> float32) -> fn() -> float32 {
  if (%n == 0) { %f } else {
    @all(%n - 1, %x, fn () -> float32 { %f() + cast(%n, dtype="float32") })
  }
}"""


@pytest.mark.parametrize(("text", "number"), [(COUNT, 3000), (LOCAL, 3000), (KEPT, 5)])
def test_a_function_that_calls_itself_last_is_a_loop(text: str, number: int):
    module = relay.parse(f'#[version = "0.0.5"]\n{text}')
    inputs = np.int32(number), np.float32(1)
    assert difference(evaluate(module, *inputs), from_source(module)(*inputs)) == 0
    assert ("while True" in relay.to_python(module)) == (text is not KEPT)


def test_a_value_that_no_clause_matches_is_an_error():
    text = (
        "type T { A, B } def @main(%x: bool) { match? (if (%x) { A } else { B }) { A => { 1 } } }"
    )
    main = from_source(relay.parse(f'#[version = "0.0.5"]\n{text}'))
    assert main(np.array(True)) == 1
    with pytest.raises(ValueError, match="no clause"):
        main(np.array(False))


def test_a_size_that_no_tensor_has_is_an_error():
    text = """type L { N, C(Tensor[(3), float32], L) }
    def @main(%f: fn(int32) -> Tensor[(n), float32]) { zeros(shape=[n], dtype="float32") }"""
    with pytest.raises(RelayError, match="C180"):
        relay.to_python(relay.parse(f'#[version = "0.0.5"]\n{text}'))
