"""How large a tile of results is kept in registers while products are summed into it.

A tile has `rows` elements in each of `vectors` vectors. In each step of the sum it takes one
multiply-add for each of its vectors, a load for each row and each column of vectors. The best tile
is that with which a whole tensor takes the fewest cycles, incomplete tiles at its edges included.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from relay.kernels.machine import Machine
from relay.support.node import Value, value

_LATENCY = 4  # cycles until a multiply-add can be used by the next
_LOADS = 2  # loads that start in a cycle
_VARIANT = 1.02  # what code for one more size of tile costs


@value
class Tile(Value):
    """`high` by `wide` positions, by `vectors` vectors."""

    high: int
    wide: int
    vectors: int

    @property
    def rows(self) -> int:
        """Return the number of positions."""
        return self.high * self.wide


def best_tile(sizes: Sequence[tuple[int, int, int]], machine: Machine, most_rows: int) -> Tile:
    """Return the tile with which `high` by `wide` positions of some vectors are done fastest.

    Rows are only combined (`high` above 1) where a tile holds whole ones. Of several `sizes` each
    counts as much as the others, however large it is.
    """
    high, wide, vectors = (max(size) for size in zip(*sizes, strict=True))
    found = _candidates(high, wide, vectors, machine)
    fitting = [tile for tile in found if tile.rows <= most_rows]
    if len(sizes) == 1:
        return min(fitting, key=lambda tile: (_cycles(tile, *sizes[0], machine), -tile.rows))
    return min(fitting, key=lambda tile: (_average(tile, sizes, machine), -tile.rows))


def _average(tile: Tile, sizes: Sequence[tuple[int, int, int]], machine: Machine) -> float:
    """Return the cycles that a vector of a position takes, on the average over some sizes."""
    return sum(_cycles(tile, *size, machine) / (size[0] * size[1] * size[2]) for size in sizes)


def lane_tile(wide: int, machine: Machine) -> Tile:
    """Return the tile for sums in lanes: it leaves registers to data that neighbours share."""
    longest = max(1, min(wide, machine.vector_registers // 4))
    return Tile(1, min(range(longest, 0, -1), key=lambda n: (-(-wide // n), -wide % n)), 1)


def _candidates(high: int, wide: int, vectors: int, machine: Machine) -> Iterator[Tile]:
    registers = machine.vector_registers
    sizes = [(1, w) for w in range(1, min(wide, registers) + 1)]
    sizes += [(h, wide) for h in range(2, min(high, registers // wide) + 1)]
    for (h, w), v in product(sizes, range(1, min(vectors, registers // 2) + 1)):
        if h * w * v + v + 1 <= registers:
            yield Tile(h, w, v)


def _cycles(tile: Tile, high: int, wide: int, vectors: int, machine: Machine) -> float:
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


def _step(rows: int, vectors: int, machine: Machine) -> float:
    """Return the cycles of one step for one tile."""
    ports = max(1, machine.fma_ports)
    multiply = max(rows * vectors / ports, _LATENCY)
    loads = (rows + vectors) / _LOADS
    far = 2.0 * vectors * machine.vector_bytes / 64  # the vectors come from the second cache
    return max(multiply, loads, far) + 0.75
