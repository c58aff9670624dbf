"""What is moved out of loops does not stop programs that would go on."""

import numpy as np
import pytest

import relay
from relay.testing.programs.executors import check_executors
from relay.testing.programs.program import Program

HEAD = '#[version = "0.0.5"]\ntype Either { Left(Tensor[(2, 2), float32]), Right }\n'
LOOP = """let %loop = fn (%i: int32, %x: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] {
    if (%i < %n) { %loop(%i + 1, %x + %0) } else { %x }
};"""


@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize(
    "rest",
    [
        f"{LOOP} %loop(0, %w)",
        f"{LOOP} let %r = %loop(0, %w); %r + %0",
        f"let %r = if (%c) {{ {LOOP} let %s = %loop(0, %w); %s + %0 }} else {{ %w }}; %r",
    ],
    ids=["inside", "inside and after", "in a branch"],
)
def test_a_choice_one_of_whose_sides_stops(rest: str, condition: bool):
    module = relay.parse(
        f"""{HEAD}
        def @main(%w: Tensor[(2, 2), float32], %c: bool, %n: int32) -> Tensor[(2, 2), float32] {{
          let %e = if (%c) {{ Right }} else {{ Left(%w) }};
          %0 = if (%c) {{ tanh(%w) * 2f }} else {{ match? (%e) {{ Left(%v) => {{ %v }} }} }};
          {rest}
        }}"""
    )
    for steps in (0, 3):
        inputs = (np.ones((2, 2), np.float32), np.array(condition), np.array(steps, np.int32))
        given = check_executors(Program(module, inputs))
        assert isinstance(given, np.ndarray), "no way through stops"
