"""Whatever a schedule rearranges, the result stays the same."""

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import interpret

from relay.kernels import te
from relay.kernels.loops import MemoryScope, Mode
from relay.kernels.passes import blocked_summation
from relay.kernels.passes.hoist_addresses import hoist
from relay.kernels.passes.partition_loops import partition
from relay.kernels.passes.simplify_scalars import Simplifier
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.passes.vectorize import vectorize
from relay.kernels.scalar import Const
from relay.kernels.schedule.lower import nested
from relay.kernels.schedule.schedule import Schedule
from relay.kernels.schedule.stage import Stage
from relay.support.dtype import bool_


def shuffle(data: st.DataObject, stage: Stage, reducing: set[te.Axis]) -> None:
    """Split, fuse, reorder and mark the loops of a stage at random."""
    for _ in range(data.draw(st.integers(0, 3), label="splits")):
        axis = data.draw(st.sampled_from(stage.loops), label="axis")
        parts = stage.split(axis, data.draw(st.integers(1, 5), label="factor"))
        if axis in reducing:
            reducing |= set(parts)
    if data.draw(st.booleans(), label="reorder"):
        stage.reorder(*data.draw(st.permutations(stage.loops), label="order"))
    place = data.draw(st.integers(0, len(stage.loops)), label="fuse at")
    pair = stage.loops[place : place + 2]
    if len(pair) == 2 and (pair[0] in reducing) == (pair[1] in reducing):
        fused = stage.fuse(*pair)
        if pair[0] in reducing:
            reducing.add(fused)
    for axis in stage.loops:
        modes = [Mode.SERIAL, Mode.SERIAL, Mode.UNROLL]
        if axis not in reducing:
            modes.append(Mode.PARALLEL)
        stage.modes[axis] = data.draw(st.sampled_from(modes), label=f"mode of {axis.name}")
    if stage.loops[-1] not in reducing and data.draw(st.booleans(), label="vectorize"):
        stage.vectorize(stage.loops[-1])
    for axis in stage.loops:
        is_free = axis not in reducing and stage.modes[axis] is Mode.SERIAL
        if is_free and data.draw(st.booleans(), label=f"{axis.name} from its end"):
            stage.reverse(axis, Const(True, bool_))


def check(data: st.DataObject, schedule: Schedule, inputs, arrays, expected) -> None:
    simplify = Simplifier()
    longest = data.draw(
        st.sampled_from([blocked_summation.LONGEST, 1, 2, 4]), label="terms of a block"
    )
    kernels = [nested(schedule, inputs, "kernel", simplify)]
    with patch.object(blocked_summation, "LONGEST", longest):
        for step in (partition, blocked_summation.block_sums, vectorize, hoist):
            assert complaints(kernels[-1]) == []
            kernels.append(step(kernels[-1], simplify))
    assert complaints(kernels[-1]) == []
    for kernel in (kernels[0], kernels[-1]):  # what a pass between them breaks stays broken
        out = np.full_like(expected, np.nan)
        interpret.run(kernel, *arrays, out)
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


@settings(max_examples=60)
@given(st.data())
def test_a_padded_convolution_and_its_epilogue(data: st.DataObject) -> None:
    h, w, kernel, stride, pad = (
        data.draw(st.integers(low, high), label=name)
        for name, low, high in [
            ("h", 1, 5), ("w", 1, 6), ("kernel", 1, 3), ("stride", 1, 2), ("pad", 0, 2)
        ]
    )  # fmt: skip
    oh, ow = ((max(size + 2 * pad - kernel, 0)) // stride + 1 for size in (h, w))
    rng = np.random.default_rng(1)
    image, taps = rng.random((h, w)).astype("f"), rng.random((kernel, kernel)).astype("f")
    x, f = te.placeholder((h, w), "float32", "x"), te.placeholder(taps.shape, "float32", "f")
    kh, kw = te.reduce_axis(kernel, "kh"), te.reduce_axis(kernel, "kw")

    def tap(y, z):
        iy, iz = y * stride + kh - pad, z * stride + kw - pad
        inside = (iy >= 0) & (iy < h) & (iz >= 0) & (iz < w)
        return te.sum(x[iy, iz] * f[kh, kw], (kh, kw), where=inside)

    acc = te.compute((oh, ow), tap, "acc")
    scaled = te.compute((oh, ow), lambda i, j: acc[i, j] * 2.0, "scaled")
    out = te.compute((oh, ow), lambda i, j: scaled[i, j] + scaled[oh - 1 - i, j], "out")
    s = Schedule(out)
    if data.draw(st.booleans(), label="inline"):
        s.inline(scaled)
    else:
        shuffle(data, s[scaled], set())
    shuffle(data, s[out], set())
    if scaled in s and data.draw(st.booleans(), label="scaled inside out"):
        s[scaled].compute_at(s[out], data.draw(st.sampled_from(s[out].loops), label="at"))
    shuffle(data, s[acc], {kh, kw})
    reader = s[scaled] if scaled in s else s[out]
    if data.draw(st.booleans(), label="inside"):
        s[acc].compute_at(reader, data.draw(st.sampled_from(reader.loops), label="at"))
    padded = np.zeros((h + 2 * pad + kernel, w + 2 * pad + kernel), np.float32)
    padded[pad : pad + h, pad : pad + w] = image
    y = np.zeros((oh, ow), np.float32)
    for i in range(oh):
        for j in range(ow):
            window = padded[i * stride : i * stride + kernel, j * stride : j * stride + kernel]
            y[i, j] = (window * taps).sum() * 2
    check(data, s, [x, f], [image, taps], y + y[::-1])


@settings(max_examples=40)
@given(st.data())
def test_sums_of_rows_in_parts_and_packed(data: st.DataObject) -> None:
    rows, columns = (data.draw(st.integers(1, 9), label=name) for name in ("rows", "columns"))
    a = np.random.default_rng(2).random((columns, rows)).astype("f")
    x = te.placeholder((columns, rows), "float32", "x")
    k = te.reduce_axis(columns, "k")
    total = te.compute((rows,), lambda i: te.sum(x[k, i], k), "total")
    out = te.compute((rows,), lambda i: total[i] + 1.0, "out")
    s = Schedule(out)
    parts = s.rfactor(total, k, data.draw(st.integers(1, 4), label="lanes"), MemoryScope.SCRATCH)
    block = data.draw(st.integers(1, 4), label="block")
    blocks = [(data.draw(st.integers(0, 1), label="blocked"), block)]
    packed = s.cache_read(x, [parts], order=(1, 0), blocks=blocks)
    shuffle(data, s[out], set())
    shuffle(data, s[total], set(s[total].reduce_axes))
    shuffle(data, packed, set())
    depth = data.draw(st.integers(0, len(s[out].loops) - 1), label="total at")
    s[total].compute_at(s[out], s[out].loops[depth])
    shuffle(data, parts, set(parts.reduce_axes))
    depth = data.draw(st.integers(0, depth), label="parts at")
    parts.compute_at(s[out], s[out].loops[depth])
    loops = [loop for loop in parts.loops if parts.modes.get(loop) is not Mode.VECTOR]
    if loops and data.draw(st.booleans(), label="packed inside"):
        packed.compute_at(parts, data.draw(st.sampled_from(loops), label="packed at"))
    check(data, s, [x], [a], a.sum(0) + np.float32(1))
