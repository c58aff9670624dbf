"""Splits long sums into chunks whose operands fit into the cache.

A sum over more data than the L2 cache holds, such as the derivative of a convolution by its weight,
would read its operands from memory again for each tile of results. In chunks, it reads them once;
instead, the results are read and written once for each chunk, so they must fit in the cache, too.
"""

from collections.abc import Sequence

from relay.kernels.scalar import Const, Scalar
from relay.kernels.te.tensor import Axis, Combiner, Computed, Read, Reduce, renamed
from relay.kernels.traverse_scalars import rewrite, substitute
from relay.support.dtype import bool_, int64
from relay.support.node import node, replace
from relay.targets.cpu.schedules.product_operands import Operands, operands
from relay.targets.cpu.schedules.product_tiling import Tiling
from relay.targets.cpu.schedules.size_hints import extent, is_known, product

_SWEEPS = 2  # times the registers: the rows of results from which vectors are read often enough
_VECTORS, _ROWS = 2, 12  # of most tiles


@node
class _Part:
    """An axis of a sum split into two loops: over its chunks, and inside a chunk."""

    axis: Axis
    chunk: Axis
    inner: Axis


def in_chunks(tiling: Tiling) -> Tiling | None:
    """Return a tiling that sums each chunk, then adds these sums; None if that does not pay."""
    found, room = tiling.operands, tiling.machine.l2 // 2
    axes = (*found.sums.axes, *found.sums.reduce_axes)
    plain = found.sums.dtype.is_float and not (found.in_lanes or tiling.phases)
    if not plain or not all(map(is_known, axes)) or not _rereads(tiling, room):
        return None
    data = found.vector.nbytes + found.scalar.nbytes
    parts = _parts(found, -(-data // room))
    return _over(tiling, parts) if parts else None


def _rereads(tiling: Tiling, room: int) -> bool:
    """Whether tiles of results read more data again than a cache of `room` bytes holds.

    The results themselves must fit into it. A tile reads vectors of one operand for each term, and
    the part of the other operand that its rows share.
    """
    found, machine = tiling.operands, tiling.machine
    vectors = _VECTORS * machine.vector_bytes * product(a.extent for a in found.sums.reduce_axes)
    apart = [axis for axis in found.rows if axis not in found.windows]
    beside = _ROWS if apart and apart[-1] is found.rows[-1] else 1
    shared = found.scalar.nbytes * beside // product(axis.extent for axis in apart)
    results = product(found.sums.shape) * found.sums.dtype.itemsize
    rows = product(axis.extent for axis in found.rows)
    are_large = min(found.vector.nbytes, found.scalar.nbytes) > room >= results
    return are_large and vectors + shared > room and rows >= _SWEEPS * machine.vector_registers


def _parts(found: Operands, count: int) -> list[_Part]:
    """Return the outermost axes of a sum, split into `count` chunks in total, or as many as fit."""
    parts: list[_Part] = []
    for axis in found.sums.reduce_axes:
        done = product(part.chunk.extent for part in parts)
        if done >= count or not (found.vector.moves(axis) and found.scalar.moves(axis)):
            break
        size = extent(axis)
        chunks = min(
            n for n in range(1, size + 1) if size % n == 0 and n * done >= min(count, size * done)
        )
        chunk = Axis(f"{axis.name}_chunk", int64, chunks)
        parts.append(_Part(axis, chunk, Axis(axis.name, int64, size // chunks)))
    return parts


def _over(tiling: Tiling, parts: Sequence[_Part]) -> Tiling | None:
    """Return the tiling of partial sums, which have an additional axis for each split axis."""
    sums = tiling.operands.sums
    assert isinstance(sums.body, Reduce)
    values: dict[Scalar, Scalar] = {
        part.axis: part.chunk * part.inner.extent + part.inner for part in parts
    }
    own = {part.axis: part.inner for part in parts}
    chunks = [part.chunk for part in parts]
    body, where = (substitute(part, values) for part in sums.body.parts)
    inner = tuple(own.get(axis, axis) for axis in sums.reduce_axes)
    chunked = Computed(
        f"{sums.name}_chunk",
        (*(chunk.extent for chunk in chunks), *sums.shape),
        sums.dtype,
        (*chunks, *sums.axes),
        Reduce(sums.body.combiner, body, inner, where, sums.dtype),
    )
    found = operands(chunked)
    if found is None:
        return None
    total = _total(chunked, sums, renamed(chunks))

    def change(part: Scalar) -> Scalar:
        return total[part.indices] if isinstance(part, Read) and part.tensor is sums else part

    output = replace(tiling.output, body=rewrite(tiling.output.body, change, {}))
    return replace(tiling, output=output, operands=found, total=total)


def _total(chunked: Computed, sums: Computed, chunks: tuple[Axis, ...]) -> Computed:
    axes = renamed(sums.axes)
    body = Reduce(Combiner.SUM, chunked[(*chunks, *axes)], chunks, Const(True, bool_), sums.dtype)
    return Computed(f"{sums.name}_total", sums.shape, sums.dtype, axes, body)
