"""Reading by an index from an axis that turns out to be empty stops a program."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError

ROW = """#[version = "0.0.5"]
def @main(%x: Tensor[(n, m), float32], %i: int32) { take(%x, %i, axis=0) }
"""
ROWS = """#[version = "0.0.5"]
def @main(%x: Tensor[(n, 3), float32], %i: Tensor[(k), int32]) { take(%x, %i, axis=0) }
"""


def test_a_row_of_no_rows():
    program = relay.compile(relay.parse(ROW))
    np.testing.assert_array_equal(program(np.eye(3, dtype="f"), np.int32(1)), [0, 1, 0])
    with pytest.raises(RunError) as caught:
        program(np.zeros((0, 4), "f"), np.int32(0))
    assert caught.value.code == "R054"


def test_no_rows_of_no_rows():
    program = relay.compile(relay.parse(ROWS))
    assert program(np.zeros((0, 3), "f"), np.zeros(0, np.int32)).shape == (0, 3)
    assert program(np.ones((2, 3), "f"), np.zeros(5, np.int32)).shape == (5, 3)
    with pytest.raises(RunError):
        program(np.zeros((0, 3), "f"), np.zeros(1, np.int32))
