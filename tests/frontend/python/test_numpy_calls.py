"""Calls as NumPy has them, one a line of `calls.txt`: shape and values are those of NumPy."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

CALLS = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()
HEAD = """
import math
import numpy as np
import relay
from relay.frontend.python import Tensor
"""
PROGRAM = """
@relay.function
def program{number}(x: Tensor[3, 4], y: Tensor[3, 4]):
    return {call}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> ModuleType:
    """Return a module with a function for each call: its source has to be in a file."""
    path = tmp_path_factory.mktemp("calls") / "numpy_calls.py"
    numbered = [PROGRAM.format(number=n, call=call) for n, call in enumerate(CALLS)]
    path.write_text(HEAD + "".join(numbered), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("numpy_calls", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("number", range(len(CALLS)), ids=CALLS.__getitem__)
def test_it_is_what_numpy_gives(programs, number):
    program = getattr(programs, f"program{number}")
    x, y = np.random.default_rng(number).standard_normal((2, 3, 4), np.float32)
    with np.errstate(all="ignore"):
        expected = program.python(x, y)
        value = program(x, y)
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)
