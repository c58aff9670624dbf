"""Copies of unrolled loops are short: what is known beforehand is not done in each of them."""

import re
from textwrap import dedent

from relay.kernels import te
from relay.kernels.llvm.code_size import amount_of_code
from relay.kernels.loops import Buffer, For, Kernel, Let, Load, Mode, Store
from relay.kernels.passes.hoist_invariants import hoist_invariants
from relay.kernels.passes.printer import text
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.scalar import Const, Var, size_named
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.support.dims.algebra import DimVar
from relay.support.dtype import float32
from relay.support.node import replace


def in_tiles(out: te.Tensor, inputs: list[te.Tensor]) -> Kernel:
    """Return a kernel over rows in tiles of three vectors of four."""
    schedule = Schedule(out)
    stage = schedule[out]
    row, column = stage.loops
    vectors, lanes = stage.split(column, 4)
    tiles, vector = stage.split(vectors, 3)
    stage.reorder(tiles, row, vector, lanes)
    stage.unroll(vector)
    stage.vectorize(lanes)
    stage.parallel(tiles)
    kernel = lower(schedule, inputs)
    assert complaints(kernel) == []
    return kernel


def outline(kernel: Kernel) -> str:
    """Return a kernel without what it stores."""
    return re.sub(r" = \(?x\[.*", "", text(kernel))


def test_a_test_is_left_in_the_copies_that_need_it():
    x = te.placeholder((5, 23), "float32", "x")
    out = te.compute((5, 23), lambda i, j: x[i, j] + 1.0, "out")
    assert outline(in_tiles(out, [x])) == dedent("""\
        kernel kernel(x: float32[5, 23], out: float32[5, 23]):
          parallel joo = 0 … < 2:
            for i = 0 … < 5:
              let base = joo*12 + i*23
              unroll joi = 0 … < 2:
                out[0, ramp(joi*4 + base, 1, 4)]
              if joo*3 + 2 < 5:
                out[i, ramp(joo*12 + 8, 1, 4)]
              else:
                out[i, ramp(joo*12 + 8, 1, 4)]
        """)


def test_the_number_of_a_row_is_bound_once_for_all_its_vectors():
    x, ids = te.placeholder((5, 23), "float32", "x"), te.placeholder((5,), "int32", "ids")
    out = te.compute((5, 23), lambda i, j: x[te.inside(ids[i], 5, 0), j] + 1.0, "out")
    assert outline(in_tiles(out, [x, ids])) == dedent("""\
        kernel kernel(x: float32[5, 23], ids: int32[5], out: float32[5, 23]):
          parallel joo = 0 … < 2:
            for i = 0 … < 5:
              let place = inside(ids[i], 5)
              let base = joo*12 + place*23
              let base.1 = joo*12 + i*23
              unroll joi = 0 … < 2:
                out[0, ramp(joi*4 + base.1, 1, 4)]
              if joo*3 + 2 < 5:
                let place.1 = inside(ids[i], 5)
                out[i, ramp(joo*12 + 8, 1, 4)]
              else:
                let place.2 = inside(ids[i], 5)
                out[i, ramp(joo*12 + 8, 1, 4)]
        """)


def test_a_part_of_a_fused_loop_is_known_in_each_case():
    n = DimVar("n")
    x = te.placeholder((n, 32), "float32", "x")
    out = te.compute((n, 32), lambda i, j: x[i, j] + 1.0, "out")
    schedule = Schedule(out)
    stage = schedule[out]
    row, column = stage.loops
    vectors, lanes = stage.split(column, 4)
    tiles, vector = stage.split(vectors, 3)
    stage.reorder(tiles, row, vector, lanes)
    stage.parallel(stage.fuse(tiles, row))
    stage.unroll(vector)
    stage.vectorize(lanes)
    kernel = replace(lower(schedule, [x]), scalars=(size_named("n"),))
    assert complaints(kernel) == []
    assert outline(kernel) == dedent("""\
        kernel kernel(x: float32[n, 32], out: float32[n, 32], n: int64):
          parallel jooi = 0 … < n*3:
            if jooi//n < 2:
              let joo = jooi//n
              let base = (jooimodn)*32 + joo*12
              unroll joi = 0 … < 3:
                out[0, ramp(joi*4 + base, 1, 4)]
            else:
              let base.1 = (jooimodn)*32
              unroll joi.1 = 0 … < 2:
                out[0, ramp(joi.1*4 + base.1 + 24, 1, 4)]
        """)


def test_what_a_loop_writes_is_read_inside_of_it():
    x, y = Buffer("x", (8,), float32), Buffer("y", (8,), float32)
    i, read, known = Var("i"), Var("read", float32), Var("known", float32)
    store = Store(y, (i,), read + known)
    inside = Let(known, Load(x, (Const(0),)), Let(read, Load(y, (Const(0),)), store))
    for extent, outside in ((Const(8), "let known"), (size_named("n"), "for i")):
        loop = For(i, Const(0), extent, Mode.SERIAL, inside)
        lines = text(hoist_invariants(Kernel("k", (x, y), (), loop))).splitlines()
        assert lines[1].strip().startswith(outside)
        assert next(k for k, line in enumerate(lines) if "for i" in line) < next(
            k for k, line in enumerate(lines) if "let read" in line
        )


def test_unrolled_operations_are_counted_once_for_each_copy():
    x, y, i = Buffer("x", (8,), float32), Buffer("y", (8,), float32), Var("i")
    store = Store(y, (i,), Load(x, (i,)))

    def amount(mode: Mode) -> int:
        return amount_of_code(Kernel("k", (x, y), (), For(i, Const(0), Const(8), mode, store)))

    assert amount(Mode.UNROLL) - amount(Mode.SERIAL) == 7 * 3  # two indices and what is loaded
