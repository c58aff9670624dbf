"""Tests of indices are bound where they belong, and dropped where ranges say enough."""

import numpy as np
import pytest

from relay.kernels import te
from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.loops import For, Kernel, Let
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import lower
from relay.kernels.traverse_scalars import walk
from tests.kernels.interpret import run


def found_in(kernel: Kernel) -> list[BoundsCheck]:
    listed = (e for stmt in statements(kernel.body) for e in expressions(stmt))
    return [part for e in listed for part in walk(e) if isinstance(part, BoundsCheck)]


def rows(columns: int) -> Kernel:
    x = te.placeholder((5, columns), "float32", "x")
    ids = te.placeholder((3,), "int32", "ids")
    out = te.compute((3, columns), lambda i, j: x[te.inside(ids[i], 5, 0), j], "rows")
    return lower(default_schedule([out]), [x, ids])


def test_a_test_leaves_the_loop_that_it_does_not_depend_on():
    kernel = rows(100)
    loops = [s for s in statements(kernel.body) if isinstance(s, For)]
    lets = [
        s
        for s in statements(kernel.body)
        if isinstance(s, Let) and isinstance(s.value, BoundsCheck)
    ]
    assert len(lets) == 1
    inside = {loop.var.name for loop in loops if lets[0] in list(statements(loop.body))}
    assert inside
    assert all(not name.startswith("j") for name in inside)


@pytest.mark.parametrize("bad", [-6, 5])
def test_the_rows_are_those_of_the_indices(bad: int):
    x, out = np.arange(50, dtype="f").reshape(5, 10), np.empty((3, 10), "f")
    run(rows(10), x, np.array([0, -1, 3], "i4"), out)
    np.testing.assert_array_equal(out, x[[0, -1, 3]])
    with pytest.raises(IndexError):
        run(rows(10), x, np.array([0, bad, 3], "i4"), out)


def test_a_choice_does_not_hide_a_test():
    x = te.placeholder((5,), "float32", "x")
    ids = te.placeholder((3,), "int64", "ids")
    ones = te.const(1, "float32")
    out = te.compute((3,), lambda i: te.select(ids[i] < 9, ones, x[te.inside(ids[i], 5, 0)]))
    with pytest.raises(IndexError):
        run(lower(default_schedule([out]), [x, ids]), *_arrays([0, 7, 1]))


def _arrays(ids: list[int]) -> list[np.ndarray]:
    return [np.ones(5, "f"), np.array(ids), np.empty(len(ids), "f")]


def test_what_is_certainly_inside_is_not_tested():
    x = te.placeholder((8, 8), "float32", "x")
    out = te.compute((8,), lambda i: x[te.inside(i, 8, 0), te.inside(te.const(3), 8, 1)])
    assert found_in(lower(default_schedule([out]), [x])) == []
    beyond = te.compute((8,), lambda i: x[te.inside(i + 1, 8, 0), i])
    assert found_in(lower(default_schedule([beyond]), [x])) != []
