"""Arguments from Python are checked, and functions without a source are refused."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, data, float32, function, int32
from relay.support.errors import RelayError


@data
class One:
    x: float32


@data
class Two:
    y: float32


@data
class Three:
    z: float32


First = One | Two
Second = Two | Three


@function
def double(x: Tensor["n"]) -> Tensor["n"]:
    return x * 2


@function
def count(n: int32) -> int32:
    return n + 1


def test_its_repr_shows_the_signature():
    assert repr(count) == "<relay.function count(n: int32) -> int32>"


@function
def confused(a: First, b: Second) -> float32:
    return 1.0


def code_of(action):
    with pytest.raises(RelayError) as caught:
        action()
    return caught.value.code


def test_arguments_have_the_declared_types():
    assert code_of(lambda: double(np.ones((2, 2), np.float32))) == "F140"
    assert code_of(lambda: double(np.ones(2, np.float64))) == "F140"
    assert code_of(lambda: count(0.5)) == "F140"
    assert code_of(lambda: count(2**40)) == "F140"
    assert code_of(lambda: count("one")) == "F140"
    anything: Any = count
    assert code_of(lambda: anything(1, 2)) == "F118"
    assert code_of(lambda: anything(m=1)) == "F118"


def test_a_class_belongs_to_one_union():
    assert code_of(lambda: confused.module) == "F106"


def test_a_function_without_a_file():
    names: dict[str, Any] = {"function": function, "float32": float32}
    exec("@function\ndef f(x: float32) -> float32:\n    return x", names)
    assert code_of(lambda: names["f"].module) == "F100"
    exec("def g(x):\n    return x if x > 0 else -x", names)
    assert names["g"].__module__ is None
    assert code_of(lambda: relay.jit(names["g"])(2.0)) == "F100"
