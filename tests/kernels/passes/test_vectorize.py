"""Vectorised loops read only what their live lanes need."""

import numpy as np

from relay.kernels import te
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
