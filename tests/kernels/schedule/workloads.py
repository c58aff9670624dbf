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


def conv(
    n: int, c: int, h: int, w: int, o: int, kernel: int, stride: int = 1, pad: int = 0,
    dilation: int = 1, tile: int = 14, blocks: int = 2, lanes: int = 16,
) -> Kernel:  # fmt: skip
    """Direct convolution, NCHW16c: relu(conv + bias + residual); `blocks` vectors of outputs."""
    reach = dilation * (kernel - 1) + 1
    oh, ow = ((size + 2 * pad - reach) // stride + 1 for size in (h, w))
    x = te.placeholder((n, c // lanes, h, w, lanes), "float32", "x")
    f = te.placeholder((o // lanes, c // lanes, kernel, kernel, lanes, lanes), "float32", "f")
    bias = te.placeholder((o // lanes, lanes), "float32", "bias")
    shape = (n, o // lanes, oh, ow, lanes)
    residual = te.placeholder(shape, "float32", "residual")
    cb, kh = te.reduce_axis(c // lanes, "cb"), te.reduce_axis(kernel, "kh")
    kw, ci = te.reduce_axis(kernel, "kw"), te.reduce_axis(lanes, "ci")

    def tap(b, ob, y, z, oc):
        iy, iz = y * stride + kh * dilation - pad, z * stride + kw * dilation - pad
        inside = (iy >= 0) & (iy < h) & (iz >= 0) & (iz < w)
        product = x[b, cb, iy, iz, ci] * f[ob, cb, kh, kw, ci, oc]
        return te.sum(product, (cb, kh, kw, ci), where=inside)

    acc = te.compute(shape, tap, "acc")
    out = te.compute(
        shape,
        lambda b, ob, y, z, oc: te.maximum(
            acc[b, ob, y, z, oc] + bias[ob, oc] + residual[b, ob, y, z, oc], 0.0
        ),
        "out",
    )
    s = Schedule(out)
    b, ob, y, z, oc = s[out].axes
    obo, obi = s[out].split(ob, blocks)
    zo, zi = s[out].split(z, tile)
    s[out].reorder(b, obo, y, zo, zi, obi, oc)
    s[out].parallel(s[out].fuse(b, obo))
    s[out].unroll(zi, obi)
    s[out].vectorize(oc)
    s[acc].compute_at(s[out], zo)
    s[acc].set_scope(Scope.REGISTER)
    ab, aob, ay, az, aoc = s[acc].axes
    s[acc].reorder(cb, kh, kw, ci, ab, ay, az, aob, aoc)
    s[acc].unroll(ab, ay, az, aob)
    s[acc].vectorize(aoc)
    return lower(s, [x, f, bias, residual], "conv")
