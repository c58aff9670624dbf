"""Traps are imprecise: a program gives its value, where no trap reaches it, or one of its traps.

`check_runs` compares every executor, at every level, with the collecting evaluator.
"""

import itertools
from typing import Any

import numpy as np
import pytest

import relay
from relay.support.errors import RunError
from tests.build.ways import ways
from tools.fuzzing.programs.executors import check_runs
from tools.fuzzing.programs.outcomes import Trapped

READ = 'take(%s, %i, axis=0, mode="raise")'
ROW = 'take(%x, %i, axis=0, mode="raise")'
HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
MAIN = "def @main(%s: Tensor[(2), int32], %i: int32, %n: int32, %x: Tensor[(2, 2), float32])"

UNNEEDED = [
    f"let %t = ({READ}, 1); %t.1",
    f"({READ}, 1).1",
    f"let %a = {READ}; let %b = %a + 1; %n",
    f"let %a = ({READ}, %n); let %b = (%a.1, %a); %b.0",
    f"let %c = ref({READ}); %n",
    f"@second({READ}, %n)",
    "let %u = match? (if (%i > 1) { Nil[int32]() } else { Cons(1, Nil) }) { Cons(%h, _) => %h }; 3",
    f"let %f = fn () {{ let %a = {READ}; 3 }}; %f()",
    f"ndarray_size({ROW}, dtype='int32')".replace("'", '"'),
    f"shape_of({ROW}, dtype='float32')".replace("'", '"'),
    f"zeros_like({ROW})",
    f"ones_like({ROW} + 1f)",
    f"{READ} * 0",
    f"where(True, %n, {READ})",
    f"nn.layer_norm(%x, {ROW}, ones(shape=[2], dtype='float32'), scale=False)".replace("'", '"'),
]
NEEDED = [
    f"({READ}, %n)",
    f"let %a = {READ}; if (%a > 0) {{ %a }} else {{ 0 - %a }}",
    f"@perhaps({READ}, 1)",
    "let %c = ref(0); ref_write(%c, READ); ref_read(%c) + %n".replace("READ", READ),
    f"let %f = fn (%k: int32) {{ %k + {READ} }}; %f(%n)",
    f"Cons({READ}, Nil)",
    f"{READ} + @hd(Cons(%n, Nil))",
    f"sum(concatenate((strided_slice({ROW}, begin=[0], end=[1], axes=[0]), take(%x, 0, axis=0))))",
]
FUNCTIONS = """
def @second(%a: int32, %b: int32) { %b }
def @perhaps(%a: int32, %b: int32) {
    if (%b > 1) { %a } else { if (%b > 0) { %a + 1 } else { 4 } }
}
"""


def _outcomes(body: str) -> list[object]:
    module = relay.parse(f"{HEAD}{FUNCTIONS}{MAIN} {{ {body} }}")
    s, x = np.array([1, 5], np.int32), np.array([[1, 2], [3, 4]], np.float32)
    numbers = itertools.product((0, 2), (0, 3))
    inputs = [(s, np.array(i, np.int32), np.array(n, np.int32), x) for i, n in numbers]
    return list(check_runs(module, inputs))


@pytest.mark.parametrize("body", UNNEEDED)
def test_a_trap_that_nobody_needs_may_be_dropped(body: str):
    assert not any(isinstance(each, Trapped) for each in _outcomes(body))


@pytest.mark.parametrize("body", NEEDED)
def test_a_trap_that_is_needed_is_reported(body: str):
    found = [isinstance(each, Trapped) for each in _outcomes(body)]
    assert found == [False, False, True, True]


@pytest.mark.parametrize("body", [*UNNEEDED[:4], *UNNEEDED[8:12]])
def test_an_optimised_program_drops_it(body: str):
    module = relay.parse(f"{HEAD}{FUNCTIONS}{MAIN} {{ {body} }}")
    s, x = np.array([1, 5], np.int32), np.ones((2, 2), np.float32)
    relay.compile(module)(s, np.array(2, np.int32), np.array(0, np.int32), x)


