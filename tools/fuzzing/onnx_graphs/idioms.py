"""Rules that add what exporters write: shapes computed from sizes, slices and axes by values."""

from typing import Any

import numpy as np

from tools.fuzzing.onnx_graphs.arithmetic import need
from tools.fuzzing.onnx_graphs.grower import Grower, Node, Value
from tools.fuzzing.onnx_graphs.shapes import shape


def pick_size(grower: Grower) -> Node:
    """Add a node that takes one size out of a shape, as a scalar or a vector of one."""
    sizes = grower.pick(lambda v: _is_vector(v) and v.array.size > 0)
    place = grower.integers([1] if grower.chance(0.5) else [], -sizes.shape[0], sizes.shape[0])
    return Node("Gather", [sizes, place], {"axis": 0})


def to_vector(grower: Grower) -> Node:
    """Add a node that makes a vector of a computed integer, to be joined to a shape."""
    x = grower.pick(lambda v: v.array.dtype == np.int64 and v.rank == 0)
    return Node("Unsqueeze", [x, np.array([0], np.int64)])


def join_sizes(grower: Grower) -> Node:
    """Add a node that joins computed sizes and constants to a shape."""
    first = grower.pick(lambda v: _is_vector(v) and v.array.size <= 2)
    parts: list[Any] = [first]
    for _ in range(grower.random.randint(1, 2)):
        if grower.chance(0.5):
            parts.append(grower.pick(lambda v: _is_vector(v) and v.array.size <= 2))
        else:
            parts.append(np.array([grower.random.choice([-1, 1, 2, 3])], np.int64))
    grower.random.shuffle(parts)
    return Node("Concat", parts, {"axis": 0})


def arithmetic_of_sizes(grower: Grower) -> Node:
    """Add a node that computes with a size: half of it, twice, one less, the larger of two."""
    x = grower.pick(lambda v: _is_index(v) and v.array.size <= 4)
    op = grower.random.choice(["Add", "Sub", "Mul", "Div", "Max", "Min"])
    constant = np.array(grower.random.choice([1, 2, 3]), np.int64)
    if grower.chance(0.4):
        other = grower.pick(lambda v: _is_index(v) and v.shape == x.shape)
        need(op != "Div" or bool(np.all(other.array > 0)))
        return Node(op, [x, other])
    return Node(op, [x, constant])


def reshape_by_sizes(grower: Grower) -> Node:
    """Add a `Reshape` by a computed shape that may contain -1."""
    sizes = grower.pick(lambda v: _is_vector(v) and 0 < v.array.size <= 4)
    known = [int(each) for each in sizes.array]
    need(known.count(-1) <= 1 and all(each > 0 or each == -1 for each in known))
    count = int(np.prod([each for each in known if each > 0]))
    exact = -1 not in known

    def fits(v: Value) -> bool:
        size = v.array.size
        return size > 0 and (size == count if exact else size % count == 0)

    return Node("Reshape", [grower.pick(fits), sizes], declares_rank=True)


def slice_by_sizes(grower: Grower) -> Node:
    """Add a `Slice` whose start or end is computed."""
    x = grower.pick(lambda v: v.rank > 0)
    bound = grower.pick(lambda v: _is_vector(v) and v.shape == (1,))
    axes, one = np.array([grower.axis(x.rank)], np.int64), np.array([1], np.int64)
    constant = np.array([grower.random.choice([0, 1, -1, 2**31])], np.int64)
    bounds = [constant, bound] if grower.chance(0.7) else [bound, constant]
    step = one if grower.chance(0.7) else np.array([grower.random.choice([2, -1, -2])], np.int64)
    return Node("Slice", [x, *bounds, axes, step])


def pad_by_sizes(grower: Grower) -> Node:
    """Add a `Pad` whose widths are computed."""
    widths = grower.pick(lambda v: _is_vector(v) and v.array.size in (2, 4))
    need(bool(np.all((widths.array >= 0) & (widths.array < 9))))
    x = grower.pick(lambda v: v.array.dtype == np.float32 and 2 * v.rank == widths.array.size)
    return Node("Pad", [x, widths], {"mode": grower.random.choice(["constant", "edge"])})


def tile_by_sizes(grower: Grower) -> Node:
    """Add a `Tile` whose repetitions are computed."""
    repeats = grower.pick(lambda v: _is_vector(v) and 0 < v.array.size <= 4)
    need(bool(np.all((repeats.array >= 0) & (repeats.array < 6))))
    rank = repeats.array.size
    return Node("Tile", [grower.pick(lambda v: v.rank == rank and v.array.size < 200), repeats])


def range_of_sizes(grower: Grower) -> Node:
    """Add a `Range` with computed bounds, forwards or backwards."""
    limit = grower.pick(lambda v: _is_index(v) and v.rank == 0 and abs(int(v.array)) < 50)
    start, step = grower.random.choice([(0, 1), (1, 2), (-1, 1), (9, -2)])
    pair: list[Any] = [np.array(start, np.int64), limit]
    return Node("Range", [*(pair if grower.chance(0.8) else pair[::-1]), np.array(step, np.int64)])


def top_by_size(grower: Grower) -> Node:
    """Add a `TopK` whose number of results is computed."""
    k = grower.pick(lambda v: _is_vector(v) and v.shape == (1,) and 0 < int(v.array[0]) < 9)
    x = grower.pick(
        lambda v: v.array.dtype == np.float32 and v.is_exact and _longest(v) >= int(k.array[0])
    )
    fitting = [axis for axis, size in enumerate(x.shape) if size >= int(k.array[0])]
    return Node("TopK", [x, k], {"axis": grower.random.choice(fitting)}, results=2)


def one_hot_by_size(grower: Grower) -> Node:
    """Add a `OneHot` whose depth is computed."""
    depth = grower.pick(lambda v: _is_index(v) and v.rank == 0 and 0 < int(v.array) < 12)
    x = grower.pick(lambda v: v.array.dtype == np.int64 and v.array.size < 60)
    return Node("OneHot", [x, depth, np.array([0, 1], np.float32)])


def resize_by_sizes(grower: Grower) -> Node:
    """Add a `Resize` of images to computed sizes."""
    need(grower.opset >= 18)
    sizes = grower.pick(lambda v: _is_vector(v) and v.shape == (2,))
    need(bool(np.all((sizes.array > 0) & (sizes.array < 14))))
    x = grower.pick(lambda v: v.array.dtype == np.float32 and v.rank == 4 and v.array.size > 0)
    mode = grower.random.choice(["linear", "cubic"])
    return Node("Resize", [x, None, None, sizes], {"axes": [2, 3], "mode": mode})


def _is_index(value: Value) -> bool:
    return value.array.dtype == np.int64 and value.array.size > 0


def _is_vector(value: Value) -> bool:
    return value.array.dtype == np.int64 and value.rank == 1


def _longest(value: Value) -> int:
    return max(value.shape, default=0)


RULES = (
    shape, shape, shape, pick_size, pick_size, to_vector, to_vector, join_sizes, join_sizes,
    arithmetic_of_sizes,
    arithmetic_of_sizes, reshape_by_sizes, reshape_by_sizes, slice_by_sizes, slice_by_sizes,
    pad_by_sizes, tile_by_sizes, range_of_sizes, top_by_size, one_hot_by_size, resize_by_sizes,
)  # fmt: skip
