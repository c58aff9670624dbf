"""Calls of other modules, such as models that were loaded, inside of Python functions."""

# pyright: reportCallIssue=false, reportArgumentType=false

from pathlib import Path

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, data, float32, function, int32
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\n'
STEP = relay.parse(
    HEAD
    + """
def @half(%x: Tensor[(n), float32]) -> Tensor[(n), float32] { multiply(%x, 0.5f) }
def @main(%x: Tensor[(n), float32], %y: float32)
    -> (Tensor[(n), float32], float32) { (add(@half(%x), %y), sum(%x)) }
"""
)
LISTS = relay.parse(
    HEAD
    + """
type List[A] { Cons(A, List[A]), Nil }
def @first[A](%l: List[A], %otherwise: A) -> A {
  match (%l) { Cons(%first, _) => %first, Nil => %otherwise }
}
def @main(%x: float32) -> float32 { @first(@first(Nil, Cons(%x, Nil)), 0f) }
"""
)


@data
class List:
    content: float32


def test_a_module_in_a_loop() -> None:
    @function
    def main(x: Tensor["n"], steps: int32) -> tuple[Tensor["n"], float32]:
        total = np.float32(0)
        for _ in range(steps):
            x, found = STEP(x, y=1.0)
            total = total + found
        return x, total

    x = np.array([1, 2, 4], np.float32)
    wanted, total = x, 0.0
    for _ in range(3):
        wanted, total = wanted / 2 + 1, total + wanted.sum()
    for run in main, relay.compile(main, threads=1):
        found, sum_ = run(x, np.int32(3))
        np.testing.assert_allclose(found, wanted)
        np.testing.assert_allclose(sum_, total)


def test_two_modules_and_functions_of_one_name() -> None:
    other = relay.parse(HEAD + "def @main(%x: float32) -> float32 { negative(%x) }")

    @function
    def model(x: Tensor[2]) -> Tensor[2]:
        return x * 4

    @function
    def main(x: Tensor[2]) -> Tensor[2]:
        halved, total = STEP(model(x), other(x[0]))
        return halved + other(total)

    found = main(np.array([1, 3], np.float32))
    np.testing.assert_allclose(found, [1 * 2 - 1 - 16, 3 * 2 - 1 - 16])
    assert len(main.module.functions) == 5


def test_mistakes_are_said_at_the_call() -> None:
    @function
    def too_few(x: Tensor[2]) -> Tensor[2]:
        return STEP(x)[0]

    @function
    def two_lists(items: List) -> float32:
        return LISTS(items.content)

    with pytest.raises(RelayError) as caught:
        _ = too_few.module
    assert caught.value.code == "F118"
    with pytest.raises(RelayError) as caught:
        _ = two_lists.module
    assert caught.value.code == "F134"
    assert Path(__file__).name in str(caught.value)


def test_a_module_that_can_be_changed_is_called_as_it_is():
    x = relay.var("x", shape=(2,))
    model = relay.IRModule.from_expr(relay.Function([x], x * x))

    @function
    def program(v: Tensor[2, float32]):
        return model(v) + 1.0

    given = np.array([2, 3], np.float32)
    np.testing.assert_allclose(relay.compile(program)(given), [5, 10])
