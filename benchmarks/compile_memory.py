"""Peak memory of compiling networks, beside ONNX Runtime's: `python -m benchmarks.compile_memory`.

Writes `benchmarks/results/compile_memory.md`. `--before FOLDER` also measures the Relay in another
checkout.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.contenders.case import Case
from benchmarks.harness import HERE, Contender
from benchmarks.networks import NETWORKS, Network
from benchmarks.page import Page
from benchmarks.report import RESULTS

MEGABYTE = 1 << 20

NOTE = """\
The peak memory of a process, in MB of 2²⁰ bytes, after it has loaded a network, compiled it for one
thread and bound its inputs. `cold` compiles all kernels, `warm` reads them from the cache; `ratio`
is the larger of the two over ONNX Runtime's peak, which varies: for `bert`, it was 564 in another
run."""


def main() -> None:
    """Measure the chosen networks, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="bert,vgg16,resnet50", help="names, joined by commas")
    parser.add_argument("--before", type=Path, help="the folder of a checkout to compare with")
    options = parser.parse_args()
    page = Page(RESULTS / "compile_memory.md", "Peak memory of compilations", NOTE)
    page.add("\n")
    headings = [
        "model",
        "file",
        "before: cold",
        "warm",
        "now: cold",
        "warm",
        "ONNX Runtime",
        "ratio",
    ]
    page.add_row(headings)
    page.add_row("---" for _ in headings)
    for name in options.models.split(","):
        page.add_row([name, *_cells(NETWORKS[name], options.before)])
    page.save()


def _cells(network: Network, before: Path | None) -> list[str]:
    earlier = [None, None] if before is None else _peaks(network, "relay", before)
    now, (_, other) = _peaks(network, "relay"), _peaks(network, "ort")
    sizes = [network.onnx_file().stat().st_size, *earlier, *now, other]
    shown = ["–" if each is None else f"{each / MEGABYTE:.0f}" for each in sizes]
    return [*shown, f"{max(now) / other:.2f}"]


def _peaks(network: Network, engine: str, checkout: Path = HERE) -> tuple[int, int]:
    """Return the peak bytes of two processes that share a compile cache: cold and warm."""
    with tempfile.TemporaryDirectory() as folder:
        feeds = Path(folder) / "feeds.npz"
        np.savez(feeds, **network.feeds())  # pyright: ignore[reportArgumentType] - no feed is a flag
        case = Case(network.onnx_file(), feeds, 1, network.name)
        return _peak(case, engine, checkout), _peak(case, engine, checkout)


def _peak(case: Case, engine: str, checkout: Path) -> int:
    with Contender(engine, case.threads, case.feeds.parent, checkout=checkout) as process:
        process.load(case)
        return process.ask("memory")["peak_bytes"]


if __name__ == "__main__":
    main()
