"""Compute a layered graph layout: boxes do not overlap, and wires lead downwards.

The method is Sugiyama's, in four steps: assign a layer to each box; add a dummy node (dot) in each
layer that a wire crosses; order the nodes of each layer for few crossings; choose horizontal
positions that make wires straight. Each step is linear in the number of boxes and dots, except for
sorting.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from relay.support.node import node

GAP, LAYER_GAP, DOT = 28.0, 44.0, 10.0
"""Space between neighbours, space between layers, and the width of a passing wire."""

SWEEPS = 8
LEAF = 0.01  # so that a chain of operators stays straight where constants join it
"""The weight of an input with one reader, compared with other boxes."""

LONGEST = 400
"""The most layers that a wire is routed through; a longer wire is drawn straight from end to
end.
"""

Point = tuple[float, float]


@node
class Layout:
    """A computed layout: the centre of each box, the points of each wire, and the total size.

    A wire begins at the lower edge of its source and ends at the upper edge of its target.
    """

    centres: tuple[Point, ...]
    paths: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def lay_out(sizes: Sequence[Point], wires: Sequence[tuple[int, int]]) -> Layout:
    """Return a layout for boxes of these widths and heights; a wire leads to a later box."""
    graph = _Layers(sizes, wires)
    for sweep in range(SWEEPS):
        graph.order(down=sweep % 2 == 0)
    graph.place()
    return graph.layout()


class _Layers:
    """The boxes and dots (dummy nodes) of a layout in progress; boxes have the first indices."""

    def __init__(self, sizes: Sequence[Point], wires: Sequence[tuple[int, int]]) -> None:
        self.boxes = len(sizes)
        self.widths = [width for width, _ in sizes]
        self.heights = [height for _, height in sizes]
        self.layer = assign_layers(len(sizes), wires)
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.trunks: dict[int, list[int]] = {}
        self.chains = [self._lead(source, target) for source, target in wires]
        self.rows: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        for each, layer in enumerate(self.layer):
            self.rows[layer].append(each)
        self.column = [0.0] * len(self.layer)
        for row in self.rows:
            self._number(row)

    def _lead(self, source: int, target: int) -> list[int]:
        """Create the dots of a wire; return its source, dots and target.

        Wires from one box share their dots: they form one trunk with branches.
        """
        between = range(self.layer[source] + 1, self.layer[target])
        if len(between) > LONGEST:
            return [source, target]
        trunk = self.trunks.setdefault(source, [source])
        for layer in between[len(trunk) - 1 :]:
            trunk.append(self._dot(layer))
            self._link(*trunk[-2:])
        chain = [*trunk[: len(between) + 1], target]
        self._link(*chain[-2:])
        return chain

    def _dot(self, layer: int) -> int:
        self.layer.append(layer)
        self.widths.append(DOT)
        self.heights.append(0.0)
        self.above.append([])
        self.below.append([])
        return len(self.layer) - 1

    def _link(self, upper: int, lower: int) -> None:
        self.below[upper].append(lower)
        self.above[lower].append(upper)

    def order(self, *, down: bool) -> None:
        """Order the nodes of each layer by the mean position of their neighbours."""
        neighbours = self.above if down else self.below
        for row in self.rows if down else reversed(self.rows):
            wanted = {each: self._mean(neighbours[each], self.column[each]) for each in row}
            row.sort(key=wanted.__getitem__)
            self._number(row)

    def place(self) -> None:
        """Move the nodes of each layer to where wires are straightest, down and then up."""
        for row in self.rows:
            at = 0.0
            for each in row:
                self.column[each] = at + self.widths[each] / 2
                at += self.widths[each] + GAP
        for sweep in range(2 * SWEEPS):
            down = sweep % 2 == 0
            neighbours = self.above if down else self.below
            for row in self.rows if down else reversed(self.rows):
                self._straighten(row, neighbours)

    def layout(self) -> Layout:
        """Return the layout, shifted so that its coordinates begin at zero."""
        left = min((x - w / 2 for x, w in zip(self.column, self.widths, strict=True)), default=0.0)
        right = max((x + w / 2 for x, w in zip(self.column, self.widths, strict=True)), default=0.0)
        self.column = [x - left for x in self.column]
        spans = self._spans()
        return Layout(
            tuple((self.column[box], fmean(spans[self.layer[box]])) for box in range(self.boxes)),
            tuple(self._path(chain, spans) for chain in self.chains),
            right - left,
            spans[-1][1] if spans else 0.0,
        )

    def _spans(self) -> list[Point]:
        """Return the top and the bottom coordinate of each layer."""
        spans: list[Point] = []
        top = 0.0
        for row in self.rows:
            bottom = top + max(self.heights[each] for each in row)
            spans.append((top, bottom))
            top = bottom + LAYER_GAP
        return spans

    def _path(self, chain: Sequence[int], spans: Sequence[Point]) -> tuple[Point, ...]:
        """Return the points of a wire, which is vertical within each layer that it crosses."""
        path: list[Point] = []
        for place, each in enumerate(chain):
            top, bottom = spans[self.layer[each]]
            middle, half = (top + bottom) / 2, self.heights[each] / 2
            begin = middle + half if place == 0 else top
            end = middle - half if place == len(chain) - 1 else bottom
            path += dict.fromkeys([(self.column[each], begin), (self.column[each], end)])
        return tuple(path)

    def _number(self, row: Sequence[int]) -> None:
        for place, each in enumerate(row):
            self.column[each] = place - len(row) / 2

    def _mean(self, neighbours: Sequence[int], otherwise: float) -> float:
        if not neighbours:
            return otherwise
        weights = [LEAF if self._is_leaf(each) else 1.0 for each in neighbours]
        return fmean([self.column[each] for each in neighbours], weights)

    def _is_leaf(self, each: int) -> bool:
        """Whether a box has no inputs and one reader: it is placed next to the main path."""
        return not self.above[each] and len(self.below[each]) == 1

    def _straighten(self, row: Sequence[int], neighbours: Sequence[Sequence[int]]) -> None:
        wanted = [self._mean(neighbours[each], self.column[each]) for each in row]
        weights = [self._weight(each, neighbours[each]) for each in row]
        gaps = [(self.widths[a] + self.widths[b]) / 2 + GAP for a, b in pairwise(row)]
        for each, x in zip(row, separated(wanted, weights, gaps), strict=True):
            self.column[each] = x

    def _weight(self, each: int, neighbours: Sequence[int]) -> float:
        """Return the weight of aligning a node with neighbours; high for a long wire's dots."""
        if not neighbours:
            return 0.01
        if self._is_leaf(each):
            return LEAF
        return 8.0 if each >= self.boxes and neighbours[0] >= self.boxes else 1.0


