"""Rows of tables are asked for before they are read, if that pays and their numbers are known."""

from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay.kernels import te
from relay.kernels.loops import Kernel, MemoryScope, Prefetch
from relay.kernels.passes.printer import text
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from tests.kernels.interpret import run

ROWS, COLUMNS = 2000, 64
Table = te.Tensor


def looked_up(table: Table, ids: Table, columns: int = COLUMNS) -> Table:
    count = ids.shape[0]
    return te.compute((count, columns), lambda i, j: table[ids[i], j], "out")


def table_of(shape: tuple[int, ...] = (ROWS, COLUMNS)) -> Table:
    return te.placeholder(shape, "float32", "table")


def ids_of(count: int = 5) -> Table:
    return te.placeholder((count,), "int64", "ids")


def in_vectors(out: Table, inputs: list[Table]) -> Kernel:
    schedule = Schedule(out)
    _, inner = schedule[out].split(schedule[out].loops[-1], 16)
    schedule[out].vectorize(inner)
    return lower(schedule, inputs)


def asks(kernel: Kernel) -> bool:
    assert complaints(kernel) == []
    return any(isinstance(stmt, Prefetch) for stmt in statements(kernel.body))


def test_case_1_a_loop_asks_for_the_rows_of_later_iterations():
    table, ids = table_of(), ids_of(100)
    assert text(in_vectors(looked_up(table, ids), [table, ids])) == dedent("""\
        kernel kernel(table: float32[2000, 64], ids: int64[100], out: float32[100, 64]):
          for i = 0 … < 100:
            for jo = 0 … < 4:
              prefetch table[ids[min(i + 8, 99)], jo*16]
            for jo.1 = 0 … < 4:
              out[i, ramp(jo.1*16, 1, 16)] = table[ids[i], ramp(jo.1*16, 1, 16)]
        """)


def test_rows_that_begin_anywhere_lie_in_one_more_line():
    table, ids = table_of((ROWS, 72)), ids_of(100)
    kernel = text(in_vectors(looked_up(table, ids, 72), [table, ids]))
    assert "prefetch table[ids[min(i + 7, 99)], jo*16]" in kernel
    assert "prefetch table[ids[min(i + 7, 99)], jo*16 + 15]" in kernel


def test_a_test_of_an_index_is_left_to_whoever_reads():
    table, ids = table_of(), ids_of()
    out = te.compute((5, COLUMNS), lambda i, j: table[te.inside(ids[i], ROWS, 0), j], "out")
    kernel = in_vectors(out, [table, ids])
    assert "let place = max(min(ids[min(i + 2, 4)], 1999), 0)" in text(kernel)
    assert text(kernel).count("inside(") == 1


def test_case_2_a_tile_asks_before_its_products():
    table, ids = table_of(), ids_of(8)
    x, w = te.placeholder((8, 9), "float32", "x"), te.placeholder((9, COLUMNS), "float32", "w")
    k = te.reduce_axis(9, "k")
    total = te.compute((8, COLUMNS), lambda i, j: te.sum(x[i, k] * w[k, j], k), "total")
    out = te.compute((8, COLUMNS), lambda i, j: total[i, j] + table[ids[i], j], "out")
    schedule = Schedule(out)
    stage = schedule[out]
    rows, row = stage.split(stage.loops[0], 4)
    columns, column = stage.split(stage.loops[-1], 16)
    stage.reorder(rows, columns, row, column)
    stage.unroll(row)
    stage.vectorize(column)
    schedule[total].compute_at(stage, columns)
    schedule[total].set_scope(MemoryScope.REGISTER)
    schedule[total].vectorize(schedule[total].loops[1])
    schedule[total].reorder(schedule[total].reduce_axes[0], *schedule[total].axes)
    schedule[total].unroll(schedule[total].axes[0])
    kernel = lower(schedule, [table, ids, x, w])
    assert asks(kernel)
    lines = text(kernel).splitlines()
    asked, product, read = (
        next(i for i, line in enumerate(lines) if part in line)
        for part in ("prefetch table", "for k ", "+ table[")
    )
    assert asked < product < read
    assert "min(" not in lines[asked]  # its own rows, not those of a later tile


@pytest.mark.parametrize(
    ("shape", "why"),
    [((100, 64), "near"), ((20 * ROWS, 16), "short"), ((ROWS, 2048), "long")],
)
def test_some_tables_are_not_worth_it(shape: tuple[int, int], why: str):
    table, ids = table_of(shape), ids_of()
    assert not asks(in_vectors(looked_up(table, ids, shape[1]), [table, ids])), why


def test_what_a_choice_reads_may_have_no_number():
    table, ids, known = table_of(), ids_of(), te.placeholder((5,), "int64", "known")

    def element(i: te.Axis, j: te.Axis) -> te.Scalar:
        return te.select(known[i] > 0, table[ids[i], j], te.const(0.0, "float32"))

    out = te.compute((5, COLUMNS), element, "out")
    assert not asks(in_vectors(out, [table, ids, known]))


def test_lanes_of_many_rows_are_no_row():
    table, ids = table_of(), ids_of(COLUMNS)
    out = te.compute((9, COLUMNS), lambda i, j: table[ids[j] + i, j], "out")
    assert not asks(in_vectors(out, [table, ids]))


def test_numbers_that_the_kernel_computes_are_not_there_before():
    table, ids = table_of(), ids_of()
    other = te.compute((5,), lambda i: ids[i] * 2, "other")
    assert not asks(in_vectors(looked_up(table, other), [table, ids]))


def test_a_row_that_is_read_again_and_again_is_asked_for_once():
    table, ids, w = table_of(), ids_of(), te.placeholder((7, COLUMNS), "float32", "w")
    out = te.compute((5, 7, COLUMNS), lambda i, j, c: table[ids[i], c] * w[j, c], "out")
    kernel = text(in_vectors(out, [table, ids, w]))
    assert kernel.splitlines()[1:4] == [
        "  for i = 0 … < 5:",
        "    for co = 0 … < 4:",
        "      prefetch table[ids[min(i + 2, 4)], co*16]",
    ]


@settings(max_examples=60)
@given(st.data())
def test_no_schedule_asks_with_numbers_that_are_not_there(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 6), label="count")
    columns = data.draw(st.integers(64, 90), label="columns")
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, ROWS, count)
    values = rng.random((ROWS, columns)).astype("f")
    table, ids = table_of((ROWS, columns)), ids_of(count)
    out = te.compute((count, columns), lambda i, j: table[ids[i], j] * 2.0, "out")
    schedule = Schedule(out)
    stage = schedule[out]
    row, column = stage.loops
    rows = stage.split(row, data.draw(st.integers(1, 4), label="rows"))
    if data.draw(st.booleans(), label="unroll"):
        stage.unroll(rows[1])
    outer, inner = stage.split(column, data.draw(st.sampled_from([16, 4]), label="lanes"))
    order = [*rows, outer]
    stage.reorder(*data.draw(st.permutations(order), label="order"), inner)
    stage.vectorize(inner)
    kernel = lower(schedule, [table, ids])
    assert complaints(kernel) == []
    found = np.full((count, columns), np.nan, "f")
    run(kernel, values, numbers, found)
    np.testing.assert_array_equal(found, values[numbers] * np.float32(2))
