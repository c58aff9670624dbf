"""Delta debugging: small programs keep what a predicate looks for."""

import pytest

import relay
from relay.ir.expr import Call, If
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.ops.binary import Subtract
from relay.ops.transcendental import Tanh
from relay.semantics.infer import infer
from relay.support.errors import UsageError
from relay.transform.minimize.minimize import minimised, minimize
from relay.transform.minimize.shrinking_edits import weight
from tools.fuzzing.programs import RandomChoices, random_program

HEAD = '#[version = "0.0.5"]\n'
CHAIN = (
    "def @main(%x: Tensor[(3), float32]) { "
    + "exp(" * 200 + "tanh(" + "exp(" * 200 + "%x" + ")" * 401 + " }"
)  # fmt: skip
CONTROL = """type List { Nil, Cons(Tensor[(2), float32], List) }
def @walk(%l: List, %n: int32) -> Tensor[(2), float32] {
  match (%l) { Nil => { ones(shape=[2], dtype="float32") }, Cons(%x, %r) => {
    let %y = %x * 2f;
    if (%n == 0) { tanh(%y) + exp(%y) } else { @walk(%r, %n - 1) + %y }
  } }
}
def @main(%x: Tensor[(2), float32], %n: int32) { (@walk(Cons(%x, Cons(exp(%x), Nil)), %n), %x) }
"""


def has(kind: type):
    def found(module: Module) -> bool:
        order = post_order(*module.functions.values())
        return any(isinstance(e, Call) and isinstance(e.op, kind) for e in order)

    return found


def test_a_long_chain_takes_few_tests():
    tests = []

    def fails(module: Module) -> bool:
        tests.append(module)
        return has(Tanh)(module)

    small = minimize(infer(relay.parse(HEAD + CHAIN)), fails)
    assert str(small.main.body.type) == "Tensor[(3,), float32]"
    assert weight(small) == 4  # the function, its parameter, the operator and its call
    assert len(tests) < 80


def test_control_flow_goes_where_it_is_not_needed():
    small = minimize(infer(relay.parse(HEAD + CONTROL)), has(Tanh))
    assert weight(small) == 4
    branches = minimize(
        infer(relay.parse(HEAD + CONTROL)),
        lambda m: any(isinstance(e, If) for e in post_order(*m.functions.values())),
    )
    assert weight(branches) <= 8
    assert not branches.types


@pytest.mark.parametrize("number", range(6))
def test_random_programs_become_small(number: int):
    whole = infer(random_program(RandomChoices(number), 40).module)
    fails = has(Subtract)
    if fails(whole):
        small = minimize(whole, fails)
        assert fails(small)
        assert weight(small) <= 10


def test_the_whole_program_must_show_the_defect():
    with pytest.raises(UsageError) as found:
        minimize(infer(relay.parse(HEAD + CHAIN)), has(Subtract))
    assert found.value.code == "U322"


def test_the_number_of_tests_is_bounded():
    tests = []
    whole = infer(relay.parse(HEAD + CHAIN))
    small = minimize(whole, lambda m: bool(tests.append(m)) or has(Tanh)(m), tests=3)
    assert len(tests) == 4
    assert weight(small) < weight(whole)


def test_the_time_is_bounded_even_if_a_test_does_not_end():
    whole = infer(relay.parse(HEAD + CHAIN))

    def fails(module: Module) -> bool:
        while weight(module) < 20:
            pass
        return has(Tanh)(module)

    small = minimised(whole, fails, seconds=0.8)
    assert 20 <= weight(small.module) < weight(whole)
    assert not small.is_smallest


def test_sizes_of_results_stay_determined():
    text = 'def @main(%x: Tensor[(n), float32]) { exp(%x + zeros(shape=[n], dtype="float32")) }'
    small = minimize(infer(relay.parse(HEAD + text)), lambda m: "zeros" in str(m))
    assert infer(relay.parse(small.astext())).main.params


def test_a_binding_whose_value_does_not_fit_its_uses_stays():
    text = """def @main(%c: bool, %x: Tensor[(3), float32]) {
      let %y: Tensor[(?), float32] = %x;
      if (%c) { add(%x, %x) } else { add(%y, ones(shape=[4], dtype="float32")) }
    }"""
    small = minimize(infer(relay.parse(HEAD + text)), lambda m: "add" in str(m))
    assert weight(small) <= 5
