"""Register tiles: sizes of the block of results kept in registers, and their cost in cycles.

A tile has `rows` elements in each of `vectors` vectors. Each step of the sum takes one multiply-add
for each of the tile's vectors, a load for each row and each column of vectors, and a few
instructions for the loop. The best tile is the one with which the whole tensor takes the fewest
cycles, including incomplete tiles at its edges.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from relay.kernels.cpu_model import CpuModel
from relay.support.node import value
from relay.targets.schedule_rules import Config

_VARIANT = 1.02  # the relative cost of code for one more tile size
_OVERHEAD = 4  # instructions of a step that count and compute addresses


Shape: TypeAlias = tuple[int, int, int]
"""The sizes of a tile: `high`, `wide` and `vectors`."""


@value
class Tiles(Config):
    """The configuration of a register tile: `high` by `wide` positions, by `vectors` vectors.

    `block` is the number of rows of the broadcast operand that are reused from a cache; it is 0 if
    the number of rows is dynamic, or there are none. If `parallel`, long outer loops are parallel.
    """

    high: int
    wide: int
    vectors: int
    block: int = 0
    parallel: bool = True

    @property
    def rows(self) -> int:
        """Return the number of positions of a tile."""
        return self.high * self.wide


def average(tile: Tiles, sizes: Sequence[Shape], machine: CpuModel) -> float:
    """Return the cycles of a tiling per computed vector, summed over several tensor sizes."""
    return sum(cycles(tile, *size, machine) / (size[0] * size[1] * size[2]) for size in sizes)


def lane_rows(wide: int, machine: CpuModel) -> range:
    """Return the candidate widths of tiles, the widest first, if lanes do not share operands.

    The sums of a tile occupy at most a quarter of the registers; the others hold operands.
    """
    return range(max(1, min(wide, machine.vector_registers // 4)), 0, -1)


def lane_cost(rows: int, wide: int) -> float:
    """Return a cost: how many tiles of `rows` rows cover `wide` rows, plus a fraction for waste."""
    return -(-wide // rows) + (-wide % rows) / (wide + 1)


def tile_shapes(high: int, wide: int, vectors: int, machine: CpuModel) -> Iterator[Shape]:
    """Yield the tiles of at most `high` by `wide` positions and `vectors` that fit in registers.

    `high` is above 1 only in tiles that span the whole width. Beside its sums, a tile keeps a
    broadcast element and, if several rows multiply them, the vectors of a step.
    """
    registers = machine.vector_registers
    sizes = [(1, w) for w in range(1, min(wide, registers) + 1)]
    sizes += [(h, wide) for h in range(2, min(high, registers // wide) + 1)]
    for (h, w), v in product(sizes, range(1, min(vectors, registers // 2) + 1)):
        kept = v if h * w > 1 else 0
        if h * w * v + kept + 1 <= registers:
            yield h, w, v


def cycles(tile: Tiles, high: int, wide: int, vectors: int, machine: CpuModel) -> float:
    """Return the cycles of one step of the sum for all tiles of a tensor of this size."""
    total, variants = 0.0, 0
    for h, h_count in _pieces(high, tile.high):
        for w, w_count in _pieces(wide, tile.wide):
            for v, v_count in _pieces(vectors, tile.vectors):
                total += h_count * w_count * v_count * _step(h * w, v, machine)
                variants += 1
    return total * _VARIANT ** (variants - 1)


def _pieces(size: int, part: int) -> list[tuple[int, int]]:
    """Return the lengths of the parts into which `part` divides `size`, each with its count."""
    whole, rest = divmod(size, part)
    return [(n, count) for n, count in ((part, whole), (rest, 1)) if n and count]


def _step(rows: int, vectors: int, machine: CpuModel) -> float:
    """Return the cycles of one step of the sum for one tile."""
    ports = max(1, machine.fma_ports)
    multiply = max(rows * vectors / ports, machine.fma_latency)
    loads = (rows + vectors) / machine.loads
    far = 2.0 * vectors * machine.vector_bytes / 64  # the vectors come from the L2 cache
    issue = (rows * vectors + rows + vectors + _OVERHEAD) / machine.issue
    return max(multiply, loads, far, issue) + 0.75
