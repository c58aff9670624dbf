"""Schedules of kernels whose sizes only a call tells, run by the letter for many sizes."""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from kernels.interpret import run

from relay.kernels import te
from relay.kernels.loops import Allocate, For, If, Kernel, MemoryScope, Mode
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.scalar import Var, size_named
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.symbolic_tails import whole_tiles
from relay.support.dims.algebra import DimVar
from relay.support.dtype import int64
from relay.support.node import replace

N, M = DimVar("n"), DimVar("m")
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33)


def sized(kernel: Kernel) -> Kernel:
    made = replace(kernel, scalars=(size_named("n"), size_named("m")))
    assert complaints(made) == []
    return made


@cache
def chain() -> Kernel:
    """An elementwise chain as one loop of several vectors."""
    x = te.placeholder((N, M), "float32", "x")
    y = te.compute((N, M), lambda i, j: te.maximum(x[i, j] * 2.0, 0.0), "y")
    s = Schedule(y)
    outer, inner = s[y].split(s[y].fuse(*s[y].axes), 32)
    copies, lane = s[y].split(inner, 16)
    s[y].unroll(copies)
    s[y].vectorize(lane)
    del outer
    return sized(lower(s, [x]))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 1, 5, 16])
def test_a_fused_loop_ends_in_masked_vectors(n: int, m: int):
    x, y = np.random.default_rng(0).standard_normal((n, m)).astype("f4"), np.zeros((n, m), "f4")
    run(chain(), x, y, scalars=(n, m))
    np.testing.assert_array_equal(y, np.maximum(x * 2, 0))


@cache
def tiled() -> Kernel:
    """A product of matrices in register tiles of 4 rows by 2 vectors of 8."""
    a, b = te.placeholder((N, 5), "float32", "a"), te.placeholder((5, M), "float32", "b")
    k = te.reduce_axis(5, "k")
    c = te.compute((N, M), lambda i, j: te.sum(a[i, k] * b[k, j], k), "c")
    y = te.compute((N, M), lambda i, j: te.maximum(c[i, j], 0.0), "y")
    s = Schedule(y)
    i, j = s[y].axes
    (io, ii), (jo, ji) = s[y].split(i, 4), s[y].split(j, 16)
    jv, lane = s[y].split(ji, 8)
    s[y].reorder(jo, io, ii, jv, lane)
    s[y].unroll(ii, jv)
    s[y].vectorize(lane)
    s[c].compute_at(s[y], io)
    s[c].set_scope(MemoryScope.REGISTER)
    ci, cj = s[c].axes
    cv, clane = s[c].split(cj, 8)
    s[c].reorder(k, ci, cv, clane)
    s[c].unroll(ci, cv)
    s[c].vectorize(clane)
    return sized(lower(s, [a, b]))


@pytest.mark.parametrize("n", SIZES[:8])
@pytest.mark.parametrize("m", SIZES)
def test_a_register_tile_has_code_for_each_smaller_one(n: int, m: int):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((n, 5)).astype("f4"), rng.standard_normal((5, m)).astype("f4")
    y = np.zeros((n, m), "f4")
    run(tiled(), a, b, y, scalars=(n, m))
    np.testing.assert_allclose(y, np.maximum(a @ b, 0), rtol=1e-5, atol=1e-5)


def test_full_tiles_are_not_masked():
    loops = [one for one in statements(tiled().body) if isinstance(one, For)]
    assert not any(one.mode is Mode.VECTOR for one in loops)
    assert any(isinstance(one, If) for one in statements(tiled().body))


