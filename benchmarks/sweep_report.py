"""Write a sweep's rows as JSON, as a page that lists the worst shapes, and as a plot."""

import json
import math
import statistics
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from benchmarks.machine import describe_machine, machine_line
from benchmarks.report import RESULTS
from benchmarks.roofline import Roofline

TOLERANCE = 1e-4  # of the largest magnitude; sums of up to some 10,000 float32 products
WORST = 10
Row = dict[str, Any]


def write_report(rows: Sequence[Row], roof: Roofline, *, keep: bool) -> None:
    """Print the page; with `keep`, also write it, the rows and the plot to the results."""
    page = "\n".join(_page(rows, roof)) + "\n"
    print(page)
    if not keep:
        return
    RESULTS.mkdir(exist_ok=True)
    stored = {"machine": describe_machine(), "peak": roof.peak, "bandwidths": roof.bandwidths}
    (RESULTS / "sweep.json").write_text(json.dumps({**stored, "rows": list(rows)}) + "\n")
    (RESULTS / "sweep.md").write_text(page)
    _plot(rows, roof)


def _of(rows: Sequence[Row], contender: str) -> list[Row]:
    return [row for row in rows if row["contender"] == contender]


def _contenders(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["contender"] for row in rows))


def _page(rows: Sequence[Row], roof: Roofline) -> list[str]:
    rates = ", ".join(f"{rate / 1e9:.0f} GB/s to {size >> 10} KB" for size, rate in roof.bandwidths)
    lines = ["# Random convolutions and matrix products, one thread", "", machine_line()]
    lines += ["", f"Measured peak of a core: {roof.peak / 1e9:.0f} GFLOP/s; copying: {rates}."]
    lines += ["", "A shape's roofline is the larger of operations over peak and least traffic"]
    lines += ["over bandwidth, plus what the engine takes for a call that computes one element."]
    lines += ["A share above 100 % means fewer operations than the direct form (Winograd)"]
    lines += ["or faster memory than a copy shows.", ""]
    lines += [
        "| engine | shapes | failed | wrong | median share | 10th percentile | ours, times faster |"
    ]
    lines += ["|---|---|---|---|---|---|---|"]
    names = _contenders(rows)
    lines += [_summary(rows, name) for name in names]
    for name in names:
        lines += _worst(_of(rows, name), name)
        lines += _failures(_of(rows, name), name)
    return lines


def _summary(rows: Sequence[Row], name: str) -> str:
    mine = _of(rows, name)
    shares = sorted(row["share"] for row in mine if row["share"])
    failed = sum(1 for row in mine if row["failure"])
    cells = [name, str(len(mine)), str(failed), str(len(_wrong(mine)))]
    if shares:
        cells += [f"{statistics.median(shares):.0%}", f"{shares[len(shares) // 10]:.0%}"]
    else:
        cells += ["–", "–"]
    return f"| {' | '.join([*cells, _mean_ratio(rows, name)])} |"


def _wrong(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["error"] is not None and not row["error"] <= TOLERANCE]


def _mean_ratio(rows: Sequence[Row], peer: str) -> str:
    """Return the geometric mean over shapes of the peer's time divided by Relay's."""
    ours = {row["shape"]: row["seconds"] for row in _of(rows, "relay") if row["seconds"]}
    pairs = [(ours[r["shape"]], r["seconds"]) for r in _of(rows, peer) if r["shape"] in ours]
    logs = [math.log(theirs / mine) for mine, theirs in pairs if theirs]
    if peer == "relay" or not logs:
        return "–"
    faster = sum(1 for value in logs if value > 0)
    return f"{math.exp(statistics.mean(logs)):.2f}× (faster on {faster} of {len(logs)})"


def _worst(rows: Sequence[Row], name: str) -> list[str]:
    measured = sorted((row for row in rows if row["share"]), key=lambda row: row["share"])
    lines = ["", f"## The {WORST} farthest below their roofline: {name}", ""]
    lines += ["| shape | of its roofline | GFLOP/s | µs | FLOP/byte |", "|---|---|---|---|---|"]
    for row in measured[:WORST]:
        rate, micro = row["flops"] / row["seconds"] / 1e9, row["seconds"] * 1e6
        cells = (row["shape"], f"{row['share']:.0%}", f"{rate:.1f}", f"{micro:.1f}")
        lines.append(f"| {' | '.join(cells)} | {row['intensity']:.1f} |")
    return lines if measured else []


def _failures(rows: Sequence[Row], name: str) -> list[str]:
    lines = [f"- {row['shape']}: wrong by {row['error']:.1e}" for row in _wrong(rows)]
    lines += [f"- {row['shape']}: {row['failure'][:120]}" for row in rows if row["failure"]]
    return ["", f"## Wrong or failed: {name}", "", *lines] if lines else []


def _plot(rows: Sequence[Row], roof: Roofline) -> None:
    mpl.use("svg")
    figure, axes = plt.subplots(figsize=(8, 5))
    for name in _contenders(rows):
        done = [row for row in _of(rows, name) if row["seconds"]]
        share = [100 * row["flops"] / row["seconds"] / roof.peak for row in done]
        axes.scatter([row["intensity"] for row in done], share, s=9, alpha=0.6, label=name)
    low, high = (f(row["intensity"] for row in rows) for f in (min, max))
    for size, rate in (roof.bandwidths[0], roof.bandwidths[-1]):
        limit = [min(100.0, 100 * x * rate / roof.peak) for x in (low, roof.peak / rate, high)]
        axes.plot([low, roof.peak / rate, high], limit, lw=1, label=f"bound at {size >> 10} KB")
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="% of peak")
    axes.set_title(f"one core, peak {roof.peak / 1e9:.0f} GFLOP/s")
    axes.legend()
    figure.savefig(RESULTS / "sweep.svg", metadata={"Date": None})
    plt.close(figure)
