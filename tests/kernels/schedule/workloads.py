"""Scheduled kernels of the shapes that operators ask for, shared by tests."""

from collections.abc import Sequence
from typing import NamedTuple

from relay.kernels import te
from relay.kernels.loops import MemoryScope
from relay.kernels.schedule.schedule import Schedule


class Work(NamedTuple):
    """A schedule, and the inputs of the kernel in order."""

    schedule: Schedule
    inputs: Sequence[te.Tensor]


def gemm(m: int, n: int, k: int, mr: int = 14, nv: int = 2, lanes: int = 16) -> Work:
    """C = relu(A · B + bias + residual); B is packed [N/32][K][32]."""
    tile = nv * lanes
    a = te.placeholder((m, k), "float32", "a")
    b = te.placeholder((-(-n // tile), k, tile), "float32", "b")
    bias = te.placeholder((n,), "float32", "bias")
    residual = te.placeholder((m, n), "float32", "residual")
    r = te.reduce_axis(k, "k")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[j // tile, r, j % tile], r), "c")
    y = te.compute((m, n), lambda i, j: te.maximum(c[i, j] + bias[j] + residual[i, j], 0.0), "relu")
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
    s[c].set_scope(MemoryScope.REGISTER)
    ci, cj = s[c].axes
    cjo, cjv = s[c].split(cj, lanes)
    s[c].reorder(*s[c].reduce_axes, ci, cjo, cjv)
    s[c].unroll(ci, cjo)
    s[c].vectorize(cjv)
    return Work(s, [a, b, bias, residual])


def conv(
    n: int, c: int, h: int, w: int, o: int, kernel: int, stride: int = 1, pad: int = 0,
    dilation: int = 1, tile: int = 14, blocks: int = 2, lanes: int = 16,
) -> Work:  # fmt: skip
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
    s[acc].set_scope(MemoryScope.REGISTER)
    ab, aob, ay, az, aoc = s[acc].axes
    s[acc].reorder(cb, kh, kw, ci, ab, ay, az, aob, aoc)
    s[acc].unroll(ab, ay, az, aob)
    s[acc].vectorize(aoc)
    return Work(s, [x, f, bias, residual])


def depthwise(
    n: int, c: int, h: int, w: int, kernel: int, stride: int = 1, pad: int = 0, tile: int = 8,
    lanes: int = 16,
) -> Work:  # fmt: skip
    """Depthwise convolution, NCHW16c, with all taps unrolled, and a relu6."""
    oh, ow = ((size + 2 * pad - kernel) // stride + 1 for size in (h, w))
    x = te.placeholder((n, c // lanes, h, w, lanes), "float32", "x")
    f = te.placeholder((c // lanes, kernel, kernel, lanes), "float32", "f")
    kh, kw = te.reduce_axis(kernel, "kh"), te.reduce_axis(kernel, "kw")

    def tap(b, cb, y, z, cc):
        iy, iz = y * stride + kh - pad, z * stride + kw - pad
        inside = (iy >= 0) & (iy < h) & (iz >= 0) & (iz < w)
        return te.sum(x[b, cb, iy, iz, cc] * f[cb, kh, kw, cc], (kh, kw), where=inside)

    shape = (n, c // lanes, oh, ow, lanes)
    acc = te.compute(shape, tap, "acc")
    out = te.compute(shape, lambda *i: te.minimum(te.maximum(acc[i], 0.0), 6.0), "out")
    s = Schedule(out)
    b, cb, _, z, cc = s[out].axes
    zo, zi = s[out].split(z, tile)
    s[out].parallel(s[out].fuse(b, cb))
    s[out].unroll(zi)
    s[out].vectorize(cc)
    s[acc].compute_at(s[out], zo)
    s[acc].set_scope(MemoryScope.REGISTER)
    *rows, ac = s[acc].axes
    s[acc].reorder(kh, kw, *rows, ac)
    s[acc].unroll(kw, *rows)
    s[acc].vectorize(ac)
    return Work(s, [x, f])


def max_pool(
    n: int, c: int, h: int, w: int, kernel: int, stride: int, pad: int, lanes: int = 16
) -> Work:
    """Max pooling, NCHW16c, one pixel at a time; border rows and columns are cut off."""
    oh, ow = ((size + 2 * pad - kernel) // stride + 1 for size in (h, w))
    x = te.placeholder((n, c // lanes, h, w, lanes), "float32", "x")
    kh, kw = te.reduce_axis(kernel, "kh"), te.reduce_axis(kernel, "kw")

    def tap(b, cb, y, z, cc):
        iy, iz = y * stride + kh - pad, z * stride + kw - pad
        inside = (iy >= 0) & (iy < h) & (iz >= 0) & (iz < w)
        return te.max(x[b, cb, iy, iz, cc], (kh, kw), where=inside)

    out = te.compute((n, c // lanes, oh, ow, lanes), tap, "pool")
    s = Schedule(out)
    acc = s.cache_write(out)
    b, cb, y, z, cc = s[out].axes
    s[out].parallel(s[out].fuse(b, cb, y))
    s[out].vectorize(cc)
    acc.compute_at(s[out], z)
    *_, ac = acc.axes
    acc.reorder(kh, kw, *acc.axes)
    acc.unroll(kh, kw)
    acc.vectorize(ac)
    return Work(s, [x])


def softmax(rows: int, columns: int, lanes: int = 16) -> Work:
    """Softmax over the last axis: four stages at one loop over rows, one row in scratch."""
    x = te.placeholder((rows, columns), "float32", "x")
    k, r = te.reduce_axis(columns, "k"), te.reduce_axis(columns, "r")
    top = te.compute((rows,), lambda i: te.max(x[i, k], k), "top")
    e = te.compute((rows, columns), lambda i, j: te.exp(x[i, j] - top[i]), "e")
    total = te.compute((rows,), lambda i: te.sum(e[i, r], r), "total")
    out = te.compute((rows, columns), lambda i, j: e[i, j] / total[i], "softmax")
    s = Schedule(out)
    i, j = s[out].axes
    s[out].parallel(i)
    s[out].vectorize(s[out].split(j, lanes)[1])
    for tensor, axis in ((top, k), (total, r)):
        parts = s.rfactor(tensor, axis, lanes)
        parts.compute_at(s[out], i)
        parts.reorder(*parts.reduce_axes, *parts.axes)
        parts.vectorize(parts.axes[-1])
        s[tensor].compute_at(s[out], i)
        s[tensor].set_scope(MemoryScope.REGISTER)
        s[tensor].unroll(*s[tensor].reduce_axes)
    s[e].compute_at(s[out], i)
    s[e].vectorize(s[e].split(s[e].axes[1], lanes)[1])
    return Work(s, [x])


def chain(shape: tuple[int, ...], lanes: int = 16) -> Work:
    """relu(x * scale + y), where scale is one number for each row: flat, vectorised, parallel."""
    x, y = te.placeholder(shape, "float32", "x"), te.placeholder(shape, "float32", "y")
    scaled = te.compute(shape, lambda *i: x[i] * 2.0, "scaled")
    out = te.compute(shape, lambda *i: te.maximum(scaled[i] + y[i], 0.0), "out")
    s = Schedule(out)
    s.inline(scaled)
    flat = s[out].fuse(*s[out].axes)
    outer, lane = s[out].split(flat, lanes)
    s[out].parallel(outer)
    s[out].vectorize(lane)
    return Work(s, [x, y])


def batch_matmul(b: int, m: int, n: int, k: int, mr: int = 6, lanes: int = 16) -> Work:
    """A[b, m, k] · B[b, n, k] transposed: a panel of B is packed for each block of columns."""
    x = te.placeholder((b, m, k), "float32", "x")
    y = te.placeholder((b, n, k), "float32", "y")
    r = te.reduce_axis(k, "r")
    out = te.compute((b, m, n), lambda g, i, j: te.sum(x[g, i, r] * y[g, j, r], r), "out")
    s = Schedule(out)
    acc = s.cache_write(out)
    packed = s.cache_read(y, [acc], order=(0, 2, 1))
    g, i, j = s[out].axes
    (io, ii), (jo, ji) = s[out].split(i, mr), s[out].split(j, lanes)
    s[out].reorder(g, jo, io, ii, ji)
    s[out].unroll(ii)
    s[out].vectorize(ji)
    acc.compute_at(s[out], io)
    ag, ai, aj = acc.axes
    _, av = acc.split(aj, lanes)
    acc.reorder(r, ag, ai)
    acc.unroll(ai)
    acc.vectorize(av)
    packed.compute_at(s[out], jo)
    return Work(s, [x, y])


def conv_transpose(
    c: int, h: int, o: int, kernel: int, stride: int, pad: int, lanes: int = 16
) -> Work:
    """One-dimensional transposed convolution, taps chosen by phase: out = stride * q + phase."""
    width = (h - 1) * stride - 2 * pad + kernel
    x = te.placeholder((h, c), "float32", "x")
    f = te.placeholder((kernel, c, o), "float32", "f")
    k, ci = te.reduce_axis(kernel, "k"), te.reduce_axis(c, "ci")

    def tap(p, oc):
        far = p + pad - k
        at = far // stride
        inside = te.equal(far % stride, 0) & (at >= 0) & (at < h)
        return te.sum(x[at, ci] * f[k, ci, oc], (k, ci), where=inside)

    out = te.compute((width, o), tap, "out")
    s = Schedule(out)
    acc = s.cache_write(out)
    p, oc = s[out].axes
    (q, phase), (oo, ol) = s[out].split(p, stride), s[out].split(oc, lanes)
    s[out].reorder(oo, q, phase, ol)
    s[out].unroll(phase)
    s[out].vectorize(ol)
    acc.compute_at(s[out], q)
    ap, ao = acc.axes
    _, al = acc.split(ao, lanes)
    acc.reorder(k, ap, ci)
    acc.unroll(k, ap)
    acc.vectorize(al)
    return Work(s, [x, f])
