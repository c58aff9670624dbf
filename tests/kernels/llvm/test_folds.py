"""The lanes of several vectors combined at once, against NumPy."""

from functools import reduce

import numpy as np
import pytest
from kernels.interpret import run as interpret
from kernels.llvm.running import i64, run

from relay.kernels.lane_reductions import LaneReduction
from relay.kernels.loops import Block, Buffer, For, Kernel, Load, Mode, Stmt, Store
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.passes.vectorize import vectorize
from relay.kernels.scalar import Binary, Broadcast, Compare, Op, Order, Ramp, Scalar, Var
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import dtype

OPS = {Op.ADD: np.add, Op.MUL: np.multiply, Op.MIN: np.minimum, Op.MAX: np.maximum}
DTYPES = ("float32", "float64", "int32", "uint8", "float16")


def numbers(kind: str, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    made = rng.uniform(0.5, 1.5, shape) if kind.startswith("float") else rng.integers(0, 9, shape)
    return made.astype(kind)


def folded(op: Op, kind: str, rows: int, width: int) -> Kernel:
    """Return the kernel that combines each row to a lane of a vector; one row to a scalar too."""
    x, y = Buffer("x", (rows, width), dtype(kind)), Buffer("y", (rows,), dtype(kind))
    listed = tuple(Load(x, (i64(row), Ramp(i64(0), i64(1), width))) for row in range(rows))
    at, some = Ramp(i64(0), i64(1), width), Broadcast(i64(rows), width)
    live = Compare(Order.LT, at, some)
    store: Stmt = Store(y, (at,), LaneReduction(op, listed, width), live)
    if rows == 1:
        store = Block((store, Store(y, (i64(0),), LaneReduction(op, listed))))
    kernel = Kernel("fold", (x, y), (), store)
    assert complaints(kernel) == []
    return kernel


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("width", [2, 4, 8, 16, 32])
def test_any_number_of_rows_of_any_width(kind: str, width: int):
    for rows in {1, 2, 3, 5, 7, 8, 11, 16, 32} & set(range(1, width + 1)):
        op = list(OPS)[(rows + width) % len(OPS)]
        x, y = numbers(kind, rows, width), np.zeros(rows, kind)
        run(folded(op, kind, rows, width), x, y)
        expected = reduce(OPS[op], x.T.astype(kind if kind[0] in "iu" else "f8"))
        np.testing.assert_allclose(y, expected, rtol=2e-3 if kind == "float16" else 1e-5)


def rows_in_lanes(op: Op, rows: int, width: int, inner: Mode = Mode.VECTOR) -> Kernel:
    """Return the kernel `y[i] = y[i] op x[i, j]` for all `i` and `j`, both of them lanes."""
    x, y = Buffer("x", (rows, width), dtype("float32")), Buffer("y", (rows,), dtype("float32"))
    i, j = Var("i"), Var("j")
    value: Scalar = Binary(op, Load(y, (i,)), Load(x, (i, j)))
    loop = For(j, i64(0), i64(width), inner, Store(y, (i,), value))
    kernel = Kernel("rows", (x, y), (), For(i, i64(0), i64(rows), Mode.VECTOR, loop))
    return vectorize(kernel, Simplifier())


def folds(kernel: Kernel) -> list[LaneReduction]:
    listed = [e for stmt in statements(kernel.body) for e in expressions(stmt)]
    return [part for e in listed for part in walk(e) if isinstance(part, LaneReduction)]


@pytest.mark.parametrize("rows", [2, 3, 4, 8])
def test_a_reduction_in_lanes_becomes_one_fold(rows: int):
    kernel = rows_in_lanes(Op.ADD, rows, 8)
    assert [len(one.rows) for one in folds(kernel)] == [rows]
    x = numbers("float32", rows, 8)
    for execute in (run, interpret):
        y = np.ones(rows, "f4")
        execute(kernel, x, y)
        np.testing.assert_allclose(y, 1 + x.sum(1), rtol=1e-6)


@pytest.mark.parametrize(("op", "width"), [(Op.SUB, 8), (Op.ADD, 5)])
def test_what_has_an_order_or_idle_lanes_stays_a_loop(op: Op, width: int):
    kernel = rows_in_lanes(op, 3, width)
    assert folds(kernel) == []
    x, y = numbers("float32", 3, width), np.ones(3, "f4")
    run(kernel, x, y)
    sign = -1 if op is Op.SUB else 1
    np.testing.assert_allclose(y, 1 + sign * x.sum(1), rtol=1e-6)


def test_more_rows_than_lanes_are_combined_one_by_one():
    kernel = rows_in_lanes(Op.MAX, 9, 4)
    assert {len(one.rows) for one in folds(kernel)} == {1}
    x, y = numbers("float32", 9, 4), np.zeros(9, "f4")
    run(kernel, x, y)
    np.testing.assert_array_equal(y, x.max(1))
