"""Which kernels of many calls read what calls are given where it is, and which want a copy."""

import numpy as np
import pytest

import relay
from relay.build.pipeline import pipeline
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.targets.cpu import this_cpu
from relay.transform.batched_region_records import region_of
from relay.transform.batching.indirect_operands import (
    ReadApart,
    indirect_params,
    indirectly_read_params,
)
from relay.transform.run_passes import run_passes
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.executors import agrees, outcome, static

HEAD = '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil }\n'


def optimised(body: str, size: int = 80) -> Module:
    """Return a program over a list whose step is `body`: of an item, a state and weights."""
    row, weights = f"Tensor[({size}), float32]", f"Tensor[({size}, {size}), float32]"
    text = f"""{HEAD}
def @run(%xs: List[{row}], %h: {row}, %w: {weights}) -> {row} {{
  match (%xs) {{
    Nil => %h,
    Cons(%x, %rest) => {{ let %s = @run(%rest, %h, %w); {body} }}
  }}
}}
def @main(%xs: List[{row}], %h: {row}, %w: {weights}) -> {row} {{ @run(%xs, %h, %w) }}
"""
    return run_passes(infer(relay.parse(text)), pipeline(this_cpu(), batch=True))[0]


def apart(module: Module) -> list[frozenset[int]]:
    regions = filter(None, map(region_of, module.functions.values()))
    return [indirectly_read_params(module[region.many]) for region in regions]


def test_case_1_elementwise_operators_read_apart():
    assert apart(optimised("tanh(add(%x, %s))")) == [frozenset({0, 1})]


def test_case_1_a_product_wants_its_rows_side_by_side():
    (found,) = apart(optimised("add(nn.dense(%s, %w), %x)"))
    assert len(found) == 1  # the other one is added to the product


@pytest.mark.parametrize("op", ["sum(%s, keepdims=True)", "reverse(%s, axis=0)", "nn.softmax(%s)"])
def test_case_1_what_moves_or_adds_elements_wants_them_side_by_side(op: str):
    (found,) = apart(optimised(f"multiply(%x, {op})"))
    assert len(found) <= 1


def test_case_2_one_kernel_that_cannot_is_enough():
    both = optimised("add(add(nn.dense(%s, %w), %x), multiply(%s, %x))")
    assert [len(each) for each in apart(both)] == [1]  # the product reads %s, too


@pytest.mark.parametrize(("size", "count"), [(63, 0), (64, 2)])
def test_case_3_short_values_are_copied(size: int, count: int):
    assert [len(each) for each in apart(optimised("tanh(add(%x, %s))", size))] == [count]


def test_kernels_of_one_call_are_as_they_were():
    module = optimised("tanh(add(%x, %s))")
    for name, function in module.functions.items():
        kernels = [e.op for e in post_order(function.body) if isinstance(e, Call)]
        marks = [indirect_params(each) for each in kernels if isinstance(each, Function)]
        assert name.endswith("_many") or not any(marks)


@pytest.mark.parametrize("first", range(200, 240, 8))
def test_random_programs_mean_and_stop_the_same(first: int, monkeypatch: pytest.MonkeyPatch):
    """Their values are short: here, all are long enough."""
    monkeypatch.setattr("relay.build.pipeline.ReadApart", lambda: ReadApart(least=1))
    for number in range(first, first + 8):
        program = random_program(RandomChoices(number), 16)
        module = static(infer(program.module), program.inputs)
        executable = relay.compile(module, threads=1, batch=True)
        found = outcome(lambda run=executable, given=program.inputs: run(*given))
        assert agrees(found, outcome(lambda m=module, g=program.inputs: evaluate(m, *g)))


def test_a_chain_of_calls_over_apart_rows_is_right():
    rows = np.random.default_rng(3).standard_normal((70, 80)).astype(np.float32)
    run = relay.compile(
        infer(
            relay.parse(f"""{HEAD}
def @main(%xs: List[Tensor[(80), float32]]) -> Tensor[(80), float32] {{
  match (%xs) {{
    Nil => zeros(shape=[80], dtype="float32"),
    Cons(%x, %rest) => subtract(exp(%x), @main(%rest))
  }}
}}
""")
        ),
        threads=1,
        batch=True,
    )
    expected = np.zeros(80, np.float32)
    for row in rows[::-1]:
        expected = np.exp(row) - expected
    np.testing.assert_allclose(run(list(rows)), expected, rtol=1e-4, atol=1e-4)
