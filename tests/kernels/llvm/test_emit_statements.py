"""Loop programs written by hand, against NumPy."""

import operator

import numpy as np
import pytest
from kernels.llvm.running import add, i64, mul, run, serial

from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
    While,
)
from relay.kernels.scalar import (
    Apply,
    Binary,
    Broadcast,
    Cast,
    Compare,
    Const,
    Fn,
    Op,
    Order,
    Ramp,
    Select,
    Var,
    size_named,
)
from relay.support.dtype import bool_, dtype, float32, int32, int64

RNG = np.random.default_rng(0)
ZERO = Const(0.0, float32)
ONE = Const(1.0, float32)


def floats(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("rows", "columns", "depth"), [(1, 1, 1), (3, 16, 5), (7, 37, 11)])
def test_matrix_product_in_a_register_tile(rows: int, columns: int, depth: int):
    a = Buffer("a", (rows, depth), float32)
    b = Buffer("b", (depth, columns), float32)
    c = Buffer("c", (rows, columns), float32)
    tile = Buffer("tile", (rows, 16), float32, MemoryScope.REGISTER)
    i, j, k = Var("i"), Var("j"), Var("k")
    inside = Ramp(i64(0), i64(1), 16)
    column = Ramp(mul(j, i64(16)), i64(1), 16)
    live = Compare(Order.LT, column, Broadcast(i64(columns), 16))

    def each(body):
        return serial(i, rows, body, Mode.UNROLL)

    held = Load(tile, (i, inside))
    product = Apply(
        Fn.FMA, (Broadcast(Load(a, (i, k)), 16), Load(b, (k, column), live), held), held.dtype
    )
    body = Block(
        (
            each(Store(tile, (i, inside), Broadcast(ZERO, 16))),
            serial(k, depth, each(Store(tile, (i, inside), product))),
            each(Store(c, (i, column), held, live)),
        )
    )
    blocks = serial(j, -(-columns // 16), Allocate(tile, body), Mode.PARALLEL)
    kernel = Kernel("matmul", (a, b, c), (), blocks)
    x, y, out = floats(rows, depth), floats(depth, columns), floats(rows, columns)
    run(kernel, x, y, out)
    np.testing.assert_allclose(out, x @ y, rtol=1e-4, atol=1e-5)


def test_padding_by_select_reads_only_inside():
    size, pad = 10, 3
    x, y, i = Buffer("x", (size,), float32), Buffer("y", (size + 2 * pad,), float32), Var("i")
    at = Binary(Op.SUB, i, i64(pad))
    inside = Binary(Op.AND, Compare(Order.GE, at, i64(0)), Compare(Order.LT, at, i64(size)))
    body = Store(y, (i,), Select(inside, Load(x, (at,)), Const(-1.0, float32)))
    data, out = floats(size), floats(size + 2 * pad)
    run(Kernel("pad", (x, y), (), serial(i, size + 2 * pad, body)), data, out)
    np.testing.assert_array_equal(out, np.pad(data, pad, constant_values=-1.0))


def test_vector_select_reads_only_live_lanes_even_far_away():
    width = 16
    x, y = Buffer("x", (width,), float32), Buffer("y", (width,), float32)
    lane = Ramp(i64(0), i64(1), width)
    first = Compare(Order.LT, lane, Broadcast(i64(4), width))
    far = Ramp(i64(1 << 40), i64(1), width)
    nested = Select(
        Compare(Order.GT, lane, Broadcast(i64(100), width)),
        Load(x, (far,)),
        Broadcast(Load(x, (i64(3),)), width),
    )
    value = Select(first, Load(x, (lane,)), nested)
    data, out = floats(width), floats(width)
    run(Kernel("select", (x, y), (), Store(y, (lane,), value)), data, out)
    np.testing.assert_array_equal(out, np.where(np.arange(width) < 4, data, data[3]))


def test_both_sides_of_a_select_read_the_same_elements_each_in_its_own_lanes():
    c, x, y = (Buffer(name, (8,), float32) for name in "cxy")
    lane = Ramp(i64(0), i64(1), 8)
    read, zeros = Load(x, (lane,)), Broadcast(Const(0.0, float32), 8)
    negative = Compare(Order.LT, Load(c, (lane,)), zeros)
    body = Store(y, (lane,), Select(negative, add(read, read), mul(read, read)))
    signs, data = np.array([1, -1] * 4, np.float32), np.arange(8, dtype=np.float32) + 3
    found = np.zeros(8, np.float32)
    run(Kernel("k", (c, x, y), (), body), signs, data, found)
    np.testing.assert_array_equal(found, np.where(signs < 0, data + data, data * data))


def test_scalar_load_under_a_vector_condition_that_never_holds():
    width = 8
    x, y = Buffer("x", (width,), float32), Buffer("y", (width,), float32)
    lane = Ramp(i64(0), i64(1), width)
    never = Compare(Order.LT, lane, Broadcast(i64(-1), width))
    outside = Broadcast(Load(x, (i64(1 << 40),)), width)
    value = Select(never, outside, Load(x, (lane,)))
    data, out = floats(width), floats(width)
    run(Kernel("select", (x, y), (), Store(y, (lane,), value)), data, out)
    np.testing.assert_array_equal(out, data)


@pytest.mark.parametrize("name", ["float32", "float16", "bool", "int8", "float64"])
@pytest.mark.parametrize("stride", [-4, -2, -1, 0, 2, 3, 4, 5])
def test_strided_lanes(stride: int, name: str):
    """The lanes reach exactly to an end of the array, beyond which nothing may be read."""
    element, width = dtype(name), 8
    start = max(0, -7 * stride)
    size = abs(stride) * 7 + 1
    x, y = Buffer("x", (size,), element), Buffer("y", (width,), element)
    at, to = Ramp(i64(start), i64(stride), width), Ramp(i64(0), i64(1), width)
    data = RNG.integers(0, 2 if name == "bool" else 100, size).astype(element.numpy)
    out = np.zeros(width, element.numpy)
    run(Kernel("strided", (x, y), (), Store(y, (to,), Load(x, (at,)))), data, out)
    np.testing.assert_array_equal(out, data[start + stride * np.arange(width)])


@pytest.mark.parametrize("live", [1, 5, 8])
@pytest.mark.parametrize("name", ["float32", "float16", "bool", "int8"])
@pytest.mark.parametrize("by", [1, 2, 3, 8])
def test_lanes_at_constant_distances_from_a_common_base(by: int, name: str, live: int):
    """Lane `i` reads element `i // by`; nothing beyond the last live lane's may be read."""
    element, width = dtype(name), 8
    size = (live - 1) // by + 1
    x, y = Buffer("x", (size,), element), Buffer("y", (width,), element)
    to = Ramp(i64(0), i64(1), width)
    mask = Compare(Order.LT, to, Broadcast(i64(live), width)) if live < width else None
    at = Binary(Op.FLOORDIV, to, Broadcast(i64(by), width))
    data = RNG.integers(0, 2 if name == "bool" else 100, size).astype(element.numpy)
    out = np.ones(width, element.numpy)
    run(Kernel("permuted", (x, y), (), Store(y, (to,), Load(x, (at,), mask))), data, out)
    np.testing.assert_array_equal(out, np.pad(data.repeat(by)[:live], (0, width - live)))


@pytest.mark.parametrize("order", list(Order), ids=lambda order: order.name)
def test_masks_of_lane_numbers(order: Order):
    """Bounds before, at and behind the lanes, on either side, and far beyond 32 bits."""
    bounds = [-(1 << 40), -1, 0, 3, 7, 8, 9, 1 << 40]
    y, table = Buffer("y", (8, 2, 8), bool_), Buffer("t", (8,), int64)
    lane, i = Ramp(i64(0), i64(1), 8), Var("i")
    bound = Broadcast(Load(table, (i,)), 8)
    rows = [Compare(order, lane, bound), Compare(order, bound, lane)]
    stores = [Store(y, (i, i64(n), lane), row) for n, row in enumerate(rows)]
    out = np.zeros((8, 2, 8), bool)
    run(Kernel("mask", (table, y), (), serial(i, 8, Block(tuple(stores)))), np.array(bounds), out)
    compare = getattr(operator, order.name.lower())
    edges = np.array(bounds)[:, None]
    np.testing.assert_array_equal(out[:, 0], compare(np.arange(8), edges))
    np.testing.assert_array_equal(out[:, 1], compare(edges, np.arange(8)))


def test_indices_of_32_bits():
    x, table = Buffer("x", (8,), float32), Buffer("t", (8,), int32)
    y, z = Buffer("y", (8,), float32), Buffer("z", (8,), float32)
    lane, i = Ramp(i64(0), i64(1), 8), Var("i")
    body = Block(
        (
            Store(y, (lane,), Load(x, (Load(table, (lane,)),))),
            serial(i, 8, Store(z, (Load(table, (i,)),), Load(x, (i,)))),
        )
    )
    data, where = floats(8), RNG.permutation(8).astype(np.int32)
    first, second = floats(8), floats(8)
    run(Kernel("narrow", (x, table, y, z), (), body), data, where, first, second)
    np.testing.assert_array_equal(first, data[where])
    np.testing.assert_array_equal(second[where], data)


def test_lanes_that_go_along_two_dimensions_at_once():
    """A diagonal, an antidiagonal, and steps that cancel each other."""
    x, y = Buffer("x", (8, 8), float32), Buffer("y", (4, 8), float32)
    flat = Buffer("f", (8, 1), float32)
    to = Ramp(i64(0), i64(1), 8)
    up, down = Ramp(i64(0), i64(1), 8), Ramp(i64(7), i64(-1), 8)
    body = Block(
        (
            Store(y, (Broadcast(i64(0), 8), to), Load(x, (up, up))),
            Store(y, (Broadcast(i64(1), 8), to), Load(x, (up, down))),
            Store(y, (Broadcast(i64(2), 8), to), Load(flat, (up, Broadcast(i64(0), 8)))),
            Store(y, (Broadcast(i64(3), 8), to), Load(flat, (up, Ramp(i64(0), i64(-1), 8)))),
        )
    )
    data, column, out = floats(8, 8), floats(8, 1), floats(4, 8)
    run(Kernel("diagonals", (x, flat, y), (), body), data, column, out)
    expected = [np.diag(data), np.diag(data[:, ::-1]), column[:, 0], np.full(8, column[0, 0])]
    np.testing.assert_array_equal(out, np.array(expected))


def test_lanes_along_an_outer_dimension_and_irregular_ones():
    x, table = Buffer("x", (8, 5), float32), Buffer("t", (8,), int64)
    y, z = Buffer("y", (8,), float32), Buffer("z", (5, 8), float32)
    lane = Ramp(i64(0), i64(1), 8)
    j = Var("j")
    body = Block(
        (
            Store(y, (lane,), Load(x, (Load(table, (lane,)), Broadcast(i64(2), 8)))),
            serial(j, 5, Store(z, (j, lane), Load(x, (lane, Broadcast(j, 8))))),
        )
    )
    data, where = floats(8, 5), RNG.integers(0, 8, 8)
    first, second = floats(8), floats(5, 8)
    run(Kernel("gather", (x, table, y, z), (), body), data, where, first, second)
    np.testing.assert_array_equal(first, data[where, 2])
    np.testing.assert_array_equal(second, data.T)


def test_scatter_through_a_mask():
    x, y = Buffer("x", (8,), float32), Buffer("y", (8, 3), float32)
    lane = Ramp(i64(0), i64(1), 8)
    live = Compare(Order.NE, lane, Broadcast(i64(5), 8))
    body = Store(y, (lane, Broadcast(i64(1), 8)), Load(x, (lane,)), live)
    data, out = floats(8), np.zeros((8, 3), np.float32)
    run(Kernel("scatter", (x, y), (), body), data, out)
    expected = np.zeros((8, 3), np.float32)
    expected[:, 1] = np.where(np.arange(8) != 5, data, 0)
    np.testing.assert_array_equal(out, expected)


def test_run_time_dimensions():
    rows, columns = Var("rows"), Var("columns")
    x = Buffer("x", (rows, columns), float32)
    y = Buffer("y", (columns, rows), float32)
    i, j = Var("i"), Var("j")
    body = serial(i, rows, serial(j, columns, Store(y, (j, i), Load(x, (i, j)))), Mode.PARALLEL)
    kernel = Kernel("transpose", (x, y), (rows, columns), body)
    for shape in [(0, 3), (1, 1), (4, 9)]:
        data, out = floats(*shape), floats(*shape[::-1])
        run(kernel, data, out, *shape)
        np.testing.assert_array_equal(out, data.T)


def test_gather_with_a_run_time_stride():
    n = Var("n")
    x, y = Buffer("x", (8, n), float32), Buffer("y", (8,), float32)
    lane = Ramp(i64(0), i64(1), 8)
    body = Store(y, (lane,), Load(x, (lane, Broadcast(i64(1), 8))))
    data, out = floats(8, 6), floats(8)
    run(Kernel("column", (x, y), (n,), body), data, out, 6)
    np.testing.assert_array_equal(out, data[:, 1])


def test_while_let_and_if():
    """The greatest common divisor by Euclid's algorithm."""
    x, y, out = (Buffer(name, (6,), int64) for name in "xyo")
    state, i = Buffer("s", (2,), int64, MemoryScope.SCRATCH), Var("i")
    a, b, swapped = Load(state, (i64(0),)), Load(state, (i64(1),)), Var("swapped")
    step = Let(
        swapped,
        Binary(Op.FLOORMOD, a, b),
        Block((Store(state, (i64(0),), b), Store(state, (i64(1),), swapped))),
    )
    body = Block(
        (
            Store(state, (i64(0),), Load(x, (i,))),
            Store(state, (i64(1),), Load(y, (i,))),
            While(Compare(Order.NE, b, i64(0)), step),
            If(
                Compare(Order.EQ, a, i64(1)),
                Store(out, (i,), i64(-1)),
                Store(out, (i,), a),
            ),
        )
    )
    kernel = Kernel("gcd", (x, y, out), (), serial(i, 6, Allocate(state, body)))
    left, right = np.array([12, 7, 100, 35, 9, 1]), np.array([18, 13, 75, 21, 9, 1])
    result = np.zeros(6, np.int64)
    run(kernel, left, right, result)
    found = np.gcd(left, right)
    np.testing.assert_array_equal(result, np.where(found == 1, -1, found))


@pytest.mark.parametrize("start", [0, 3])
def test_a_loop_from_its_end_to_its_beginning(start: int):
    odd, y = Buffer("odd", (), int32), Buffer("y", (2,), int64)
    i, extent = Var("i"), Var("n")
    test = Compare(Order.NE, Binary(Op.FLOORMOD, Load(odd, ()), Const(2, int32)), Const(0, int32))
    total = Load(y, (i64(1),))
    seen = Binary(Op.ADD, mul(total, i64(10)), i)
    body = Block((Store(y, (i64(0),), i), Store(y, (i64(1),), seen)))
    loop = For(i, i64(start), extent, Mode.SERIAL, body, backwards=test)
    kernel = Kernel("turned", (odd, y), (extent,), loop)
    for parity, numbers in ((6, [0, 1, 2, 3]), (7, [3, 2, 1, 0]), (1, [])):
        out = np.array([-1, 0])
        run(kernel, np.array(parity, np.int32), out, len(numbers))
        order = [start + number for number in numbers]
        expected = [order[-1] if order else -1, int("".join(map(str, order)) or 0)]
        np.testing.assert_array_equal(out, expected)


def test_register_buffer_with_an_index_that_is_not_constant_goes_to_memory():
    x, y = Buffer("x", (8,), float32), Buffer("y", (8,), float32)
    held, i = Buffer("h", (8,), float32, MemoryScope.REGISTER), Var("i")
    body = Block(
        (
            serial(i, 8, Store(held, (i,), Load(x, (i,)))),
            serial(i, 8, Store(y, (Binary(Op.SUB, i64(7), i),), Load(held, (i,)))),
        )
    )
    data, out = floats(8), floats(8)
    run(Kernel("reverse", (x, y), (), Allocate(held, body)), data, out)
    np.testing.assert_array_equal(out, data[::-1])


def test_registers_accessed_by_vector_by_lane_and_by_mask():
    x, y = Buffer("x", (16,), float32), Buffer("y", (16,), float32)
    held = Buffer("h", (2, 8), float32, MemoryScope.REGISTER)
    lane, i = Ramp(i64(0), i64(1), 8), Var("i")
    reverse = Ramp(i64(7), i64(-1), 8)
    odd = Compare(Order.EQ, Binary(Op.AND, lane, Broadcast(i64(1), 8)), Broadcast(i64(1), 8))
    body = Block(
        (
            Store(held, (i64(0), lane), Load(x, (lane,))),
            serial(i, 8, Store(held, (i64(1), i), Load(x, (add(i, i64(8)),))), Mode.UNROLL),
            Store(held, (i64(1), lane), Broadcast(ZERO, 8), odd),
            Store(y, (lane,), Load(held, (i64(0), reverse))),
            Store(y, (add(lane, Broadcast(i64(8), 8)),), Load(held, (i64(1), lane))),
        )
    )
    data, out = floats(16), floats(16)
    run(Kernel("registers", (x, y), (), Allocate(held, body)), data, out)
    expected = np.concatenate([data[7::-1], np.where(np.arange(8) % 2, 0, data[8:])])
    np.testing.assert_array_equal(out, expected)


def test_buffers_of_vectors_in_memory_and_in_registers():
    wide = dtype("float32x4")
    x, y = Buffer("x", (12,), float32), Buffer("y", (12,), float32)
    held, i = Buffer("h", (3,), wide, MemoryScope.REGISTER), Var("i")
    spilled = Buffer("s", (2, 3), wide, MemoryScope.SCRATCH)
    lane = Ramp(mul(i, i64(4)), i64(1), 4)
    total = add(Load(spilled, (i64(1), i)), Load(held, (i64(0),)))
    body = Block(
        (
            serial(i, 3, Store(held, (i,), Load(x, (lane,))), Mode.UNROLL),
            serial(i, 3, Store(spilled, (i64(1), i), Load(held, (i,))), Mode.UNROLL),
            serial(i, 3, Store(y, (lane,), total)),
        )
    )
    data, out = floats(12), floats(12)
    run(Kernel("vectors", (x, y), (), Allocate(spilled, Allocate(held, body))), data, out)
    np.testing.assert_array_equal(out, data + np.tile(data[:4], 3))


def test_parallel_bodies_capture_variables_and_do_not_nest():
    x, y = Buffer("x", (4, 6), float32), Buffer("y", (4, 6), float32)
    i, j, scale, flag = Var("i"), Var("j"), Var("scale", float32), Var("flag", bool_)
    value = Select(flag, mul(Load(x, (i, j)), scale), ZERO)
    inner = For(j, i64(1), i64(5), Mode.PARALLEL, Store(y, (i, j), value))
    outer = For(i, i64(1), i64(3), Mode.PARALLEL, inner)
    body = Let(scale, Load(x, (i64(0), i64(0))), Let(flag, Const(True, bool_), outer))
    data, out = floats(4, 6), np.zeros((4, 6), np.float32)
    run(Kernel("scaled", (x, y), (), body), data, out)
    expected = np.zeros((4, 6), np.float32)
    expected[1:, 1:] = data[1:, 1:] * data[0, 0]
    np.testing.assert_array_equal(out, expected)


def test_workers_know_the_size_of_their_memory():
    """That of one loop depends on a size which the other does not mention."""
    n, i, j = size_named("n"), Var("i"), Var("j")
    y = Buffer("y", (4,), float32)
    rooms = [
        Buffer(name, (size,), float32, MemoryScope.SCRATCH)
        for name, size in (("room", n), ("own", 30_000))
    ]

    def filled(room: Buffer, var: Var, value: float) -> Stmt:
        first = Store(room, (i64(0),), Const(value, float32))
        total = Store(y, (var,), add(Load(room, (i64(0),)), Load(y, (var,))))
        return For(var, i64(0), i64(4), Mode.PARALLEL, Allocate(room, Block((first, total))))

    body = Block((filled(rooms[0], i, 1.0), filled(rooms[1], j, 2.0)))
    out = np.ones(4, np.float32)
    run(Kernel("rooms", (y,), (n,), body), out, 5000)
    np.testing.assert_array_equal(out, np.full(4, 4, np.float32))


def test_in_place():
    x, i = Buffer("x", (37,), float32), Var("i")
    y = Buffer("y", (37,), float32)
    body = serial(i, 37, Store(y, (i,), add(Load(x, (i,)), Load(x, (i,)))))
    data = floats(37)
    expected = data * 2
    run(Kernel("double", (x, y), (), body), data, data)
    np.testing.assert_array_equal(data, expected)


def test_prefix_sum_reads_what_was_stored():
    x, i = Buffer("x", (33,), int32), Var("i")
    body = For(
        i,
        i64(1),
        i64(32),
        Mode.SERIAL,
        Store(x, (i,), add(Load(x, (i,)), Load(x, (Binary(Op.SUB, i, i64(1)),)))),
    )
    data = RNG.integers(-9, 9, 33).astype(np.int32)
    expected = np.cumsum(data).astype(np.int32)
    run(Kernel("scan", (x,), (), body), data)
    np.testing.assert_array_equal(data, expected)


def test_deep_and_shared_expressions():
    """A chain of 20,000 additions, and a graph whose tree has 2 to the 200th leaves."""
    x, y = Buffer("x", (1,), int64), Buffer("y", (2,), int64)
    chain = shared = Load(x, (i64(0),))
    for _ in range(20_000):
        chain = add(chain, i64(1))
    for _ in range(200):
        shared = add(shared, shared)
    body = Block((Store(y, (i64(0),), chain), Store(y, (i64(1),), shared)))
    out = np.zeros(2, np.int64)
    run(Kernel("deep", (x, y), (), body), np.array([5]), out)
    assert out.tolist() == [20_005, 0]


def test_scalar_buffer_and_cast_of_an_index():
    x, y, i = Buffer("x", (), float32), Buffer("y", (5,), float32), Var("i")
    body = serial(i, 5, Store(y, (i,), mul(Load(x, ()), Cast(i, float32))))
    out = floats(5)
    run(Kernel("scale", (x, y), (), body), np.array(2.5, np.float32), out)
    np.testing.assert_array_equal(out, np.arange(5) * np.float32(2.5))


def test_an_empty_loop_and_an_empty_block():
    y, i = Buffer("y", (1,), float32), Var("i")
    body = Block((serial(i, 0, Store(y, (i64(0),), ZERO)), Block(())))
    out = np.ones(1, np.float32)
    run(Kernel("nothing", (y,), (), body), out)
    assert out[0] == 1


@pytest.mark.parametrize(("op", "end"), [(Op.AND, 9), (Op.OR, 3)])
def test_tests_that_unrolling_decides_touch_no_register(op: Op, end: int):
    """Only two of four unrolled steps have a register; the tests of the others are decided."""
    y, z = Buffer("y", (4,), float32), Buffer("z", (4,), float32)
    tile, i = Buffer("tile", (2,), float32, MemoryScope.REGISTER), Var("i")
    inside = Binary(op, Compare(Order.LT, i, i64(2)), Compare(Order.LT, mul(i, i64(3)), i64(end)))
    fill = serial(Var("j"), 1, Block(tuple(Store(tile, (i64(k),), ONE) for k in range(2))))
    step = Block((Store(y, (i,), Load(tile, (i,))), Store(z, (i,), ONE)))
    copy = serial(i, 4, If(inside, step, Block(())), Mode.UNROLL)
    values, reached = np.zeros((2, 4), np.float32)
    run(Kernel("ruled_out", (y, z), (), Allocate(tile, Block((fill, copy)))), values, reached)
    np.testing.assert_array_equal(values, [1, 1, 0, 0])
    np.testing.assert_array_equal(reached, [1, 1, 0, 0])
