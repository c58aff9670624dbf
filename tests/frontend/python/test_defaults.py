"""What is compiled is called in the ways of the Python function: by position, name and default."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import PythonFunction, Tensor, data, float32, int32
from relay.runtime.executable import Executable
from relay.support.errors import RelayError
from tests.frontend.python.oracle import assert_same, expected

WEIGHT = np.arange(3, dtype=np.float32)


@data
class Leaf:
    value: float32


@data
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


@relay.function
def scaled(x: float32, *, scale: float32 = 2.0, n: int32 = 3) -> float32:
    return x * scale + n


@relay.function
def weighted(x: Tensor["n", 3], w: Tensor[3] = WEIGHT, far: float32 = float("inf")):
    return np.minimum(x @ w, far), w


@relay.function
def moved(x: float32, by: tuple[float32, int32] = (1.5, 2), flip: bool = True) -> float32:
    return x * by[0] + by[1] if flip else x


@relay.function
def total(tree: Tree = Node(Leaf(1.0), Leaf(2.0)), k: float32 = 3.0) -> float32:  # noqa: B008
    match tree:
        case Leaf(value):
            return value * k
        case Node(left, right):
            return total(left, k) + total(right, k)


Call = tuple[PythonFunction[..., Any], tuple[Any, ...], dict[str, Any]]
CALLS: list[Call] = [
    (scaled, (1.0,), {}),
    (scaled, (1.0,), {"scale": 5.0}),
    (scaled, (1.0,), {"n": 1}),
    (scaled, (), {"n": 1, "x": 2.0}),
    (scaled, (1.0,), {"n": 7, "scale": 0.5}),
    (weighted, (np.ones((2, 3), np.float32),), {}),
    (weighted, (np.ones((2, 3), np.float32),), {"far": 2.0}),
    (weighted, (np.ones((2, 3), np.float32), WEIGHT + 1), {}),
    (moved, (2.0,), {}),
    (moved, (2.0, (0.5, 1)), {}),
    (moved, (2.0,), {"flip": False}),
    (moved, (), {"by": (3.0, 4), "x": 1.0}),
    (total, (), {}),
    (total, (Leaf(4.0),), {}),
    (total, (), {"k": 2.0}),
]
PROGRAMS = [scaled, weighted, moved, total]


def assert_called_alike(compiled: Executable, program: PythonFunction) -> None:
    for each, args, named in CALLS:
        if each is program:
            assert_same(compiled(*args, **named), program.python(*args, **named))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_evaluated_compiled_and_loaded(program: PythonFunction, tmp_path):
    for each, args, named in CALLS:
        if each is program:
            assert_same(each(*args, **named), each.python(*args, **named))
    compiled = relay.compile(program, threads=1)
    assert_called_alike(compiled, program)
    compiled.save(tmp_path / "program.relay")
    assert_called_alike(Executable.load(tmp_path / "program.relay", threads=1), program)


def test_sizes_and_the_virtual_machine():
    x = np.ones((2, 3), np.float32)
    wanted = expected(weighted, (x,))
    assert_same(relay.compile(weighted, specialise=True, threads=1)(x), wanted)
    assert_same(relay.vm.compile(scaled)(1.0, n=4), scaled.python(1.0, n=4))
    assert_same(relay.vm.compile(total)(k=2.0), total.python(k=2.0))


def test_what_has_no_default_is_missed():
    compiled = relay.compile(scaled, threads=1)
    with pytest.raises(RelayError, match="the input 'x' is missing"):
        compiled(scale=2.0)
    with pytest.raises(RelayError, match="the program takes 3 inputs, not 4"):
        compiled(1.0, 2.0, 3, 4)
    with pytest.raises(RelayError, match="given both by position and by name"):
        compiled(1.0, 2.0, scale=3.0)
    with pytest.raises(RelayError, match="no input 'size'"):
        compiled(1.0, size=3.0)


def test_a_module_alone_has_none():
    with pytest.raises(RelayError, match="R001"):
        relay.compile(scaled.module, threads=1)(1.0)
