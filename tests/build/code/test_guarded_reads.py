"""Index reads behind a test: compiled programs stop where the evaluator does, and only there."""

import itertools

import numpy as np
import pytest

import relay
from tools.fuzzing.programs.executors import check_runs

READ = 'take(%s, %i, axis=0, mode="raise")'
SIGNATURE = "def @main(%s: Tensor[(2), int32], %i: int32, %n: int32) -> int32"


def _loop(limit: str, step: str) -> str:
    return f"""let %loop = fn (%k: int32, %x: int32) -> int32 {{
        if (%k < {limit}) {{ %loop(%k + 1, {step}) }} else {{ %x }}
    }};
    %loop(0, 0)"""


def _agrees(body: str, steps: tuple[int, ...] = (3,)) -> None:
    module = relay.parse(f'#[version = "0.0.5"]\nimport "prelude.rly"\n{SIGNATURE} {{ {body} }}')
    numbers = [tuple(map(np.int32, each)) for each in itertools.product((0, 2), steps)]
    check_runs(module, [(np.array([1, 5], np.int32), *map(np.asarray, each)) for each in numbers])


@pytest.mark.parametrize("limit", ["3", "%n"])
@pytest.mark.parametrize("guard", ["%i", "%k + %i", "%x + %i"])
def test_reads_in_a_loop(limit: str, guard: str):
    step = f"if ({guard} < 2) {{ %x + {READ} }} else {{ %x - 1 }}"
    _agrees(_loop(limit, step))
    _agrees(f"let %t = {READ}; {_loop(limit, step.replace(READ, '%t'))}")
    _agrees(f"let %u = if (%n < 2) {{ {_loop(limit, step)} }} else {{ 7 }}; %u")


@pytest.mark.parametrize("guard", ["%n > 1", "%i < 2"])
@pytest.mark.parametrize(
    "rest",
    [
        f"let %q = if (GUARD) {{ {READ} + 1 }} else {{ -2 }}; %p * 10 + %q",
        f"let %f = fn () {{ {READ} }}; if (GUARD) {{ %f() + %p }} else {{ %p }}",
        "if (%n < 1) { %p } else { 3 }",
    ],
)
def test_reads_in_branches(rest: str, guard: str):
    first = f"let %p = if ({guard}) {{ {READ} }} else {{ -1 }};"
    _agrees(f"{first} {rest.replace('GUARD', guard)}", (0, 3))


@pytest.mark.parametrize("value", [READ, f"{READ} + 1", "@hd(Nil[int32])"])
def test_values_that_one_branch_needs_stop_the_program_before(value: str):
    _agrees(f"let %t = {value}; if (%n > 1) {{ %t }} else {{ 4 }}", (0, 3))
    _agrees(f"let %t = {value}; let %u = %t * 2; if (%n > 1) {{ %u }} else {{ 4 }}", (0,))
