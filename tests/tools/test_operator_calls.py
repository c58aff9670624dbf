"""Random calls of operators, of which `tools/fuzz_operators.py` checks thousands."""

import numpy as np
import pytest

from relay.ir.types import TensorType
from relay.ops.nn.activations import Relu
from tools.fuzzing.operators.calls import RandomCall
from tools.fuzzing.operators.check import CALLS, check_calls, compare, random_calls


def test_calls_follow_from_a_number():
    one, other = (list(map(str, random_calls(5))) for _ in range(2))
    assert one == other
    assert len(one) == CALLS


@pytest.mark.parametrize("number", [0, 1])
def test_calls_equal_their_references(number: int):
    assert sum(check_calls(number, alone=False).values()) == CALLS


def test_a_wrong_reference_is_found(monkeypatch: pytest.MonkeyPatch):
    given = np.array([-1.0, 2.0], np.float32)
    call = RandomCall(Relu(), (TensorType((2,), "float32"),), (given,), 1e-5)
    compare([call])
    monkeypatch.setattr(Relu, "reference", lambda _, x: np.abs(x))
    with pytest.raises(AssertionError, match=r"nn\.relu differs in 1 of 2 elements: 0\.0, not 1"):
        compare([call])
