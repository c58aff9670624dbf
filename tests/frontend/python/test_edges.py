"""Numbers at the edges, signed zeros and NaN, and slices of open sizes, beside Python."""

import math

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, function, int32
from relay.support.errors import RelayError

EDGES = (0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1e-30, math.inf, -math.inf, math.nan)


@relay.function
def angles(y: Tensor["n"], x: Tensor["n"]) -> Tensor["n"]:
    return np.arctan2(y, x)


@relay.function
def larger(y: Tensor["n"], x: Tensor["n"]) -> Tensor["n"]:
    return np.fmax(y, x)


@relay.function
def smaller(y: Tensor["n"], x: Tensor["n"]) -> Tensor["n"]:
    return np.fmin(y, x)


@relay.function
def backwards(x: Tensor["n"]) -> Tensor["n"]:
    return x[::-1] + np.cumsum(x)[::-1]


@pytest.mark.parametrize("program", [angles, larger, smaller], ids=lambda each: each.__name__)
def test_edges_of_two_numbers(program):
    y, x = (each.ravel().astype("f") for each in np.meshgrid(EDGES, EDGES))
    if program is not angles:  # which zero is the larger one differs between NumPy's own kernels
        keep = (y != 0) | (x != 0)
        y, x = y[keep], x[keep]
    wanted = program.python(y, x)
    for found in (program(y, x), relay.compile(program)(y, x)):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


@relay.function
def first_places(x: Tensor["n"]) -> tuple[int32, int32]:
    return np.argmax(x > 0), (x > 0).argmin()


def test_where_it_holds_first():
    for x in ([1, 2, -1], [-1, 0, 3, 4], [-1], [5]):
        row = np.array(x, "f")
        for found in (first_places(row), relay.compile(first_places)(row)):
            assert tuple(map(int, found)) == first_places.python(row)


def test_an_open_axis_backwards():
    compiled = relay.compile(backwards)
    for n in (0, 1, 2, 5):
        x = np.arange(n, dtype="f")
        np.testing.assert_allclose(backwards(x), backwards.python(x))
        np.testing.assert_allclose(compiled(x), backwards.python(x))


@function
def tuples_in_tuples(x: Tensor[3]):
    t = (x,)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    t = ((((((((((t,),),),),),),),),),)
    return (t, x)


def test_tuples_nested_too_deeply_are_refused_where_they_stand():
    with pytest.raises(RelayError, match="T040") as caught:
        _ = tuples_in_tuples.module
    assert caught.value.span is not None
