"""Translate the operators that TensorFlow and TensorFlow Lite share, apart from their names."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from relay.frontend.builders.run_time_slices import read_part, write_part
from relay.frontend.builders.run_time_transposition import transposed_at_run_time
from relay.frontend.builders.strided_slice import scalars
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.tensorflow_node import InputReader
from relay.frontend.node_errors import static_size
from relay.ir.dims import ANY, Dim, is_static
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.opdef.definition import OperatorDef
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.complex_numbers.operators import Conj
from relay.ops.creation import Full, Zeros
from relay.ops.nn.space_to_depth_and_batch import BatchToSpaceND
from relay.ops.selection import Where
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Split, Stack
from relay.ops.tensor.dynamic_shapes import (
    DynamicBroadcastTo,
    DynamicFull,
    DynamicReshape,
    DynamicTile,
    DynamicZeros,
)
from relay.ops.tensor.gather import GatherND
from relay.ops.tensor.one_hot_and_shape_of import OneHot, ShapeOf
from relay.ops.tensor.reshape import ExpandDims, Reshape, Squeeze
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.search_and_unique import ArgWhere
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.tile_and_repeat import Tile
from relay.ops.tensor.transpose import Reverse, ReverseSequence, Transpose
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag
from relay.support.dtype import DType, int32, int64

Translation: TypeAlias = Callable[[InputReader], Expr | Sequence[Expr]]
"""Returns the result of a node, or its results in order."""

_Shared = TypeVar("_Shared", bound=Translation)

TENSORFLOW: dict[str, Translation] = {}
"""The translations of operators, by their names in TensorFlow."""

LITE: dict[str, Translation] = {}
"""The translations of operators, by their names in TensorFlow Lite."""


def _operator(*names: str, lite: str | tuple[str, ...]) -> Callable[[_Shared], _Shared]:
    """Return a decorator that registers a translation for names of TensorFlow and its Lite form."""

    def declare(translation: _Shared) -> _Shared:
        TENSORFLOW.update(dict.fromkeys(names, translation))
        LITE.update(dict.fromkeys((lite,) if isinstance(lite, str) else lite, translation))
        return translation

    return declare


# ---- shapes ----


def reshaped(node: InputReader, wanted: tuple[Dim, ...] | None) -> Expr:
    """Return the first input with the shape `wanted`, or that of the second input if it is None.

    A size of -1 is inferred.
    """
    x = node.expr(0)
    if wanted is None:
        return Call(DynamicReshape(allowzero=True), (x, node.expr(1)), span=node.span)
    if -1 not in wanted:
        return reshape(x, wanted)
    if isinstance(x, Constant) and is_static(wanted):
        return Constant(x.array.reshape([static_size(size) for size in wanted]), span=x.span)
    return Call(Reshape(wanted), (x,), span=node.span)


def shape_of(node: InputReader, x: Expr, dtype: DType) -> Expr:
    """Return the sizes of a tensor."""
    sizes = x.tensor_type.shape
    if is_static(sizes):
        return Constant(np.array(sizes, dtype.numpy))
    return Call(ShapeOf(dtype), (x,), span=node.span)


@_operator("Squeeze", lite="SQUEEZE")
def squeeze(node: InputReader) -> Expr:
    """Translate `Squeeze`: remove the listed axes of size 1, or all."""
    axes = node.ints_of("squeeze_dims", ())
    return Call(Squeeze(axes or None), (node.expr(0),), span=node.span)


@_operator("ExpandDims", lite="EXPAND_DIMS")
def expand_dims(node: InputReader) -> Expr:
    """Translate `ExpandDims`, which inserts an axis of size 1."""
    return Call(ExpandDims(node.integer(1, "the axis")), (node.expr(0),), span=node.span)


@_operator("Rank", lite="RANK")
def rank_of(node: InputReader) -> Expr:
    """Translate `Rank`: the number of axes."""
    return constant(node.type(0).rank, int32)


@_operator("Transpose", "ConjugateTranspose", lite="TRANSPOSE")
def transpose(node: InputReader) -> Expr:
    """Translate `Transpose`, and `ConjugateTranspose`, which is the same for real numbers."""
    x = node.expr(0)
    if node.op == "ConjugateTranspose" and x.tensor_type.dtype.is_complex:
        x = Call(Conj(), (x,))
    if node.sizes(1) is None:
        return transposed_at_run_time(x, node.expr(1))
    return Call(Transpose(node.ints(1, "the permutation")), (x,), span=node.span)


@_operator("Tile", lite="TILE")
def tile(node: InputReader) -> Expr:
    """Translate `Tile`: repeat a tensor along its axes."""
    counts = node.sizes(1)
    if counts is None or not is_static(counts):
        return Call(DynamicTile(), (node.expr(0), node.expr(1)), span=node.span)
    return Call(Tile(node.ints(1, "the counts")), (node.expr(0),), span=node.span)


@_operator("BroadcastTo", lite="BROADCAST_TO")
def broadcast_to(node: InputReader) -> Expr:
    """Translate `BroadcastTo`."""
    wanted = node.sizes(1)
    if wanted is None:
        return Call(DynamicBroadcastTo(), (node.expr(0), node.expr(1)), span=node.span)
    return Call(BroadcastTo(wanted), (node.expr(0),), span=node.span)


@_operator("BroadcastArgs", lite="BROADCAST_ARGS")
def broadcast_args(node: InputReader) -> Expr:
    """Translate `BroadcastArgs`: the shape to which two shapes broadcast."""
    found = np.broadcast_shapes(node.ints(0, "a shape"), node.ints(1, "a shape"))
    return Constant(np.array(found, node.type(0).dtype.numpy))


@_operator("ReverseV2", lite="REVERSE_V2")
def reverse(node: InputReader) -> Expr:
    """Translate `ReverseV2` along axes."""
    x = node.expr(0)
    for axis in node.ints(1, "the axes"):
        x = Call(Reverse(axis), (x,), span=node.span)
    return x


@_operator("ReverseSequence", lite="REVERSE_SEQUENCE")
def reverse_sequence(node: InputReader) -> Expr:
    """Translate `ReverseSequence`: reverse the first elements of each sequence, by length."""
    op = ReverseSequence(node.integer_of("seq_dim"), node.integer_of("batch_dim", 0))
    return Call(op, (node.expr(0), node.expr(1)), span=node.span)


@_operator("BatchToSpaceND", lite="BATCH_TO_SPACE_ND")
def batch_to_space(node: InputReader) -> Expr:
    """Translate `BatchToSpaceND`: move blocks of the batch to spatial axes, then crop."""
    op = BatchToSpaceND(node.ints(1, "the block"), node.pairs(2, "the crops"))
    return Call(op, (node.expr(0),), span=node.span)


# ---- joining and splitting ----


@_operator("Pack", lite="PACK")
def pack(node: InputReader) -> Expr:
    """Translate `Pack`: stack tensors along a new axis."""
    node.ignore("values_count")
    op = Stack(node.integer_of("axis", 0))
    return Call(op, (Tuple(tuple(node.exprs())),), span=node.span)


@_operator("Unpack", lite="UNPACK")
def unpack(node: InputReader) -> Sequence[Expr]:
    """Translate `Unpack`: the slices of a tensor along an axis, which is removed."""
    axis, count = node.integer_of("axis", 0), node.integer_of("num")
    parts = split_parts(node, node.expr(0), count, axis, count) if count else []
    return [Call(Squeeze((axis,)), (part,)) for part in parts]


@_operator("SplitV", lite="SPLIT_V")
def split_v(node: InputReader) -> Sequence[Expr]:
    """Translate `SplitV` into parts of the given sizes, one of which may be -1."""
    axis, sizes = node.integer(2, "the axis"), list(node.ints(1, "the sizes"))
    node.ignore("num_split", "num_splits")
    if -1 in sizes:
        whole = node.type(0).static_shape[axis]
        sizes[sizes.index(-1)] = whole - sum(sizes) - 1
    ends = tuple(int(each) for each in np.cumsum(sizes)[:-1])
    return split_parts(node, node.expr(0), ends, axis, len(sizes))


def split_parts(
    node: InputReader, x: Expr, cuts: int | tuple[int, ...], axis: int, count: int
) -> list[Expr]:
    """Return the `count` parts of a tensor along an axis."""
    whole = Call(Split(cuts, axis), (x,), span=node.span)
    return [TupleGetItem(whole, index) for index in range(count)]


# ---- gathers, scatters and selections ----


def tuples_first(indices: Expr) -> Expr:
    """Move the last axis of indices, along which index tuples extend, to the front."""
    rank = indices.tensor_type.rank
    return Call(Transpose((rank - 1, *range(rank - 1))), (indices,))


@_operator("GatherNd", lite="GATHER_ND")
def gather_nd(node: InputReader) -> Expr:
    """Translate `GatherNd`: read slices at index tuples."""
    return Call(GatherND(), (node.expr(0), tuples_first(node.expr(1))), span=node.span)


@_operator("ScatterNd", lite="SCATTER_ND")
def scatter_nd(node: InputReader) -> Expr:
    """Translate `ScatterNd`: add updates to zeros at index tuples."""
    updates, shape = node.expr(1), node.sizes(2)
    of = updates.tensor_type.dtype
    zeros = Call(DynamicZeros(of), (node.expr(2),)) if shape is None else Call(Zeros(shape, of), ())
    operands = (zeros, tuples_first(node.expr(0)), updates)
    return Call(ScatterND("add"), operands, span=node.span)


@_operator("OneHot", lite="ONE_HOT")
def one_hot(node: InputReader) -> Expr:
    """Translate `OneHot`: one value at each index along a new axis, another elsewhere."""
    op = OneHot(node.integer(1, "the depth"), node.integer_of("axis", -1))
    values = (reshape(node.expr(index), ()) for index in (2, 3))
    return Call(op, (node.expr(0), *values), span=node.span)


@_operator("Select", "SelectV2", lite=("SELECT", "SELECT_V2"))
def select(node: InputReader) -> Expr:
    """Translate `Select`; its first version may select rows by a vector."""
    condition, x, y = node.exprs()
    rank, is_first = x.tensor_type.rank, node.op in ("Select", "SELECT")
    if is_first and condition.tensor_type.rank == 1 and rank > 1:
        condition = reshape(condition, (*condition.tensor_type.shape, *(1,) * (rank - 1)))
    return Call(Where(), (condition, x, y), span=node.span)


@_operator("Where", lite="WHERE")
def where(node: InputReader) -> Expr:
    """Translate `Where`: the index tuples of true or nonzero elements."""
    return Call(Cast(int64), (Call(ArgWhere(), (node.expr(0),), span=node.span),))


# ---- creation ----


@_operator("Fill", lite="FILL")
def fill(node: InputReader) -> Expr:
    """Translate `Fill`: a tensor of one value."""
    value, shape = reshape(node.expr(1), ()), node.sizes(0)
    if shape is None:
        return Call(DynamicFull(), (value, node.expr(0)), span=node.span)
    return Call(Full(shape), (value,), span=node.span)


@_operator("Range", lite="RANGE")
def range_node(node: InputReader) -> Expr:
    """Translate `Range`: numbers from start to limit, exclusive, by steps."""
    bounds = [reshape(each, ()) for each in node.exprs()]
    if all(isinstance(each, Constant) for each in bounds):
        first, last, step = (
            float(node.constant(index, name).item())
            for index, name in enumerate(("start", "limit", "delta"))
        )
        return Constant(np.arange(first, last, step).astype(node.type(0).dtype.numpy))
    sizes = [node.sizes(index) for index in range(3)]
    if None not in sizes and node.type(0).dtype.is_integer:
        start, stop, step = (each[0] for each in sizes if each is not None)
        return Call(Arange(start, stop, step), tuple(bounds), span=node.span)
    return Call(Arange(), tuple(bounds), span=node.span)


@_operator("MatrixDiag", "BatchMatrixDiag", lite="MATRIX_DIAG")
def matrix_diagonal(node: InputReader) -> Expr:
    """Translate `MatrixDiag`: matrices with the given main diagonal, zeros elsewhere."""
    x = node.expr(0)
    shape = x.tensor_type.shape
    zeros = Call(Zeros((*shape, shape[-1]), x.tensor_type.dtype), ())
    return Call(MatrixSetDiag(), (zeros, x), span=node.span)


# ---- slices and scans ----


@_operator("Slice", lite="SLICE")
def slice_node(node: InputReader) -> Expr:
    """Translate `Slice` by begins and sizes; a size of -1 extends to the end."""
    x, begin, sizes = node.expr(0), node.sizes(1), node.sizes(2)
    if begin is not None and sizes is not None:
        part = Call(StridedSlice(begin, sizes, slice_mode="size"), (x,), span=node.span)
        return _of_sizes(part, sizes)
    counts = node.ints(2, "the sizes") if isinstance(node.expr(2), Constant) else ()
    if counts and -1 not in counts:
        return read_part(x, scalars(node.expr(1), len(counts)), counts)
    steps = Constant(np.ones(node.type(0).rank, np.int64))
    op = DynamicStridedSlice(slice_mode="size")
    return Call(op, (x, node.expr(1), node.expr(2), steps), span=node.span)


def _of_sizes(part: Expr, sizes: Sequence[Dim]) -> Expr:
    """Return a slice with a run-time check that it has the requested sizes."""
    found = part.tensor_type.shape
    wanted = [old if new == -1 else new for old, new in zip(found, sizes, strict=True)]
    is_known = ANY in wanted or all(a == b for a, b in zip(found, wanted, strict=True))
    return part if is_known else reshape(part, wanted)


@_operator("XlaDynamicUpdateSlice", lite="DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(node: InputReader) -> Expr:
    """Translate `XlaDynamicUpdateSlice`: write a tensor at clamped begins."""
    begins = scalars(node.expr(2), node.type(0).rank)
    return write_part(node.expr(0), node.expr(1), begins)


_SCANS: Mapping[str, type[Cumprod] | type[Cumsum]] = {
    "Cumprod": Cumprod, "Cumsum": Cumsum, "CUMSUM": Cumsum,
}  # fmt: skip


@_operator("Cumprod", "Cumsum", lite=())
def scan(node: InputReader) -> Expr:
    """Translate cumulative sums and products, optionally reversed or exclusive."""
    axis, x = node.integer(1, "the axis"), node.expr(0)
    turn: Sequence[OperatorDef] = [Reverse(axis)] if node.flag("reverse") else []
    for op in (*turn, _SCANS[node.op](axis, exclusive=node.flag("exclusive")), *turn):
        x = Call(op, (x,), span=node.span)
    return x
