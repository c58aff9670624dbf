"""Write the HTML drawing of a program to a file."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from relay.cli.console import console
from relay.cli.drawing.html_page import page_of
from relay.cli.drawing.pictures import picture_of_module
from relay.cli.format_numbers import count_text
from relay.ir.module import Module
from relay.support.write_file import write_text
from relay.transform.remarks import Remark


def draw(module: Module, remarks: Iterable[Remark], title: str, path: Path) -> None:
    """Write the drawing, and print a summary; raises `U015` if the file cannot be written."""
    picture = picture_of_module(module, remarks)
    cards = picture.every_card
    kinds = Counter("kernel" if card.is_kernel else "operation" for card in cards)
    wires = len(picture.wires) + sum(len(r.picture.wires) for card in cards for r in card.regions)
    subtitle = f"{len(cards)} nodes, {wires} edges"
    if kinds["kernel"]:
        plural = "" if kinds["kernel"] == 1 else "s"
        subtitle += f", {kinds['kernel']} fused kernel{plural}"
    page = page_of(picture, title, subtitle)
    write_text(path, page)
    size = count_text(path.stat().st_size, "B")
    console().print(f"{path}: {subtitle}, {size}", soft_wrap=True)
