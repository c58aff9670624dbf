"""Programs that write to their parameters, and read arrays from outside: files keep both."""

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, float32
from relay.runtime.executable import Executable
from relay.support.errors import RunError

WEIGHT = np.array([1, 2, 3], np.float32)
FROZEN = relay.frozen({"w": [np.ones(3, np.float32), np.arange(6, dtype=np.float32)[:3]]})


@relay.function
def step(x: Tensor[3], y: Tensor[3]) -> float32:
    x += y * WEIGHT + FROZEN["w"][0]
    return x.sum()


def given():
    return np.zeros(3, np.float32), np.ones(3, np.float32)


@pytest.mark.parametrize(
    "way", [lambda f: f, relay.compile, relay.jit], ids=["eval", "native", "jit"]
)
def test_parameters_are_written_and_arrays_are_read_at_each_call(way):
    run = way(step)
    for weight in (5.0, 1.0):
        WEIGHT[0] = weight
        (x, y), (wanted, other) = given(), given()
        assert run(x, y) == step.python(wanted, other)
        np.testing.assert_array_equal(x, wanted)
    x, y = given()
    x.flags.writeable = False
    with pytest.raises(RunError, match="R016"):
        run(x, y)
    with pytest.raises(RunError, match="share memory"):
        run(y, y[::-1])


def test_a_file_keeps_what_is_written_and_read(tmp_path):
    fast = relay.compile(step)
    assert list(step.inputs) == ["WEIGHT"]
    assert fast.input_names == ["x", "y", "WEIGHT"]
    fast.save(tmp_path / "step.relay")
    again = Executable.load(tmp_path / "step.relay")
    x, y = given()
    assert again(x, y) == 9
    np.testing.assert_array_equal(x, [2, 3, 4])
    assert again(x, y, np.zeros(3, np.float32)) == 12
