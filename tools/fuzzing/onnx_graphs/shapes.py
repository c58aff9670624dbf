"""Rules of operators that change shapes: reshapes, slices, joins, padding, and sizes as values."""

from typing import Any

import numpy as np

from tools.fuzzing.onnx_graphs.arithmetic import need, some_axes
from tools.fuzzing.onnx_graphs.grower import Array, Grower, Node, Unfit, Value


def transpose(grower: Grower) -> Node:
    """Add a node that permutes axes, or reverses them."""
    x = grower.pick(lambda v: v.rank > 1)
    order = list(range(x.rank))
    grower.random.shuffle(order)
    return Node("Transpose", [x], {"perm": order} if grower.chance(0.8) else {})


def reshape(grower: Grower) -> Node:
    """Add a `Reshape` that merges or splits axes; 0 keeps a size, and -1 is computed."""
    x = grower.pick(lambda v: v.array.size > 0 and v.rank > 0)
    shape: list[int] = [0 if grower.chance(0.5) else -1, -1]
    kind = grower.random.randrange(4)
    if kind == 1:
        shape = [-1]
    elif kind == 2:
        shape = [*(0,) * (x.rank - 1), *_factors(grower, x.shape[-1])]
    elif kind == 3:
        shape = [*_factors(grower, x.array.size)]
    if shape.count(-1) > 1:
        shape = [0, -1]
    return Node("Reshape", [x, np.array(shape, np.int64)])


