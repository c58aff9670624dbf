"""Axes that are fused and split again, at sizes that do not divide."""

from relay.kernels import te
from relay.kernels.loops import Allocate
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule


def test_the_last_tile_of_a_batch_of_one_is_no_larger_than_the_others():
    x = te.placeholder((1, 13), "float32", "x")
    doubled = te.compute((1, 13), lambda i, j: x[i, j] * 2.0, "doubled")
    result = te.compute((1, 13), lambda _, j: doubled[0, j] + 1.0, "result")
    schedule = Schedule(result)
    stage = schedule[result]
    outer, _ = stage.split(stage.fuse(*stage.axes), 4)
    schedule[doubled].compute_at(stage, outer)
    body = lower(schedule, [x]).body
    buffers = [s.buffer for s in statements(body) if isinstance(s, Allocate)]
    assert max(buffer.shape[-1] for buffer in buffers) == 4


def test_a_tile_that_ends_inside_a_group_demands_nothing_of_the_next():
    x = te.placeholder((3, 17), "float32", "x")
    doubled = te.compute((3, 17), lambda g, j: x[g, j] * 2.0, "doubled")
    result = te.compute((51,), lambda i: doubled[i // 17, i % 17] + 1.0, "result")
    schedule = Schedule(result)
    stage = schedule[result]
    _, inside = stage.split(stage.axes[0], 17)
    outer, _ = stage.split(inside, 5)
    schedule[doubled].compute_at(stage, outer)
    body = lower(schedule, [x]).body
    shapes = [s.buffer.shape for s in statements(body) if isinstance(s, Allocate)]
    assert {shape[0] for shape in shapes} == {1}
