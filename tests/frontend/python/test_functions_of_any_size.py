"""Functions whose types name sizes, passed where functions of other sizes are wanted."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import pytest

import relay
from relay.frontend.python import PythonFunction, Tensor, data, float32, function, int32
from relay.support.errors import RelayError

A = TypeVar("A")
B = TypeVar("B")

X = np.array([1.0, 3.0], "float32")


@data
class Nothing:
    pass


@data
class Some(Generic[A]):
    value: A


Option = Nothing | Some[A]


@data
class Job:
    op: Callable[[Tensor[2]], float32]
    times: int32


@function
def double(x: Tensor["n"]) -> Tensor["n"]:
    return x * 2


@function
def total(x: Tensor["n"]) -> float32:
    return x.sum()


@function
def largest(x: Tensor[2]) -> float32:
    return x.max()


@function
def twice(f: Callable[[Tensor["n"]], Tensor["n"]], x: Tensor["n"]) -> Tensor["n"]:
    return f(f(x))


@function
def after(f: Callable[[A], B], x: A) -> B:
    return f(x)


@function
def map_option(f: Callable[[A], B], option: Option[A]) -> Option[B]:
    match option:
        case Some(value):
            return Some(f(value))
        case _:
            return Nothing()


@function
def pick() -> Callable[[Tensor[2]], float32]:
    return total


@function
def passed(x: Tensor[2]) -> Tensor[2]:
    return twice(double, x)


@function
def without_names(x: Tensor[2]) -> Tensor[2]:
    return twice(lambda v: v + 1, x)


@function
def nested(x: Tensor[2]) -> Tensor[2]:
    def more(v: Tensor["m"]) -> Tensor["m"]:
        return v + 1

    return twice(more, x)


@function
def generic(x: Tensor[2]) -> Tensor[2]:
    return after(double, x)


@function
def generic_data(x: Tensor[2]) -> Tensor[2]:
    match map_option(double, Some(x)):
        case Some(value):
            return value
        case _:
            return x


@function
def of_what_is_around(x: Tensor["m"]) -> Tensor["m"]:
    def more(v: Tensor["m"]) -> Tensor["m"]:
        return v + x

    return after(more, x) + twice(more, x)


@function
def returned(x: Tensor[2]) -> float32:
    return pick()(x)


@function
def fields(x: Tensor[2]) -> float32:
    job = Job(largest, 1) if x[0] > 5 else Job(total, 2)
    return job.op(x)


@function
def declared(x: Tensor[2]) -> Tensor[2]:
    f: Callable[[Tensor[2]], Tensor[2]] = double
    return f(x)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (passed, 4 * X),
        (without_names, X + 2),
        (nested, X + 2),
        (generic, 2 * X),
        (generic_data, 2 * X),
        (of_what_is_around, 5 * X),
        (returned, X.sum()),
        (fields, X.sum()),
        (declared, 2 * X),
    ],
)
def test_the_place_chooses_the_sizes(program: PythonFunction, expected: np.ndarray):
    np.testing.assert_array_equal(program(X), expected)
    np.testing.assert_array_equal(relay.compile(program)(X), expected)


@function
def of_another_size(x: Tensor["m"], y: Tensor[2]) -> Tensor[2]:
    def more(v: Tensor["m"]) -> Tensor["m"]:
        return v + x

    return twice(more, y)


def test_a_name_of_what_is_around_is_that_size():
    with pytest.raises(RelayError, match="argument 1 of @twice") as caught:
        of_another_size(X, X)
    assert caught.value.code == "T034"
