"""What training shows: a progress bar with loss and speed, and a drawing of the loss.

It belongs to the other examples, and is no program by itself.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 320, 56, 36
COLOURS = ("#2563eb", "#d97706", "#059669")


class Report:
    """A progress bar, and the losses of all steps by name.

    `with Report("digits", steps) as report:` draws the bar; `report.step(loss)` moves it.
    """

    def __init__(self, title: str, steps: int) -> None:
        self.title = title
        self.losses: dict[str, list[tuple[int, float]]] = {}
        self._columns = (
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
        )  # fmt: skip
        self._progress = Progress(*self._columns)
        self._task = self._progress.add_task(title, total=steps, said="")
        self._count, self._begin = 0, time.perf_counter()

    def __enter__(self) -> Self:
        self._progress.start()
        self._begin = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def step(self, loss: float, steps: int = 1) -> None:
        """Note a loss behind some steps, and say how many steps a second there are."""
        self._count += steps
        self.note("training", loss)
        speed = self._count / (time.perf_counter() - self._begin)
        said = f"loss {loss:.4f}  {speed:.0f} steps/s"
        self._progress.update(self._task, advance=steps, said=said)

    def note(self, name: str, loss: float) -> None:
        """Note a number of another kind at this step, a loss on held-out data say."""
        self.losses.setdefault(name, []).append((self._count, float(loss)))

    def draw(self, path: Path) -> None:
        """Write the losses as a drawing in SVG, on a logarithmic scale."""
        path.write_text(drawing(self.title, self.losses), encoding="utf-8")
        print(f"the losses are drawn in {path}")


def drawing(title: str, losses: dict[str, list[tuple[int, float]]]) -> str:
    """Return curves of losses over steps as SVG."""
    points = [point for curve in losses.values() for point in curve]
    most = max(step for step, _ in points) or 1
    tops = np.log10([max(loss, 1e-8) for _, loss in points])
    low, high = np.floor(tops.min() * 2) / 2, np.ceil(tops.max() * 2) / 2 + 1e-9

    def place(step: float, loss: float) -> tuple[float, float]:
        right = LEFT + step / most * (WIDTH - LEFT - 16)
        share = (np.log10(max(loss, 1e-8)) - low) / (high - low)
        return right, HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - 40)

    parts = [f'<text x="{LEFT}" y="22" font-size="15">{title}: loss</text>']
    parts += _axes(place, most, low, high)
    for number, (name, curve) in enumerate(losses.items()):
        parts += _curve(name, curve, place, number)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    style = 'font-family="sans-serif" font-size="11" fill="#222"'
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return "\n".join([f"{head} {style}>", ground, *parts, "</svg>"]) + "\n"


Place = Callable[[float, float], tuple[float, float]]


def _axes(place: Place, most: int, low: float, high: float) -> list[str]:
    parts: list[str] = []
    for exponent in np.arange(low, high + 0.1, 0.5):
        x, y = place(0, 10.0**exponent)
        parts.append(f'<path d="M{x:.0f} {y:.1f}H{WIDTH - 16}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{x - 6:.0f}" y="{y + 4:.1f}" text-anchor="end">{10.0**exponent:.3g}</text>'
        )
    for step in np.linspace(0, most, 5):
        x, _ = place(step, 1.0)
        parts.append(f'<text x="{x:.0f}" y="{HEIGHT - 16}" text-anchor="middle">{step:.0f}</text>')
    return parts


def _curve(name: str, curve: Sequence[tuple[int, float]], place: Place, number: int) -> list[str]:
    """Return one curve, thinned to what can be seen, and its name."""
    colour = COLOURS[number % len(COLOURS)]
    groups = np.array_split(np.array(curve), min(len(curve), 200))
    points = [place(*group.mean(axis=0)) for group in groups]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    right = WIDTH - 16 - 90 * number
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        f'<text x="{right}" y="22" fill="{colour}" text-anchor="end">{name}</text>',
    ]
