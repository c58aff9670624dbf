"""A picture as one HTML file that needs nothing else: to pan, zoom, search and click."""

import json
from collections.abc import Sequence
from importlib import resources
from string import Template

from relay.cli.drawing.cards import Card, Picture
from relay.cli.drawing.layers import Layout, lay_out

CHARACTER, SMALL, PADDING = 8.2, 6.7, 32.0
LINE, HEAD = 19.0, 34.0
NARROWEST, WIDEST = 96.0, 320.0


def page_of(picture: Picture, title: str, subtitle: str) -> str:
    """Return the page."""
    sizes = [_size(card) for card in picture.cards]
    layout = lay_out(sizes, picture.wires)
    template = resources.files("relay.cli.drawing") / "page.html"
    return Template(template.read_text(encoding="utf-8")).substitute(
        title=_escape(title),
        subtitle=_escape(subtitle),
        data=json.dumps(_data(picture, sizes, layout), separators=(",", ":")).replace("</", "<\\/"),
    )


def _size(card: Card) -> tuple[float, float]:
    """Return the width and height that a card's text takes."""
    titles = max(len(line.title) for line in card.lines) * CHARACTER
    width = min(WIDEST, max(NARROWEST, max(titles, len(card.type) * SMALL) + PADDING))
    return width, HEAD + LINE * len(card.lines)


def _data(
    picture: Picture, sizes: Sequence[tuple[float, float]], layout: Layout
) -> dict[str, object]:
    cards = [
        {
            "x": round(x, 1),
            "y": round(y, 1),
            "w": round(width, 1),
            "h": height,
            "lines": [[line.title, line.family.value, line.attributes] for line in card.lines],
            "type": card.type,
            "facts": card.facts,
        }
        for card, (x, y), (width, height) in zip(picture.cards, layout.centres, sizes, strict=True)
    ]
    paths = [[[round(x, 1), round(y, 1)] for x, y in path] for path in layout.paths]
    wires = [
        {"from": source, "to": target, "path": path}
        for (source, target), path in zip(picture.wires, paths, strict=True)
    ]
    return {"cards": cards, "wires": wires, "width": layout.width, "height": layout.height}


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