def _factors(grower: Grower, size: int) -> list[int]:
    """Return two sizes with a given product, one of them perhaps -1, to be computed."""
    first = grower.random.choice([each for each in range(1, size + 1) if size % each == 0])
    return [first, -1 if grower.chance(0.6) else size // first]


def flatten(grower: Grower) -> Node:
    """Add a node that flattens a tensor to a matrix."""
    x = grower.pick(lambda v: v.rank > 0)
    return Node("Flatten", [x], {"axis": grower.random.randint(-x.rank, x.rank)})


def squeeze(grower: Grower) -> Node:
    """Add a node that drops axes of size 1: some, or all without naming them."""
    x = grower.pick(lambda v: 1 in v.shape)
    if grower.chance(0.3):
        return Node("Squeeze", [x], declares_rank=True)
    ones = [axis for axis, size in enumerate(x.shape) if size == 1]
    chosen = [axis for axis in ones if grower.chance(0.7)] or ones[:1]
    return Node("Squeeze", [x, np.array(chosen, np.int64)])


def unsqueeze(grower: Grower) -> Node:
    """Add a node that adds axes of size 1."""
    x = grower.pick(lambda v: v.rank < 4)
    axes = grower.random.sample(range(x.rank + 2), 2) if grower.chance(0.4) else [x.rank and -1]
    return Node("Unsqueeze", [x, np.array(axes, np.int64)])


def concat(grower: Grower) -> Node:
    """Add a node that joins tensors that agree in all other sizes."""
    x = grower.pick(lambda v: v.rank > 0)
    axis = grower.axis(x.rank)

    def rest(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[: axis % x.rank], *shape[axis % x.rank + 1 :])

    def meets(other: Value) -> bool:
        same = other.array.dtype == x.array.dtype and other.rank == x.rank
        return same and rest(other.shape) == rest(x.shape)

    parts: list[Value | Array] = [x, grower.pick(meets)]
    if grower.chance(0.4):
        shape = list(x.shape)
        shape[axis] = grower.random.randint(1, 3)
        parts.append(grower.numbers(shape, x.array.dtype))
    grower.random.shuffle(parts)
    return Node("Concat", parts, {"axis": axis})


def split(grower: Grower) -> Node:
    """Add a node that splits a tensor into parts of given sizes."""
    x = grower.pick(lambda v: max(v.shape, default=0) > 1)
    axis = grower.random.choice([axis for axis, size in enumerate(x.shape) if size > 1])
    first = grower.random.randint(1, x.shape[axis] - 1)
    sizes = np.array([first, x.shape[axis] - first], np.int64)
    return Node("Split", [x, sizes], {"axis": axis}, results=2)


def slice_(grower: Grower) -> Node:
    """Add a node that slices some axes, forwards or backwards."""
    x = grower.pick(lambda v: v.rank > 0)
    axes = some_axes(grower, x) or [grower.axis(x.rank)]
    rows: list[tuple[int, int, int]] = []
    for axis in axes:
        size, step = x.shape[axis], grower.random.choice([1, 1, 1, 2, 3, -1, -2])
        low = grower.random.randint(0, max(size // 2, 0))
        end = grower.random.choice([size, 2**31 - 1, -1, max(size - 1, low + 1)])
        rows.append((low, end, step) if step > 0 else (size - 1 - low, -(2**31), step))
    starts, ends, steps = (np.array(each, np.int64) for each in zip(*rows, strict=True))
    return Node("Slice", [x, starts, ends, np.array(axes, np.int64), steps])


def expand(grower: Grower) -> Node:
    """Add a node that broadcasts to a shape, which may be that of another value."""
    x = grower.pick(lambda v: v.array.size < 200)
    shape = [size if size > 1 else grower.random.randint(1, 3) for size in x.shape]
    return Node("Expand", [x, np.array([*([2] if grower.chance(0.4) else []), *shape], np.int64)])


def tile(grower: Grower) -> Node:
    """Add a node that repeats a tensor along its axes."""
    x = grower.pick(lambda v: 0 < v.array.size < 200 and v.rank > 0)
    return Node("Tile", [x, grower.integers([x.rank], 1, 3)])


def pad(grower: Grower) -> Node:
    """Add a node that adds elements at the ends: constants, the edge, or a reflection."""
    x = grower.pick(lambda v: v.array.dtype == np.float32 and v.rank > 0 and v.array.size > 0)
    mode = grower.random.choice(["constant", "constant", "edge", "reflect"])
    low = 0 if mode != "constant" else -min(1, min(x.shape) - 1)
    most = min(3, *x.shape) if mode == "reflect" else 3
    widths = grower.integers([2 * x.rank], low, max(most, low + 1))
    value: list[Array] = [np.array(0.5, np.float32)] if mode == "constant" else []
    return Node("Pad", [x, widths, *value], {"mode": mode})


def shape(grower: Grower) -> Node:
    """Add a node that reads the sizes of a tensor."""
    x = grower.pick(lambda v: v.rank > 0)
    part: dict[str, Any] = {}
    if grower.opset >= 15 and grower.chance(0.5):
        part = {"start": grower.random.randrange(x.rank)}
    return Node("Shape", [x], part)


def by_shape(grower: Grower) -> Node:
    """Add a node that uses a computed shape: to broadcast, to fill a tensor, or to reshape."""
    sizes = grower.pick(_is_shape)
    op = grower.random.choice(["Expand", "ConstantOfShape", "Reshape"])
    if op == "ConstantOfShape":
        return Node(op, [sizes], declares_rank=True)
    total = int(np.prod(sizes.array))

    def fits(x: Value) -> bool:
        if op == "Reshape":
            return x.array.size == total
        return x.shape == (1,) * x.rank

    return Node(op, [grower.pick(fits), sizes], declares_rank=True)


def _is_shape(value: Value) -> bool:
    numbers = value.array
    is_vector = numbers.dtype == np.int64 and value.rank == 1 and 0 < numbers.size <= 4
    return is_vector and bool(np.all(numbers > 0)) and float(np.prod(numbers)) < 500


def depth_to_space(grower: Grower) -> Node:
    """Add a node that moves blocks of elements between the channels and the image axes."""
    if grower.chance(0.5):
        x = grower.pick(lambda v: v.rank == 4 and v.shape[1] % 4 == 0 and v.is_float)
        mode = grower.random.choice(["DCR", "CRD"])
        return Node("DepthToSpace", [x], {"blocksize": 2, "mode": mode})
    x = grower.pick(lambda v: v.rank == 4 and v.is_float and not v.shape[2] % 2 | v.shape[3] % 2)
    return Node("SpaceToDepth", [x], {"blocksize": 2})


def triangle(grower: Grower) -> Node:
    """Add a node that keeps one triangle of matrices."""
    need(grower.opset >= 14)
    x = grower.pick(lambda v: v.rank > 1 and not v.is_bool)
    diagonal = np.array(grower.random.randint(-2, 2), np.int64)
    return Node("Trilu", [x, diagonal], {"upper": grower.random.randint(0, 1)})


def count(grower: Grower) -> Node:
    """Add a node that makes a range of integers up to a size."""
    x = grower.pick(lambda v: v.array.dtype == np.int64 and v.array.shape == ())
    if not 0 < int(x.array) < 100:
        raise Unfit
    zero, one = (np.array(each, np.int64) for each in (0, 1))
    return Node("Range", [zero, x, one])


def size(grower: Grower) -> Node:
    """Add a node that counts the elements of a tensor."""
    return Node("Size", [grower.pick()])


RULES = (
    transpose, transpose, reshape, reshape, reshape, flatten, squeeze, unsqueeze, concat, concat,
    split, slice_, slice_, expand, tile, pad, shape, by_shape, by_shape, depth_to_space, triangle,
    count, size,
)  # fmt: skip
