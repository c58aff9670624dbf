"""Calls as NumPy has them, one a line: shapes, values and element types are those of NumPy.

`calls.txt` has calls of two matrices, `array_calls.txt` of tensors of many kinds.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.frontend.python.oracle import assert_same, expected

MATRICES = "x: Tensor[3, 4], y: Tensor[3, 4]"
TENSORS = (
    "x: Tensor[3, 4], y: Tensor[3, 4], v: Tensor[5], k: Tensor[4, int32], c: Tensor[2, 3, 4], "
    "m: Tensor[3, 4, bool], s: float32, i: int32"
)
HEAD = """
import math
import numpy as np
import relay
from relay.frontend.python import Tensor, float32, int32
"""
PROGRAM = """
@relay.function
def {name}({parameters}):
    return {call}
"""


def _calls(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


CALLS = [
    *((call, MATRICES) for call in _calls("calls.txt")),
    *((call, TENSORS) for call in _calls("array_calls.txt")),
]


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> ModuleType:
    """Return a module with a function for each call: its source has to be in a file."""
    path = tmp_path_factory.mktemp("calls") / "numpy_calls.py"
    numbered = [
        PROGRAM.format(name=f"program{n}", parameters=parameters, call=call)
        for n, (call, parameters) in enumerate(CALLS)
    ]
    path.write_text(HEAD + "".join(numbered), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("numpy_calls", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arguments(parameters: str, seed: int) -> tuple[object, ...]:
    random = np.random.default_rng(seed)
    x, y = random.standard_normal((2, 3, 4), np.float32)
    if parameters is MATRICES:
        return x, y
    v, c = random.standard_normal(5, np.float32), random.standard_normal((2, 3, 4), np.float32)
    return x, y, v, np.array([3, 0, 2, 1], np.int32), c, c[0] > 0, 0.7, 2


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda n: CALLS[n][0])
def test_it_is_what_numpy_gives(programs, number):
    program = getattr(programs, f"program{number}")
    arguments = _arguments(CALLS[number][1], number)
    assert_same(program(*arguments), expected(program, arguments), rtol=2e-4)
