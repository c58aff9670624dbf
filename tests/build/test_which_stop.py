"""Where several operators would stop a program, it stops for the reason of the first."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError
from tests.build.ways import ways

HEAD = """#[version = "0.0.5"]
def @main(
  %i: int64, %x: Tensor[(?), float32], %y: Tensor[(?), float32], %t: Tensor[(3), float32]
) {
  """
AN_INDEX, A_SIZE = "R056", "R054"

PROGRAMS = {
    "an index, used last": (
        """let %a = take(%t, %i, axis=0, mode="raise");
  let %b = add(%x, %y);
  multiply(%b, %a)""",
        AN_INDEX,
    ),
    "a size, used last": (
        """let %b = add(%x, %y);
  let %a = take(%t, %i, axis=0, mode="raise");
  multiply(%a, %b)""",
        A_SIZE,
    ),
    "an index, within a value": (
        """let %a = negative(exp(take(%t, %i, axis=0, mode="raise")));
  let %b = sum(add(%x, %y));
  multiply(%b, %a)""",
        AN_INDEX,
    ),
    "a row, before what hides that sizes do not fit": (
        """%0 = take(expand_dims(%t, axis=1), %i, axis=0, mode="raise");
  %1 = (let %b = sum(add(%x, %y)); 0);
  take(%0, %1, axis=0)""",
        AN_INDEX,
    ),
    "an index of what the size is part of": (
        'take(add(%x, %y), cast(take(%t, %i, axis=0, mode="raise"), dtype="int64"), axis=0)',
        A_SIZE,
    ),
}


@pytest.mark.parametrize(("text", "reason"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_first_reason_counts(text: str, reason: str):
    program = relay.parse(f"{HEAD}{text}\n}}")
    args = np.int64(7), np.ones(3, np.float32), np.ones(2, np.float32), np.ones(3, np.float32)
    for name, run in ways(program).items():
        with pytest.raises(RunError) as caught:
            run(*args)
        assert caught.value.code == reason, name


def test_a_call_that_waits_and_that_nobody_asks_for_is_made():
    text = """#[version = "0.0.5"]
def @count(%n: int64, %t: Tensor[(3, 4), float32]) -> int64 {
  if (%n == 0i64) { 0i64 } else {
    let %row = tanh(take(%t, %n, axis=0, mode="raise"));
    @count(%n - 1i64, %t) + 1i64
  }
}
def @main(%n: int64, %t: Tensor[(3, 4), float32]) -> int64 { @count(%n, %t) }"""
    table = np.ones((3, 4), np.float32)
    for name, run in ways(relay.parse(text)).items():
        assert run(np.int64(2), table) == 2, name
        with pytest.raises(RunError, match="R056"):
            run(np.int64(3), table)
