"""Write a picture as a self-contained HTML page with pan, zoom, search and click."""

import json
from importlib import resources
from string import Template

from relay.cli.drawing.cards import Picture
from relay.cli.drawing.nested_layout import Arrangement, Placed, RegionBox, arrange


def page_of(picture: Picture, title: str, subtitle: str) -> str:
    """Return the HTML page."""
    template = resources.files("relay.cli.drawing") / "page.html"
    data = json.dumps(_data(arrange(picture)), separators=(",", ":"))
    return Template(template.read_text(encoding="utf-8")).substitute(
        title=_escape(title),
        subtitle=_escape(subtitle),
        data=data.replace("<", "\\u003c"),  # so that no text ends the script, or opens a comment
    )


def _data(whole: Arrangement) -> dict[str, object]:
    wires = [
        {"from": source, "to": target, "path": [[round(x, 1), round(y, 1)] for x, y in path]}
        for source, target, path in whole.wires
    ]
    size = {"width": whole.width, "height": whole.height}
    return {"cards": [_card(each) for each in whole.cards], "wires": wires, **size}


def _card(placed: Placed) -> dict[str, object]:
    card = placed.card
    return {
        "x": round(placed.x, 1),
        "y": round(placed.y, 1),
        "w": round(placed.width, 1),
        "h": round(placed.height, 1),
        "frames": [_frame(each) for each in placed.frames],
        "lines": [[line.title, line.family.value, line.attributes] for line in card.lines],
        "type": card.type,
        "facts": card.facts,
    }


def _frame(frame: RegionBox) -> dict[str, object]:
    return {
        "title": frame.title,
        "x": round(frame.left, 1),
        "y": round(frame.top, 1),
        "w": round(frame.width, 1),
        "h": round(frame.height, 1),
    }


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