def assign_layers(count: int, wires: Sequence[tuple[int, int]]) -> list[int]:
    """Return a layer for each box, below the layers of its predecessors.

    A box without predecessors is placed directly above its first reader.

    >>> assign_layers(4, [(0, 1), (1, 3), (2, 3)])
    [0, 1, 1, 2]
    """
    layer = [0] * count
    readers: list[list[int]] = [[] for _ in range(count)]
    fed = [False] * count
    for source, target in wires:
        readers[source].append(target)
        fed[target] = True
    for source in range(count):  # topological order: a wire leads to a later box
        for target in readers[source]:
            layer[target] = max(layer[target], layer[source] + 1)
    for source in range(count):
        if not fed[source] and readers[source]:
            layer[source] = min(layer[target] for target in readers[source]) - 1
    return layer


def separated(
    wanted: Sequence[float], weights: Sequence[float], gaps: Sequence[float]
) -> list[float]:
    """Return positions close to `wanted` that keep the order and are at least `gaps` apart.

    The weighted sum of squared distances to `wanted` is minimal. Without gaps this is isotonic
    regression: neighbours in the wrong order form a block, which is placed at its mean.

    >>> separated([0.0, 0.0], [1.0, 1.0], [10.0])
    [-5.0, 5.0]
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, members
    for want, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, total, members = want - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            before, heavy, many = blocks.pop()
            mean = (before * heavy + mean * total) / (heavy + total)
            total, members = total + heavy, members + many
        blocks.append((mean, total, members))
    places = [mean for mean, _, members in blocks for _ in range(members)]
    return [place + offset for place, offset in zip(places, offsets, strict=False)]
