"""The register tile: how many results are kept in registers during a sum.

A tile has `rows` elements in each of `vectors` vectors. In each step of the sum it takes one
multiply-add for each of its vectors, a load for each row and each column of vectors. The best tile
is that with which a whole tensor takes the fewest cycles, incomplete tiles at its edges included.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from relay.kernels.machine import CpuModel
from relay.support.node import value
from relay.targets.rules import Config

_VARIANT = 1.02  # what code for one more size of tile costs


Shape: TypeAlias = tuple[int, int, int]
"""High, wide, vectors."""


@value
class Tiles(Config):
    """`high` by `wide` positions, by `vectors` vectors.

    `block` rows of the broadcast operand at a time are read from a cache again and again; 0 where
    their number is open, or there are none. Outer loops are `parallel` where that pays.
    """

    high: int
    wide: int
    vectors: int
    block: int = 0
    parallel: bool = True

    @property
    def rows(self) -> int:
        """Return the number of positions."""
        return self.high * self.wide


def average(tile: Tiles, sizes: Sequence[Shape], machine: CpuModel) -> float:
    """Return the cycles that a vector of a position takes, on the average over some sizes.

    Each counts as much as the others, however large it is.
    """
    return sum(cycles(tile, *size, machine) / (size[0] * size[1] * size[2]) for size in sizes)


def lane_rows(wide: int, machine: CpuModel) -> range:
    """Return numbers of rows for sums in lanes: neighbours share data in the other registers."""
    return range(max(1, min(wide, machine.vector_registers // 4)), 0, -1)


def lane_cost(rows: int, wide: int) -> float:
    """Return how often so many rows cover all of them, and a little for those that are too many."""
    return -(-wide // rows) + (-wide % rows) / (wide + 1)


def tile_shapes(high: int, wide: int, vectors: int, machine: CpuModel) -> Iterator[Shape]:
    """Yield the tiles of `high` by `wide` positions of some vectors that fit into registers.

    Rows are only combined (`high` above 1) where a tile holds whole ones.
    """
    registers = machine.vector_registers
    sizes = [(1, w) for w in range(1, min(wide, registers) + 1)]
    sizes += [(h, wide) for h in range(2, min(high, registers // wide) + 1)]
    for (h, w), v in product(sizes, range(1, min(vectors, registers // 2) + 1)):
        if h * w * v + v + 1 <= registers:
            yield h, w, v


def cycles(tile: Tiles, high: int, wide: int, vectors: int, machine: CpuModel) -> float:
    """Return the cycles of one step of the sum for everything."""
    total, variants = 0.0, 0
    for h, h_count in _pieces(high, tile.high):
        for w, w_count in _pieces(wide, tile.wide):
            for v, v_count in _pieces(vectors, tile.vectors):
                total += h_count * w_count * v_count * _step(h * w, v, machine)
                variants += 1
    return total * _VARIANT ** (variants - 1)


def _pieces(size: int, part: int) -> list[tuple[int, int]]:
    """Return the sizes of parts, each with its number."""
    whole, rest = divmod(size, part)
    return [(n, count) for n, count in ((part, whole), (rest, 1)) if n and count]


def _step(rows: int, vectors: int, machine: CpuModel) -> float:
    """Return the cycles of one step for one tile."""
    ports = max(1, machine.fma_ports)
    multiply = max(rows * vectors / ports, machine.fma_latency)
    loads = (rows + vectors) / machine.loads
    far = 2.0 * vectors * machine.vector_bytes / 64  # the vectors come from the second cache
    return max(multiply, loads, far) + 0.75
