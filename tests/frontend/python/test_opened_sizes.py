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


@pytest.mark.parametrize(
    "made",
    [lambda each: each, relay.compile, relay.vm.compile],
    ids=["evaluated", "compiled", "vm"],
)
def test_a_size_that_a_round_does_not_keep_has_a_place(made):
    run, (given, few) = made(doubted), (np.ones(4, np.float32), np.ones(1, np.float32))
    with pytest.raises(RelayError, match="h has 2 elements") as caught:
        run(given, few, 1)
    assert caught.value.code == "R054"
    span = caught.value.span
    assert span is not None
    assert span.source.name == __file__
    assert span.source.line(span.line).strip() == "h = np.tanh(one) * h + two"
