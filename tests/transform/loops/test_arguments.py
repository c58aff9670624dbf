"""Arguments of loops that are written out, and that no step needs, may trap or not."""

import numpy as np
import pytest

import relay
from tools.fuzzing.programs.executors import check_runs

HEAD = '#[version = "0.0.5"]\n'
STOPPING = 'take(%w, {}, axis=0, mode="raise")'
LOOPS = {
    "of known length": (
        "fn (%i: int32, %h: Tensor[(1, 2), float32], %v: float32) -> Tensor[(1, 2), float32] {{"
        " if (%i < 3) {{ %loop(%i + 1, tanh(%h), {}) }} else {{ %h }} }}"
    ),
    "of open length": (
        "fn (%i: int32, %h: Tensor[(1, 2), float32], %v: float32) -> Tensor[(1, 2), float32] {{"
        " if (%i < %n) {{ %loop(%i + 1, tanh(nn.dense(%h, meta[relay.Constant][0])), {}) }}"
        " else {{ %h }} }}"
    ),
}
WEIGHTS = (
    '\n#[metadata]\n{"relay.Constant": [{"shape": [2, 2], "dtype": "float32", '
    '"data": "AACAPwAAgD8AAIA/AACAPw=="}]}\n'
)


@pytest.mark.parametrize("entered", [True, False], ids=["entered", "again"])
@pytest.mark.parametrize("name", LOOPS)
def test_an_argument_that_no_step_reads(name: str, entered: bool):
    stops = STOPPING.format("%j" if entered else "%j + %i")
    step = LOOPS[name].format("%v" if entered else stops)
    start = stops if entered else "0f"
    text = f"""{HEAD}def @main(%w: Tensor[(3), float32], %j: int32, %n: int32) {{
  let %loop: fn (int32, Tensor[(1, 2), float32], float32) -> Tensor[(1, 2), float32] = {step};
  %loop(0, zeros(shape=[1, 2], dtype="float32"), {start})
}}{WEIGHTS}"""
    numbers = [(np.array(i, np.int32), np.array(n, np.int32)) for i in (0, 1, 9) for n in (0, 3)]
    given = check_runs(relay.parse(text), [(np.ones(3, np.float32), i, n) for i, n in numbers])
    assert all(isinstance(each, np.ndarray) for each in given), "no step reads it"
