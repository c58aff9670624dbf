"""Whole networks restricted to AVX2 instructions: `python -m benchmarks.avx2 [--models resnet18]`.

On a processor with AVX-512, Relay compiles for x86-64-v3, and environment variables restrict
PyTorch and OpenVINO to AVX2. ONNX Runtime cannot be restricted: it is the reference for values, and
its times are printed separately. Writes `benchmarks/results/avx2.md`.
"""

import argparse
from pathlib import Path
from typing import Any

import relay
from benchmarks.harness import Measurement, measure
from benchmarks.networks import NETWORKS
from benchmarks.page import Page
from benchmarks.roofline import peak

RESULT = Path(__file__).parents[1] / "results" / "avx2.md"
USUAL = ("resnet18", "resnet50", "vgg16", "mobilenet_v2", "dqn", "bert_decomposed", "encoder6")
ENGINES = ("relay", "torch", "openvino", "ort")
LANES = 8  # floats in a vector of AVX2
NOTE = """One thread, medians of alternating rounds, a process for each engine. *Relay is* divides
the best median of PyTorch and OpenVINO by Relay's: above 1 Relay is faster. *Share* is the
operations of the direct form, over Relay's time, of the peak of AVX2 measured here; Winograd's
convolutions have fewer. PyTorch proves that it obeys (`get_cpu_capability`), OpenVINO by the names
of its primitives, but for its products of matrices by MLAS, which are those of AVX-512, as is all
of ONNX Runtime."""


def operations(model: Path) -> int:
    """Return the floating-point operations of a network."""
    program: Any = relay.compile(relay.load(model), target="x86-64-v3")
    return sum(step.flops for step in program.program.steps)


def main() -> None:
    """Measure the chosen networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(USUAL), help="names, joined by commas")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    page, limit = Page(RESULT, "Networks with the instructions of AVX2", NOTE), peak(LANES)
    page.add(f"\nPeak of one core: {limit / 1e9:.0f} GFLOP/s.\n\n")
    page.add_row(
        ("network", "Relay ms", "PyTorch", "OpenVINO", "ONNX Runtime", "Relay is", "share", "error")
    )
    page.add_row(["---"] * 8)
    for name in options.models.split(","):
        network = NETWORKS[name]
        path = network.onnx_file()
        found = measure(
            path, network.feeds(), ENGINES, 1, options.rounds, network.name, home="benchmarks.avx2"
        )
        page.add_row(
            cells(name, {each.contender: each for each in found}, operations(path) / limit)
        )
        page.save()


def cells(name: str, rows: dict[str, Measurement], least: float) -> list[str]:
    """Return a table row; `least` is the time of the operations at peak speed, in seconds."""
    medians = {engine: row.median_seconds for engine, row in rows.items() if row.median_seconds}
    for row in rows.values():
        assert row.contender != "relay" or not row.failure, row.failure
    times = [f"{medians[e] * 1e3:.2f}" if e in medians else "failed" for e in ENGINES]
    ours = medians["relay"]
    best = min(seconds for engine, seconds in medians.items() if engine in ("torch", "openvino"))
    return [
        name,
        *times,
        f"{best / ours:.2f}×",
        f"{least / ours:.2f}",
        f"{rows['relay'].error:.1e}",
    ]


if __name__ == "__main__":
    main()