CALLS = [
    "let %t = READ; let %u = @hd(%l); %u + %t",
    "let %u = @hd(%l); let %t = READ; %t + %u",
    "READ + @hd(%l)",
    "@hd(%l) + READ",
    "let %t = (READ, @hd(%l)); %t.1 + %t.0",
    "let %t = READ; let %c = ref(0); ref_write(%c, @hd(%l)); ref_read(%c) * %t",
]


@pytest.mark.parametrize("body", CALLS)
def test_one_of_several_traps_is_reported(body: str):
    made = "let %l = if (%n > 1) { Cons(%n, Nil[int32]()) } else { Nil[int32]() };"
    found = _outcomes(f"{made} {body.replace('READ', READ)}")
    assert sum(isinstance(each, Trapped) for each in found) == 3


SIZES = """#[version = "0.0.5"]
def @main(
  %i: int64, %x: Tensor[(?), float32], %y: Tensor[(?), float32], %t: Tensor[(3), float32]
) {
  """


@pytest.mark.parametrize(
    "body",
    [
        """let %a = take(%t, %i, axis=0, mode="raise"); let %b = add(%x, %y); multiply(%b, %a)""",
        """let %b = add(%x, %y); let %a = take(%t, %i, axis=0, mode="raise"); multiply(%a, %b)""",
        'take(add(%x, %y), cast(take(%t, %i, axis=0, mode="raise"), dtype="int64"), axis=0)',
    ],
)
def test_sizes_and_indices_in_any_order(body: str):
    module = relay.parse(f"{SIZES}{body}\n}}")
    args = np.int64(7), np.ones(3, np.float32), np.ones(2, np.float32), np.ones(3, np.float32)
    for name, run in ways(module).items():
        with pytest.raises(RunError) as caught:
            run(*args)
        assert caught.value.code in {"R054", "R056"}, name


def test_an_assertion_is_always_needed():
    module = relay.parse(f"""{HEAD}
def @check(%n: int32) -> () {{ if (%n > 1) {{ () }} else {{ match? (()) {{ }} }} }}
def @main(%x: Tensor[(3), float32], %n: int32) {{ let %checked = @check(%n); %x + 1f }}""")
    x = np.ones(3, np.float32)
    (fails, holds) = check_runs(module, [(x, np.array(n, np.int32)) for n in (1, 2)])
    assert isinstance(fails, Trapped)
    np.testing.assert_array_equal(np.asarray(holds), x + 1)


def test_so_is_its_condition():
    module = relay.parse(f"""{HEAD}{MAIN} {{
      let %checked = if ({READ} > 0) {{ () }} else {{ match? (()) {{ }} }}; %n }}""")
    s, x = np.array([1, 5], np.int32), np.ones((2, 2), np.float32)
    given = [(s, np.array(i, np.int32), np.array(7, np.int32), x) for i in (1, 2)]
    holds, traps = check_runs(module, given)
    assert holds == 7
    assert isinstance(traps, Trapped)


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
    assert stops == Trapped("R054", "text:4:30")
    with pytest.raises(RunError, match=r"\(declared as n\)\n"):
        relay.create_executor("aot", relay.parse(text)).evaluate()(x, y, z)


@pytest.mark.parametrize(
    "read",
    ['take(%x, %i, axis=0, mode="raise")', "gather(%x, %i, axis=0)", "exp(gather(%x, %i, axis=0))"],
)
def test_elements_that_nobody_needs(read: str):
    module = relay.parse(f"""{HEAD}def @main(%x: Tensor[(4), float32], %i: Tensor[(3), int64]) {{
      strided_slice({read} + 1f, begin=[0], end=[2]) }}""")
    x = np.arange(4, dtype=np.float32)
    indices = ([3, -1, 4], [3, 4, 2], [0, 1, 2])
    found = check_runs(module, [(x, np.array(i)) for i in indices])
    assert [isinstance(each, Trapped) for each in found] == [False, True, False]