def test_a_test_at_the_end_of_a_row_is_cut_off():
    x = te.placeholder((N,), "float32", "x")
    k, lane = te.reduce_axis((N + 7) // 8, "k"), 8
    parts = te.compute((lane,), lambda i: te.sum(x[k * 8 + i], k, where=k * 8 + i < N), "parts")
    s = Schedule(parts)
    s[parts].reorder(k, *s[parts].axes)
    s[parts].vectorize(s[parts].axes[0])
    kernel = replace(lower(s, [x]), scalars=(size_named("n"),))
    loops = [one for one in statements(kernel.body) if isinstance(one, For) and one.var.name == "k"]
    assert len(loops) == 2, "whole rows of eight, seldom more blocks of them; the rest is a branch"
    for n in SIZES:
        data, found = np.arange(n, dtype="f4"), np.zeros(8, "f4")
        run(kernel, data, found, scalars=(n,))
        padded = np.pad(data, (0, -n % 8)).reshape(-1, 8)
        np.testing.assert_array_equal(found, padded.sum(0))


@cache
def panels() -> Kernel:
    """Columns of 8, the last one padded with zeros, copied from rows of 16."""
    x = te.placeholder((N, 16), "float32", "x")

    def element(panel: te.Scalar, k: te.Scalar, lane: te.Scalar) -> te.Scalar:
        number = panel * 8 + lane
        return te.select(number < N, x[number, k], 0.0)

    y = te.compute(((N + 7) // 8, 16, 8), element, "y")
    s = Schedule(y)
    panel, k, lane = s[y].axes
    ko, ki = s[y].split(k, 8)
    s[y].reorder(panel, ko, ki, lane)
    s[y].vectorize(lane)
    return replace(lower(s, [x]), scalars=(size_named("n"),))


def test_a_padded_square_is_turned_in_registers_too():
    squares = [one for one in statements(panels().body) if isinstance(one, Allocate)]
    assert len(squares) == 2, "those of full panels, and that of the last one"
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal((n, 16)).astype("f4")
        y = np.ones((-(-n // 8), 16, 8), "f4")
        run(panels(), x, y, scalars=(n,))
        padded = np.pad(x, ((0, -n % 8), (0, 0)))
        np.testing.assert_array_equal(y, padded.reshape(-1, 8, 16).swapaxes(1, 2))


@cache
def inner_first(fused: bool) -> Kernel:
    """What is computed at the loop inside of tiles, which comes before the one over them."""
    x = te.placeholder((N, M), "float32", "x")
    d = te.compute((N, M), lambda i, j: x[i, j] * 2.0, "d")
    y = te.compute((N, M), lambda i, j: d[i, j] + 1.0, "y")
    s = Schedule(y)
    i, j = s[y].axes
    tiles, tile = s[y].split(i, 4)
    if fused:
        s[y].reorder(tile, j, tiles)
        s[d].compute_at(s[y], s[y].fuse(tile, j))
    else:
        s[y].reorder(tile, tiles, j)
        s[d].compute_at(s[y], tile)
    return sized(lower(s, [x]))


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 1, 5])
def test_every_tile_has_its_part_of_what_comes_first(fused: bool, n: int, m: int):
    x, y = np.random.default_rng(0).standard_normal((n, m)).astype("f4"), np.zeros((n, m), "f4")
    run(inner_first(fused), x, y, scalars=(n, m))
    np.testing.assert_array_equal(y, x * 2 + 1)


def rows_read_twice() -> Kernel:
    """Rows in tiles of 4, each with a sum of what it also returns."""
    x = te.placeholder((N, 5), "float32", "x")
    e = te.compute((N, 5), lambda i, j: te.maximum(x[i, j], 0.0), "e")
    k = te.reduce_axis(5, "k")
    total = te.compute((N,), lambda i: te.sum(e[i, k], k), "total")
    y = te.compute((N, 5), lambda i, j: e[i, j] + total[i], "y")
    s = Schedule(y)
    i, j = s[y].axes
    outer, inner = s[y].split(i, 4)
    s[y].reorder(outer, inner, j)
    for stage in s[e], s[total]:
        stage.compute_at(s[y], outer)
        stage.set_scope(MemoryScope.REGISTER)
    return sized(lower(s, [x]))


@pytest.mark.parametrize("n", SIZES[:8])
def test_the_last_tile_computes_its_own_rows_only(n: int):
    made = rows_read_twice()
    buffers = [each.buffer for each in statements(made.body) if isinstance(each, Allocate)]
    assert {each.shape for each in buffers} == {(4, 5), (4,)}
    x, y = np.random.default_rng(0).standard_normal((n, 5)).astype("f4"), np.zeros((n, 5), "f4")
    run(made, x, y, scalars=(n, 0))
    kept = np.maximum(x, 0)
    np.testing.assert_allclose(y, kept + kept.sum(1, keepdims=True), rtol=1e-6)


def test_a_stage_that_is_read_at_quotients_of_data_is_computed_whole():
    x, at = te.placeholder((2, 4), "float32", "x"), te.placeholder((6,), "int32", "at")
    d = te.compute((2, 4), lambda i, j: x[i, j] * 2.0, "d")
    y = te.compute((2, 6), lambda i, j: d[i, te.cast(at[j], int64) // 3], "y")
    s = Schedule(y)
    s[d].compute_at(s[y], s[y].axes[0])
    data, places = np.arange(8, dtype="f4").reshape(2, 4), np.array([11, 0, 3, 5, 8, 6], "i4")
    found = np.zeros((2, 6), "f4")
    run(lower(s, [x, at]), data, places, found)
    np.testing.assert_array_equal(found, 2 * data[:, places // 3])


def test_tiles_before_the_last_one_are_counted_if_all_extents_have_as_many():
    for least, most in combinations_with_replacement(range(1, 14), 2):
        simplify, extent = Simplifier(), Var("extent")
        simplify.arithmetic.declare(extent, least, most)
        counts = {len(range(0, each, 4)) - 1 for each in range(least, most + 1)}
        found = whole_tiles(simplify, extent, 4)
        assert found == (counts.pop() if len(counts) == 1 else None)
