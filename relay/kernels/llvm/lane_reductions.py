"""LLVM text that reduces the lanes of several vectors together, by a tree of shuffles.

A step combines two vectors of partial results into one: two shuffles put lanes of the same row at
the same position, and one operation combines them. So `n` rows of `n` lanes take `n - 1` steps,
whereas each row on its own would take a step for every halving of its lanes. Steps within 16 bytes
come first, because machines shuffle within these fastest.
"""

from collections.abc import Sequence

from relay.kernels.llvm.arithmetic import binary
from relay.kernels.llvm.emitter_context import Context, splat
from relay.kernels.llvm.llvm_types import computed, element, with_lanes
from relay.kernels.llvm.llvm_writer import Operand, lane_type, lanes_of
from relay.kernels.scalar_operations import Op
from relay.support.dtype import DType
from relay.support.node import node

_BLOCK = 128  # bits within which shuffles are fastest


@node
class _Rows:
    """Partly reduced vectors, by the number of their first row; `of_lane` is the row of each lane.

    Rows are counted from the vector's first row.
    """

    vectors: dict[int, Operand]
    of_lane: tuple[int, ...]


def fold(ctx: Context, op: Op, rows: Sequence[Operand], lanes: int, dtype: DType) -> Operand:
    """Emit a vector of `dtype` whose lane `i` combines all lanes of `rows[i]`."""
    width = lanes_of(rows[0].ty)
    state = _Rows(dict(enumerate(rows)), (0,) * width)
    block = min(width, _BLOCK // max(8, computed(element(dtype)).bits))
    height = 1 << (len(rows) - 1).bit_length()
    for distance in _distances(height, block):
        near, far = _pairs(state.of_lane, block, distance)
        state = _paired(ctx, op, state, (near, far), distance, dtype)
    return _ordered(ctx, *_halved(ctx, op, state, dtype), lanes)


def _distances(height: int, block: int) -> list[int]:
    """Return the row distances that the steps combine, those within blocks first."""
    inner = min(height, block)
    near = [inner >> k for k in range(1, inner.bit_length())]
    return near + [inner << k for k in range((height // inner).bit_length() - 1)]


def _pairs(of_lane: Sequence[int], block: int, distance: int) -> tuple[list[int], list[int]]:
    """Return for two shuffles of the same two vectors the lanes that each selects.

    A step then combines the results of the shuffles elementwise.

    Lanes of the second vector are numbered after those of the first.

    Within blocks, elements of the two vectors alternate; beyond blocks, whole blocks do.
    """
    width = len(of_lane)
    near: list[int] = []
    for lane in range(width):
        start, place = lane - lane % block, lane % block
        if distance < block:
            near.append(place % 2 * width + start + place // 2)
        else:
            near.append(2 * start + place)
    step = block // 2 if distance < block else block
    return near, [source + step for source in near]


def _paired(
    ctx: Context, op: Op, state: _Rows, sources: tuple[list[int], list[int]],
    distance: int, dtype: DType,
) -> _Rows:  # fmt: skip
    """Emit a step: combine each vector with the one for rows `distance` further on, if any."""
    width = len(state.of_lane)
    made: dict[int, Operand] = {}
    for first, vector in state.vectors.items():
        if not first & distance:
            other = state.vectors.get(first + distance)
            near, far = (_shuffle(ctx, vector, other, taken) for taken in sources)
            made[first] = binary(ctx, op, near, far, with_lanes(dtype, width))
    of_lane = [state.of_lane[k % width] + k // width * distance for k in sources[0]]
    return _Rows(made, tuple(of_lane))


def _halved(ctx: Context, op: Op, state: _Rows, dtype: DType) -> tuple[Operand, tuple[int, ...]]:
    """Emit the combination of each row's lanes into one lane; return the row of each lane, too."""
    vector, of_lane = state.vectors[0], state.of_lane
    while len(set(of_lane)) < len(of_lane):
        seen: dict[int, list[int]] = {}
        for lane, row in enumerate(of_lane):
            seen.setdefault(row, []).append(lane)
        lower = sorted(lane for lanes in seen.values() for lane in lanes[: len(lanes) // 2])
        upper = sorted(lane for lanes in seen.values() for lane in lanes[len(lanes) // 2 :])
        near, far = (_shuffle(ctx, vector, None, taken) for taken in (lower, upper))
        vector = binary(ctx, op, near, far, with_lanes(dtype, len(lower)))
        of_lane = tuple(of_lane[lane] for lane in lower)
    return vector, of_lane


def _ordered(ctx: Context, vector: Operand, of_lane: Sequence[int], lanes: int) -> Operand:
    """Emit a vector of `lanes` lanes in the order of their rows."""
    if of_lane == tuple(range(lanes)):
        return vector
    if lanes_of(vector.ty) == 1:
        return splat(ctx, vector, lanes)
    places = {row: lane for lane, row in enumerate(of_lane)}
    return _shuffle(ctx, vector, None, [places.get(row, -1) for row in range(lanes)])


def _shuffle(ctx: Context, a: Operand, b: Operand | None, sources: Sequence[int]) -> Operand:
    """Emit a selection of the lanes of `a` and `b`; -1 means an undefined lane.

    Lanes of `b` are numbered after those of `a`.
    """
    if len(sources) == 1:
        return ctx.w.op(lane_type(a.ty), f"extractelement {a}, i64 {sources[0]}")
    listed = ", ".join(f"i32 {source}" if source >= 0 else "i32 poison" for source in sources)
    other = "poison" if b is None else b.text
    ty = f"<{len(sources)} x {lane_type(a.ty)}>"
    return ctx.w.op(ty, f"shufflevector {a}, {a.ty} {other}, <{len(sources)} x i32> <{listed}>")
