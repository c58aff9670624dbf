"""Rules of operators that read and write by indices, and of those that order elements."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tools.fuzzing.onnx_graphs.arithmetic import need
from tools.fuzzing.onnx_graphs.grower import Array, Grower, Node, Value


def _indices(grower: Grower, shape: Sequence[int], bound: int) -> Array:
    """Return constant indices, a few of them counted from the end."""
    kind = grower.random.choice([np.int64, np.int64, np.int32])
    return grower.integers(shape, -bound if grower.chance(0.3) else 0, bound, kind)


def gather(grower: Grower) -> Node:
    """Add a node that takes slices along an axis, by constant or computed indices."""
    x = grower.pick(lambda v: v.rank > 0 and v.array.size > 0)
    axis = grower.axis(x.rank)
    bound = x.shape[axis]
    if grower.chance(0.3):
        return Node("Gather", [x, grower.pick(lambda v: _is_index(v, bound))], {"axis": axis})
    shape = grower.random.choice([[], [1], [3], [2, 2], [7]])
    return Node("Gather", [x, _indices(grower, shape, bound)], {"axis": axis})


def _is_index(value: Value, bound: int) -> bool:
    is_small = value.array.dtype == np.int64 and value.array.size < 30
    return is_small and bool(np.all((value.array >= -bound) & (value.array < bound)))


def gather_elements(grower: Grower) -> Node:
    """Add a node that takes elements along an axis."""
    x = grower.pick(lambda v: v.rank > 0 and v.array.size > 0)
    axis, shape = grower.axis(x.rank), list(x.shape)
    shape[axis] = grower.random.randint(1, 4)
    return Node("GatherElements", [x, _indices(grower, shape, x.shape[axis])], {"axis": axis})


def gather_nd(grower: Grower) -> Node:
    """Add a node that takes slices by tuples of indices."""
    x = grower.pick(lambda v: v.rank > 0 and v.array.size > 0)
    depth = grower.random.randint(1, x.rank)
    rows = [[grower.random.randrange(size) for size in x.shape[:depth]] for _ in range(4)]
    return Node("GatherND", [x, np.array(rows, np.int64)])


def scatter_elements(grower: Grower) -> Node:
    """Add a node that writes elements along an axis; indices repeat only if it adds."""
    x = grower.pick(lambda v: v.array.dtype == np.float32 and v.rank > 0 and v.array.size > 0)
    axis = grower.axis(x.rank)
    adds = grower.opset >= 16 and grower.chance(0.5)
    shape = list(x.shape)
    shape[axis] = grower.random.randint(1, x.shape[axis])
    places = grower.random.sample(range(x.shape[axis]), shape[axis])
    line = np.array(places, np.int64).reshape(
        [-1 if a == axis % x.rank else 1 for a in range(x.rank)]
    )
    indices = np.broadcast_to(line, shape).copy()
    if adds:
        indices = grower.integers(shape, 0, x.shape[axis])
    kind = {"reduction": grower.random.choice(["add", "mul"])} if adds else {}
    return Node("ScatterElements", [x, indices, grower.numbers(shape)], {"axis": axis, **kind})


def scatter_nd(grower: Grower) -> Node:
    """Add a node that writes slices by tuples of indices; these repeat only if it adds."""
    x = grower.pick(lambda v: v.array.dtype == np.float32 and v.rank > 0 and v.array.size > 0)
    rows = grower.random.sample(range(x.shape[0]), min(2, x.shape[0]))
    adds = grower.opset >= 16 and grower.chance(0.5)
    if adds:
        rows = [rows[0], *rows]
    updates = grower.numbers([len(rows), *x.shape[1:]])
    indices = np.array(rows, np.int64).reshape(-1, 1)
    return Node("ScatterND", [x, indices, updates], {"reduction": "add"} if adds else {})


def top_k(grower: Grower) -> Node:
    """Add a node that takes the largest or smallest elements and their indices."""
    x = grower.pick(
        lambda v: v.array.dtype == np.float32 and v.rank > 0 and v.array.size > 0 and v.is_exact
    )
    axis = grower.axis(x.rank)
    k = np.array([grower.random.randint(1, x.shape[axis])], np.int64)
    attributes = {"axis": axis, "largest": grower.random.randint(0, 1)}
    return Node("TopK", [x, k], attributes, results=2)


def one_hot(grower: Grower) -> Node:
    """Add `OneHot`, which converts indices to one-hot vectors."""
    x = grower.pick(lambda v: v.array.dtype == np.int64 and v.array.size < 60)
    depth = np.array(grower.random.randint(2, 5), np.int64)
    values = np.array([0.25, 1], np.float32)
    return Node("OneHot", [x, depth, values], {"axis": grower.random.choice([-1, 0])})


def non_zero(grower: Grower) -> Node:
    """Add a node that finds elements other than zero; their number depends on data."""
    return Node("NonZero", [grower.pick(lambda v: v.rank > 0 and v.is_exact)])


def compress(grower: Grower) -> Node:
    """Add a node that selects slices by a mask of booleans."""
    x = grower.pick(lambda v: v.rank > 0 and v.array.size > 0)
    axis = grower.axis(x.rank)
    mask = grower.numbers([x.shape[axis]], np.bool_)
    return Node("Compress", [x, mask], {"axis": axis})


def reverse_sequence(grower: Grower) -> Node:
    """Add a node that reverses the beginning of each row."""
    x = grower.pick(lambda v: v.rank > 1 and v.array.size > 0 and not v.is_bool)
    lengths = grower.integers([x.shape[1]], 1, x.shape[0] + 1)
    return Node("ReverseSequence", [x, lengths], {"batch_axis": 1, "time_axis": 0})


def eye(grower: Grower) -> Node:
    """Add a node that makes an identity matrix of the size of another matrix."""
    x = grower.pick(lambda v: v.rank == 2 and not v.is_bool)
    return Node("EyeLike", [x], {"k": grower.random.randint(-1, 1), "dtype": 1})


def unique(grower: Grower) -> Node:
    """Add a node that lists the different elements of a tensor in order."""
    x = grower.pick(
        lambda v: v.is_exact and v.array.dtype.name in ("float32", "int64") and v.rank > 0
    )
    results = grower.random.choice([1, 4])
    attributes: dict[str, Any] = {"sorted": 1}
    return Node("Unique", [x], attributes, results=results)


def quantize(grower: Grower) -> Node:
    """Add a node that quantises exact numbers to bytes, or dequantises bytes."""
    if grower.chance(0.5):
        x = grower.pick(lambda v: v.array.dtype == np.float32 and v.is_exact)
        zero = grower.numbers([], grower.random.choice([np.uint8, np.int8]))
        return Node("QuantizeLinear", [x, np.array(0.0625, np.float32), zero])
    x = grower.pick(lambda v: v.array.dtype.name in ("uint8", "int8"))
    return Node("DequantizeLinear", [x, np.array(0.0625, np.float32), np.array(3, x.array.dtype)])


def bit_shift(grower: Grower) -> Node:
    """Add a node that shifts bits of unsigned integers."""
    need(grower.opset >= 11)
    x = grower.pick(lambda v: v.array.dtype == np.uint8)
    direction = grower.random.choice(["LEFT", "RIGHT"])
    return Node("BitShift", [x, np.array(1, np.uint8)], {"direction": direction})


RULES = (
    gather, gather, gather, gather_elements, gather_nd, scatter_elements, scatter_nd, top_k,
    one_hot, non_zero, compress, reverse_sequence, eye, unique, quantize, quantize, bit_shift,
)  # fmt: skip
