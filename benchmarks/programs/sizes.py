"""A model with symbolic sizes compared with the same model compiled for each size.

`python -m benchmarks.programs.sizes` calls a transformer block and an LSTM with batches and lengths
from 1 to 257, compares values with NumPy and processor times with programs compiled for exactly
these sizes, and writes `benchmarks/results/program_sizes.md`. `--every` only checks values, at all
sizes in between.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import relay
from benchmarks.harness import relative_error
from benchmarks.machine import machine_line
from benchmarks.programs.open_models import WIDTH, block, lstm
from benchmarks.programs.weights import Drawing
from benchmarks.report import RESULTS, row

SIZES = (1, 2, 3, 5, 8, 9, 15, 16, 17, 31, 32, 33, 50, 64, 65, 100, 127, 128, 129, 192, 256, 257)
BESIDE = 16  # the size of the axis that stays
OTHERS = (1, 3, BESIDE)  # beside which all sizes are checked
SECONDS = 0.1
NOTE = f"""\
One thread; one axis has the sizes {", ".join(map(str, SIZES))}, the other is {BESIDE}.
`open` is the program for any size, `closed` the one for that size: the least processor times of a
call, measured in turns. `compile s` is from the function to the result of the first size, then of
all further ones together."""

Shape = tuple[int, int, int]
ShapeOf = Callable[[int, int], Shape]
Case = tuple[str, Any, ShapeOf]

CASES: Sequence[Case] = (
    ("transformer, batch", block, lambda size, other: (size, other, WIDTH)),
    ("transformer, length", block, lambda size, other: (other, size, WIDTH)),
    ("LSTM, batch", lstm, lambda size, other: (other, size, WIDTH)),
    ("LSTM, length", lstm, lambda size, other: (size, other, WIDTH)),
)


@dataclass(frozen=True)
class Ratio:
    """The times of the symbolic and the static program at one size."""

    size: int
    open: float
    closed: float

    @property
    def ratio(self) -> float:
        """Return the time of the symbolic program over that of the static one."""
        return self.open / self.closed


def compared(model: Any, opened: Any, shape: Shape, size: int) -> Ratio:
    """Measure the symbolic program and one for this shape in alternation."""
    x = Drawing(11).normal(*shape)
    closed = relay.compile(model, threads=1, shapes={"x": shape})
    best = [float("inf"), float("inf")]
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for place, program in enumerate((opened, closed)):
            begun = time.process_time()
            program(x)
            best[place] = min(best[place], time.process_time() - begun)
    return Ratio(size, best[0], best[1])


def largest_error(model: Any, opened: Any, shapes: Iterable[Shape]) -> float:
    """Return the largest error of the symbolic program against NumPy in double precision."""
    worst = 0.0
    for shape in shapes:
        x = Drawing(11).normal(*shape)
        expected = model.python(x.astype(np.float64)).astype(np.float32)
        worst = max(worst, relative_error([opened(x)], [expected]))
    return worst


def measured(model: Any, shape_of: ShapeOf) -> Iterator[str]:
    """Return the cells of a model's row: compile times, the worst size, the mean and the error."""
    shapes = [shape_of(size, BESIDE) for size in SIZES]
    started = time.perf_counter()
    opened = relay.compile(model, threads=1)
    opened(Drawing(11).normal(*shapes[0]))
    first = time.perf_counter()
    for shape in shapes[1:]:
        opened(Drawing(11).normal(*shape))
    rest = time.perf_counter() - first
    pairs = zip(shapes, SIZES, strict=True)
    ratios = [compared(model, opened, shape, size) for shape, size in pairs]
    worst = max(ratios, key=lambda each: each.ratio)
    mean = float(np.exp(np.mean([np.log(each.ratio) for each in ratios])))
    yield f"{first - started:.2f} + {rest:.2f}"
    yield f"{worst.ratio:.2f}× at {worst.size}"
    yield f"{worst.open * 1e6:.1f} / {worst.closed * 1e6:.1f}"
    yield f"{mean:.2f}×"
    yield f"{largest_error(model, opened, shapes):.1e}"


def check_every() -> None:
    """Print the largest error of each model over all sizes."""
    for name, model, shape_of in CASES:
        opened = relay.compile(model, threads=1)
        shapes = [shape_of(n, other) for other in OTHERS for n in range(1, max(SIZES) + 1)]
        print(
            f"{name}: {largest_error(model, opened, shapes):.1e}, {len(shapes)} shapes", flush=True
        )


def main() -> None:
    """Measure, print, and keep the page unless told not to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", action="store_true", help="only check the values of all sizes")
    parser.add_argument("--dry", action="store_true", help="print only, keep no results")
    options = parser.parse_args()
    if options.every:
        check_every()
        return
    page = ["# Programs: open sizes", "", machine_line(), "", NOTE, ""]
    head = ("model, axis", "compile s", "worst", "open / closed µs", "mean", "error")
    page += [row(head), row("---" for _ in head)]
    for name, model, shape_of in CASES:
        page.append(row((name, *measured(model, shape_of))))
        print(page[-1], flush=True)
    if not options.dry:
        (RESULTS / "program_sizes.md").write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
