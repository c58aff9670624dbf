"""Vectorised loops read only what their live lanes need."""

import functools
import re

import numpy as np

from relay.kernels import te
from relay.kernels.passes.printer import text
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from tests.kernels.interpret import run


def test_indices_are_read_in_live_lanes_only():
    x, ids = te.placeholder((8,), "float32", "x"), te.placeholder((5,), "int32", "ids")
    none = te.const(0, "float32")
    out = te.compute((16,), lambda i: te.select(i < 5, x[ids[i]], none), "out")
    schedule = Schedule([out])
    (stage,) = schedule.stages
    stage.vectorize(stage.axes[0])
    numbers, places = np.arange(1, 9, dtype="f"), np.array([7, 0, 3, 3, 1], "i4")
    found = np.empty(16, "f")
    run(lower(schedule, [x, ids]), numbers, places, found)
    np.testing.assert_array_equal(found, [*numbers[places], *[0] * 11])


def test_parts_of_a_value_that_both_alternatives_need_are_read_where_it_is_needed():
    x, limit = te.placeholder((4,), "float32", "x"), te.placeholder((4,), "float32", "limit")

    def element(i: te.Scalar) -> te.Scalar:
        zero, one, five, seven = (te.const(each, "float32") for each in (0, 1, 5, 7))
        inner = te.select(x[i] < limit[i], five, seven)
        both = te.select(x[i] < -9.0, zero, inner)  # `limit` is not always needed
        chosen = te.select(x[i] < 0.0, limit[i] - both, both)
        return te.select(x[i] < 1.0, one, chosen)

    schedule = Schedule([te.compute((4,), element, "out")])
    (stage,) = schedule.stages
    stage.vectorize(stage.axes[0])
    found = np.empty(4, "f")
    run(lower(schedule, [x, limit]), np.array([1, 0.5, 1.5, 2.5], "f"), np.full(4, 2, "f"), found)
    np.testing.assert_array_equal(found, [5, 1, 5, 7])


def test_an_index_that_is_one_of_several_ramps_becomes_a_choice_of_contiguous_loads():
    x = te.placeholder((8,), "float32", "x")

    def element(i: te.Scalar) -> te.Scalar:
        return x[te.select(i >= 3, te.select(i < 11, i - 3, 17 - i), 3 - i)]

    schedule = Schedule([te.compute((16,), element, "out")])
    (stage,) = schedule.stages
    stage.vectorize(stage.axes[0])
    kernel = lower(schedule, [x])
    places = re.findall(r"x\[(.*?)\]", text(kernel))
    assert places == ["ramp(-3, 1, 16)", "ramp(17, -1, 16)", "ramp(3, -1, 16)"]
    numbers, found = np.arange(8, dtype="f"), np.empty(16, "f")
    run(kernel, numbers, found)
    np.testing.assert_array_equal(found, np.pad(numbers, (3, 5), mode="reflect"))


def test_an_index_with_many_choices_stays_one_load():
    x = te.placeholder((64,), "float32", "x")

    def element(i: te.Scalar) -> te.Scalar:
        steps = [te.select(i > k, i - k, te.const(0, "int64")) for k in range(20)]
        return x[functools.reduce(lambda one, other: one + other, steps)]

    schedule = Schedule([te.compute((16,), element, "out")])
    (stage,) = schedule.stages
    stage.vectorize(stage.axes[0])
    assert text(lower(schedule, [x])).count("x[") == 1
