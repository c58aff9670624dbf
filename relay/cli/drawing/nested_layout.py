"""Lay out nested pictures: first those inside of cards, then the cards around them."""

from collections.abc import Sequence

from relay.cli.drawing.cards import Card, Picture
from relay.cli.drawing.layered_layout import Layout, Point, lay_out
from relay.support.node import node, replace
from relay.support.trampoline import Task, run

CHARACTER, SMALL, PADDING = 8.2, 6.7, 32.0
LINE, HEAD = 19.0, 34.0
NARROWEST, WIDEST = 96.0, 320.0
INSET, TITLE = 16.0, 26.0
"""Space around a region inside its card, and the height of its title."""


@node
class RegionBox:
    """The rectangle that is drawn around a region: its title, top-left corner and size."""

    title: str
    left: float
    top: float
    width: float
    height: float


@node
class Placed:
    """A card with its position and size, and the frames of its regions."""

    card: Card
    x: float
    y: float
    width: float
    height: float
    frames: tuple[RegionBox, ...] = ()


@node
class Arrangement:
    """A picture with all nested pictures, in one coordinate system.

    Cards come before the cards nested in them; wires use indices of this order.
    """

    cards: list[Placed]
    wires: list[tuple[int, int, tuple[Point, ...]]]
    width: float
    height: float


@node
class _Nest:
    """A picture and the pictures in its cards, laid out in their own coordinates."""

    picture: Picture
    sizes: Sequence[Point]
    layout: Layout
    inner: "Sequence[Sequence[_Nest]]"


def arrange(picture: Picture) -> Arrangement:
    """Return the positions of all cards, frames and wires; the nesting may be of any depth."""
    nest = run(_nest(picture))
    whole = Arrangement([], [], nest.layout.width, nest.layout.height)
    pending = [(nest, 0.0, 0.0)]
    while pending:
        each, left, top = pending.pop()
        for place, within in zip(_placed(each, left, top), each.inner, strict=True):
            whole.cards.append(place)
            for frame, inside in zip(place.frames, within, strict=True):
                pending.append((inside, frame.left + INSET, frame.top + TITLE))
        first = len(whole.cards) - len(each.picture.cards)
        for (source, target), path in zip(each.picture.wires, each.layout.paths, strict=True):
            moved = tuple((x + left, y + top) for x, y in path)
            whole.wires.append((first + source, first + target, moved))
    return whole


def _nest(picture: Picture) -> Task[_Nest]:
    inner: list[list[_Nest]] = []
    for card in picture.cards:
        within: list[_Nest] = []
        for region in card.regions:
            within.append((yield _nest(region.picture)))  # noqa: PERF401 - yields
        inner.append(within)
    sizes = [_size(card, each) for card, each in zip(picture.cards, inner, strict=True)]
    return _Nest(picture, sizes, lay_out(sizes, picture.wires), inner)


def _size(card: Card, within: Sequence[_Nest]) -> Point:
    """Return the width and height of a card, including its text and nested pictures."""
    titles = max(len(line.title) for line in card.lines) * CHARACTER
    width = min(WIDEST, max(NARROWEST, max(titles, len(card.type) * SMALL) + PADDING))
    height = HEAD + LINE * len(card.lines)
    if not within:
        return width, height
    wide = sum(map(_outer_width, within)) + INSET * (len(within) + 1)
    return max(width, wide), height + TITLE + 2 * INSET + max(n.layout.height for n in within)


def _outer_width(each: _Nest) -> float:
    return each.layout.width + 2 * INSET


def _placed(nest: _Nest, left: float, top: float) -> list[Placed]:
    """Return the cards of one picture, moved to its final position."""
    placed: list[Placed] = []
    for index, card in enumerate(nest.picture.cards):
        x, y = nest.layout.centres[index]
        alone = Placed(card, x + left, y + top, *nest.sizes[index])
        placed.append(replace(alone, frames=_frames(alone, nest.inner[index])))
    return placed


def _frames(place: Placed, inner: Sequence[_Nest]) -> tuple[RegionBox, ...]:
    """Return the frames of a card's regions, which are placed side by side."""
    left = place.x - place.width / 2 + INSET
    top = place.y - place.height / 2 + HEAD - 4
    height = place.height - HEAD - LINE
    frames: list[RegionBox] = []
    for region, each in zip(place.card.regions, inner, strict=True):
        frames.append(RegionBox(region.title, left, top, _outer_width(each), height))
        left += frames[-1].width + INSET
    return tuple(frames)
