"""Scheduled kernels of the shapes that operators ask for, shared by tests."""

from relay.kernels import te
from relay.kernels.loops import Kernel, Scope
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage


def register_tile(stage: Stage, lanes: int) -> None:
    """Arrange a reduction in a tile of registers: reduce outside, then pixels, then vectors."""
    *rows, column = stage.axes
    _, lane = stage.split(column, lanes)
    for row in rows:
        stage.unroll(row)
    stage.vectorize(lane)


def gemm(m: int, n: int, k: int, mr: int = 14, nv: int = 2, lanes: int = 16) -> Kernel:
    """C = relu(A · B + bias + residual); B is packed [N/32][K][32]."""
    tile = nv * lanes
    a = te.placeholder((m, k), "float32", "a")
    b = te.placeholder((-(-n // tile), k, tile), "float32", "b")
    bias = te.placeholder((n,), "float32", "bias")
    residual = te.placeholder((m, n), "float32", "residual")
    r = te.reduce_axis(k, "k")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[j // tile, r, j % tile], r), "c")
    y = te.compute(
        (m, n), lambda i, j: te.maximum(c[i, j] + bias[j] + residual[i, j], 0.0), "relu"
    )
    s = Schedule(y)
    i, j = s[y].axes
    io, ii = s[y].split(i, mr)
    jo, jt = s[y].split(j, tile)
    ji, jv = s[y].split(jt, lanes)
    s[y].reorder(jo, io, ii, ji, jv)
    s[y].parallel(jo)
    s[y].unroll(ii, ji)
    s[y].vectorize(jv)
    s[c].compute_at(s[y], io)
    s[c].set_scope(Scope.REGISTER)
    ci, cj = s[c].axes
    cjo, cjv = s[c].split(cj, lanes)
    s[c].reorder(*s[c].reduce_axes, ci, cjo, cjv)
    s[c].unroll(ci, cjo)
    s[c].vectorize(cjv)
    return lower(s, [a, b, bias, residual], "gemm")
