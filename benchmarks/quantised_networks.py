"""Networks quantised by ONNX Runtime, compared with ONNX Runtime and with float32.

    python -m benchmarks.quantised_networks [--rounds 15] [--note TEXT] [network …]

Each benchmark network is quantised statically with random inputs: uint8 data, int8 weights with a
scale for each channel, as a model that dequantises and quantises between operators (QDQ).
Everything runs in this process on one thread; engines alternate, and a time is the minimum
processor time of all rounds, which other load affects little. The note is written below the
description of the machine.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime import quantization

import relay
from benchmarks.cache import cache_directory
from benchmarks.networks.catalogue import NETWORKS, Feeds, Network
from benchmarks.page import Page, least

RESULT = Path(__file__).parent / "results" / "quantised_networks.md"
USUAL = ("resnet18", "mobilenet_v2", "encoder6", "mlp64")
Run = Callable[[], Sequence[Any]]


class _Calibration(quantization.CalibrationDataReader):
    """The inputs from which value ranges are determined."""

    def __init__(self, feeds: Feeds) -> None:
        self._left: Iterator[Feeds] = iter([feeds])

    def get_next(self) -> Feeds | None:
        """Return the next inputs."""
        return next(self._left, None)


def quantised(network: Network) -> Path:
    """Return the path of a quantised network in the cache, written on first use."""
    path = cache_directory("networks") / f"{network.name}-{network.seed}-qdq.onnx"
    if not path.exists():
        quantization.quantize_static(
            network.onnx_file(), path, _Calibration(network.feeds()), per_channel=True,
            quant_format=quantization.QuantFormat.QDQ,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
        )  # fmt: skip
    return path


def ours(path: Path, feeds: Feeds) -> Run:
    """Return a run of Relay."""
    compiled: Any = relay.compile(relay.load(path), threads=1)

    def run() -> Sequence[Any]:
        found = compiled(**feeds)
        return found if isinstance(found, tuple) else (found,)

    return run


def theirs(path: Path, feeds: Feeds) -> Run:
    """Return a run of ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session: Any = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
    return lambda: session.run(None, feeds)


def row(network: Network, rounds: int) -> list[str]:
    """Return the cells of a row of the table."""
    feeds, path = network.feeds(), quantised(network)
    runs = [ours(path, feeds), theirs(path, feeds), ours(network.onnx_file(), feeds)]
    results = [run() for run in runs]
    times = mine, other, floats = least(runs, rounds)
    errors = [_distance(each, results[2]) for each in results[:2]]
    cells = [network.name, *(f"{seconds * 1e3:.2f}" for seconds in times)]
    return [
        *cells, f"{other / mine:.2f}×", f"{floats / mine:.2f}×", *(f"{e:.3f}" for e in errors)
    ]  # fmt: skip


def _distance(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """Return the distance of results, relative to the length of those that are wanted."""
    pairs = zip(found, wanted, strict=True)
    parts = [(np.linalg.norm(a - b), np.linalg.norm(b)) for a, b in pairs]
    return float(np.hypot.reduce([a for a, _ in parts]) / np.hypot.reduce([b for _, b in parts]))


TEXT = """
One thread; milliseconds of processor time, the least of {rounds} rounds in which engines alternate:
Relay, ONNX Runtime (ORT), and Relay for the network in float32.
*Error* is the distance from the results in float32, relative to their length.

| network | Relay | ORT {version} | float32 | Relay is | than float32 | error | of ORT |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=USUAL)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    page = Page(RESULT, "Quantised networks", given.note)
    page.add(TEXT.format(rounds=given.rounds, version=onnxruntime.__version__))
    for name in given.networks:
        page.add_row(row(NETWORKS[name], given.rounds))
    page.save()


if __name__ == "__main__":
    main()
