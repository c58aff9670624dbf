"""A sample of what `tools/sweep_sizes.py` checks of every operator."""

import numpy as np
import pytest

from tools.fuzzing.sizes.guarded import guarded
from tools.fuzzing.sizes.opened import Opened, opened
from tools.fuzzing.sizes.sweep import check_opened

SAMPLE = {
    "add": 0,
    "concatenate": 0,
    "dyn.image.resize2d": 0,
    "dyn.nn.pad": 0,
    "nn.conv1d": 0,
    "nn.conv1d_transpose": 0,
    "nn.conv2d_backward_weight": 1,
    "nn.upsampling": 0,
    "qnn.batch_matmul": 0,
    "strided_slice": 2,
    "sum": 1,
    "where": 0,
}
"""An example of some operators, by its number."""


def _cases() -> list[Opened]:
    return [each for each in opened(("unknown",)) if SAMPLE.get(each.name) == each.number]


@pytest.mark.parametrize("case", _cases(), ids=lambda each: each.name)
def test_operators_are_right_at_all_sizes(case: Opened):
    assert check_opened(case) > 20


def test_an_example_is_opened_in_several_ways():
    found = [each for each in opened() if (each.name, each.number) == ("nn.dense", 0)]
    assert [each.kind for each in found] == ["unknown", "free", "tied", *["single"] * 4]
    assert "Tensor[(n0_0, n0_1), float32]" in str(found[1])


@pytest.mark.parametrize("at_end", [True, False])
def test_a_guarded_array_is_a_copy(at_end: bool):
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    copy = guarded(array, at_end=at_end)
    np.testing.assert_array_equal(copy, array)
    assert (copy.ctypes.data + (copy.nbytes if at_end else 0)) % 4096 == 0
