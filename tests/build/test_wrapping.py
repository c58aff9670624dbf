"""Whole numbers that wrap do so in compiled programs as they do in the evaluator's."""

import re

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RelayError

FORMS = [
    "floor_divide(%x * 4, 4)",
    "floor_divide(%x * 4 + 8, 4)",
    "floor_mod(%x * 3, 3)",
    "floor_mod(%x * 6364136223846793005 + 1442695040888963407, 1000)",
    "maximum(%x + 1, %x)",
    "less(%x, %x + 1)",
    "less(%x + 1, 1)",
    "less(%x - %y, 0)",
    "greater_equal(%x * 2, %x + %x)",
    "minimum(%x + %y, %y)",
    "less(floor_divide(%x + 8, 8), floor_divide(%x, 8))",
    "where(less(%x, %x + %y), %x, %y)",
]
X = np.array([2**63 - 1, -(2**63), 2**62, -(2**62), 3 * 2**61, 0, 1, -1, 10**12 + 7])
Y = np.array([2**63 - 1, -(2**63), 0, 1, 2, 3, 4, 5, 6])
HEAD = '#[version = "0.0.5"]\n'


def wide(text: str) -> str:
    """Return a text whose literals have 64 bits."""
    return re.sub(r"\b\d+\b", r"\g<0>i64", text)


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_64_bits_wrap(form: str, level: int):
    params = "%x: Tensor[(9,), int64], %y: Tensor[(9,), int64]"
    module = relay.parse(f"{HEAD}def @main({params}) {{ {wide(form)} }}")
    with np.errstate(all="ignore"):
        expected = evaluate(infer(module), X, Y)
    found = relay.compile(module, opt_level=level)(X, Y)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("index", ["maximum(%i, 0) * 2", "maximum(%i, 0) + maximum(%i, 1)"])
def test_an_index_that_wraps_is_outside(index: str):
    params = "%x: Tensor[(5,), float32], %i: int64"
    body = f'take(%x, {wide(f"minimum({index}, 4)")}, axis=0, mode="raise")'
    module = relay.parse(f"{HEAD}def @main({params}) {{ {body} }}")
    x = np.arange(5, dtype="f")
    compiled = relay.compile(module)
    assert compiled(x, np.int64(1)) == 2
    with pytest.raises(RelayError) as caught:
        compiled(x, np.int64(2**62 + 2**40))
    assert caught.value.code == "R056"
