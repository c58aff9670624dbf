"""A value that nobody reads, or of which nothing is read, may still stop the program."""

import itertools
from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.support.errors import RunError
from relay.testing.programs.executors import Stopped, check_runs

READ = 'take(%s, %i, axis=0, mode="raise")'
ROW = 'take(%x, %i, axis=0, mode="raise")'
ONES = 'ones(shape=[2], dtype="float32")'
ZEROS = 'zeros(shape=[2], dtype="float32")'

NUMBERS = [
    f"let %t = ({READ}, 1); %t.1",
    f"({READ}, 1).1",
    f"let %a = {READ}; let %b = %a + 1; %n",
    f"let %a = ({READ}, %n); let %b = (%a.1, %a); %b.0",
    f"@second({READ}, %n)",
    f"@perhaps({READ}, %n)",
    f"ndarray_size({ROW}, dtype='int32')".replace("'", '"'),
    'take(reshape(7, newshape=[1]), %i, axis=0, mode="raise")',
    f"{READ} * 0",
    f"let %a = {READ}; %a - %a",
    f"let %a = cast({READ}, dtype='int64'); cast(%a - %a, dtype='int32')".replace("'", '"'),
    f"where(True, %n, {READ})",
    f"where(%n > 1, {READ}, 3)",
    f"cast(logical_and(False, {READ} > 1), dtype='int32')".replace("'", '"'),
]
ROWS = [
    f"shape_of({ROW}, dtype='float32')".replace("'", '"'),
    f"zeros_like({ROW})",
    f"ones_like({ROW} + 1f)",
    f"broadcast_to_like(1f, {ROW})",
    f"reshape_like(ones(shape=[2, 1], dtype='float32'), {ROW})".replace("'", '"'),
    f"split({ROW}, indices_or_sections=2, axis=0).1",
    f"nn.batch_norm(%x, {ROW}, {ONES}, {ZEROS}, {ONES}, scale=False).0",
    f"nn.layer_norm(%x, {ROW}, {ONES}, scale=False)",
    f"sum(zeros(shape=[0, 2], dtype='float32') + {ROW}, axis=0)".replace("'", '"'),
    f"concatenate((strided_slice({ROW}, begin=[0], end=[0], axes=[0]), take(%x, 0, axis=0)))",
]
CALLS = [
    "let %t = READ; let %u = @hd(%l); %u + %t",
    "let %u = @hd(%l); let %t = READ; %t + %u",
    "READ + @hd(%l)",
    "@hd(%l) + READ",
    "let %t = (READ, @hd(%l)); %t.1 + %t.0",
    "let %t = READ; let %c = ref(0); ref_write(%c, @hd(%l)); ref_read(%c) * %t",
]
FUNCTIONS = """
def @second(%a: int32, %b: int32) { %b }
def @perhaps(%a: int32, %b: int32) {
    if (%b > 1) { %a } else { if (%b > 0) { %a + 1 } else { 4 } }
}
"""


def _outcomes(body: str) -> list[object]:
    head = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
    main = "def @main(%s: Tensor[(2), int32], %i: int32, %n: int32, %x: Tensor[(2, 2), float32])"
    module = relay.parse(f"{head}{FUNCTIONS}{main} {{ {body} }}")
    s, x = np.array([1, 5], np.int32), np.array([[1, 2], [3, 4]], np.float32)
    numbers = itertools.product((0, 2), (0, 3))
    inputs = [(s, np.array(i, np.int32), np.array(n, np.int32), x) for i, n in numbers]
    return list(check_runs(module, inputs))


@pytest.mark.parametrize("body", NUMBERS + ROWS)
def test_what_is_not_read_stops_the_program(body: str):
    found = _outcomes(body)
    assert [isinstance(each, Stopped) for each in found] == [False, False, True, True]


@pytest.mark.parametrize("body", CALLS)
def test_what_stops_first_is_told(body: str):
    made = "let %l = if (%n > 1) { Cons(%n, Nil[int32]()) } else { Nil[int32]() };"
    found = _outcomes(f"{made} {body.replace('READ', READ)}")
    assert sum(isinstance(each, Stopped) for each in found) == 3


def test_a_let_inside_the_value_of_another_stops_in_its_turn():
    text = """#[version = "0.0.5"]
def @main(%a: Tensor[(2), float32], %y: Tensor[(?), float32], %z: Tensor[(?), float32]) {
  let %v = (let %w = sum(concatenate((%a, %y)) * %y); %a);
  (let %t = sum(%a + %z); %v)
}"""
    inputs = [np.ones(size, np.float32) for size in (2, 3, 4)]
    for run in (lambda *args: evaluate(relay.parse(text), *args), relay.compile(relay.parse(text))):
        with pytest.raises(RunError) as caught:
            run(*inputs)
        assert caught.value.span is not None
        assert caught.value.span.line == 3


def test_what_one_kernel_reads_stops_in_its_turn():
    text = """#[version = "0.0.5"]
def @main(%a: Tensor[(?), float32], %b: Tensor[(?), float32]) -> float32 {
  %0 = (let %s = sum(concatenate((%a, %b), axis=0) + %a); zeros(shape=[4], dtype="float32"));
  %1 = (let %t = sum(%b * tile(%a, reps=[3])); 1);
  take(%0, clip(%1, a_min=0, a_max=1), axis=0, mode="raise")
}
"""
    (found,) = check_runs(relay.parse(text), [(np.ones(3, np.float32), np.ones(2, np.float32))])
    assert found == Stopped("R054", "text:3:22")


def test_names_of_sizes_that_data_have_are_not_those_of_a_caller():
    text = """#[version = "0.0.5"]
import "prelude.rly"
def @of(%l: List[Tensor[(n), float32]]) -> float32 {
  match (%l) { Cons(%a, Cons(%b, _)) => sum(%a + %b), _ => 2f }
}
def @main(%x: Tensor[(n), float32], %y: Tensor[(?), float32], %z: Tensor[(?), float32]) {
  (@of(Cons(%y, Cons(%z, Nil))), @of(Cons(%z, Nil)), %x)
}
"""
    x, y, z = (np.ones(size, np.float32) for size in (2, 3, 4))
    found: list[Any] = check_runs(relay.parse(text), [(x, y, y), (x, y, z)])
    fits, stops = found
    assert fits[0] == 6
    assert stops == Stopped("R054", "text:4:30")
    with pytest.raises(RunError, match="its type says n\n"):
        relay.create_executor("aot", relay.parse(text)).evaluate()(x, y, z)
