"""A loop opens the sizes of its variables that a round finds out, and no others."""

# ruff: noqa: F722 - an open size is "?"
# pyright: reportOperatorIssue=false, reportIndexIssue=false, reportArgumentType=false
# pyright: reportCallIssue=false, reportAttributeAccessIssue=false, reportReturnType=false

import numpy as np
import pytest

import relay
from relay.frontend.python import PythonFunction, Tensor, function, int32
from relay.ir.expr import Function
from relay.ir.walk import post_order
from relay.support.errors import RelayError


@function
def masked_rows(x: Tensor["n", 2], k: int32) -> Tensor["?", 2]:
    y = x
    for _ in range(k):
        y = y[y[:, 0] > 0]
    return y


@function
def doubted(x: Tensor["g"], h: Tensor["h"], k: int32) -> Tensor["h"]:
    for _ in range(k):
        one, two = np.split(x, 2)
        h = np.tanh(one) * h + two
    return h


@function
def only_counted(x: Tensor["n"], k: int32) -> Tensor["n"]:
    y = x
    for _ in range(k):
        y = y + len(y[y > 0])
    return y


@function
def masked_after_doubt(x: Tensor["g"], h: Tensor["h"], k: int32) -> Tensor["?"]:
    for _ in range(k):
        one, two = np.split(x, 2)
        both = one * h + two
        h = both[both > 0]
    return h


@function
def left_early(x: Tensor["n"]) -> Tensor["?"]:
    y = x
    for least in [1.0, 2.0, 3.0]:
        if np.sum(y) < 4.0:
            break
        y = y[y > least]
    return y


@function
def in_one_branch(x: Tensor["n"], k: int32) -> Tensor["?"]:
    y = x
    if k > 0:
        if k > 5:
            return y * 2.0
    else:
        if k < -5:
            return y * 3.0
        y = y[y > 1.5]
    return y + 1.0


WAYS = pytest.mark.parametrize(
    "made",
    [lambda each: each, relay.compile, relay.vm.compile],
    ids=["evaluated", "compiled", "vm"],
)


def state(program: PythonFunction) -> str:
    """Return the type of what the loop of a program carries besides the index."""
    main = program.module["main"]
    loops = (each for each in post_order(main) if isinstance(each, Function) and each is not main)
    return repr(next(loops).params[1].type)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (masked_rows, "Tensor[(?, 2), float32]"),
        (doubted, "Tensor[(h,), float32]"),
        (only_counted, "Tensor[(n,), float32]"),
        (masked_after_doubt, "Tensor[(?,), float32]"),
    ],
    ids=lambda each: each.__name__ if isinstance(each, PythonFunction) else None,
)
def test_what_a_loop_carries(program: PythonFunction, expected: str):
    assert state(program) == expected


@WAYS
def test_a_size_that_a_round_does_not_keep_has_a_place(made):
    run, (given, few) = made(doubted), (np.ones(4, np.float32), np.ones(1, np.float32))
    with pytest.raises(RelayError, match="%h has size 2 at axis 0, not 1") as caught:
        run(given, few, 1)
    assert caught.value.code == "R054"
    span = caught.value.span
    assert span is not None
    assert span.source.name == __file__
    assert span.source.line(span.line).strip() == "h = np.tanh(one) * h + two"


@WAYS
@pytest.mark.parametrize("x", [[1, 2, 3, 4], [1, 2], [0, 0, 0]], ids=str)
def test_rounds_that_are_left_early(made, x: list[float]):
    given = np.array(x, np.float32)
    np.testing.assert_array_equal(made(left_early)(given), left_early.python(given))


@WAYS
@pytest.mark.parametrize("k", [6, 1, 0, -6])
def test_a_size_that_the_second_branch_finds_out(made, k: int):
    given = np.array([1, 2, 3], np.float32)
    found = made(in_one_branch)(given, np.int32(k))
    np.testing.assert_array_equal(found, in_one_branch.python(given, k))


@function
def tallied(x: Tensor["n", int32], weights: Tensor["n"]) -> Tensor["?"]:
    return np.bincount(x, weights=weights)


@WAYS
def test_weights_are_added_to_as_many_bins_as_the_data_needs(made):
    run, weights = made(tallied), np.array([0.5, 2, 1], np.float32)
    found = run(np.array([3, 0, 3], np.int32), weights)
    np.testing.assert_array_equal(found, [2, 0, 0, 1.5])
    with pytest.raises(RelayError) as caught:
        run(np.array([1, -1, 0], np.int32), weights)
    assert caught.value.code == "R056"
