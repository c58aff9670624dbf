"""Compare the speed of PyTorch's models imported directly with that of their ONNX exports.

    python tools/import_speed.py [resnet50] [bert] [--rounds 30] [--kernels]

Needs torchvision and transformers. Each network is imported from `torch.export`, from TorchScript
and from ONNX, compiled for one thread, and run in alternating rounds. A line for each gives the
milliseconds of the fastest round, the ratio to ONNX, the largest difference from PyTorch, and the
numbers of kernels. It takes an otherwise idle machine. With `--kernels` nothing is run: a line has
the number of kernels, and how many of them are those of ONNX, with the same LLVM text.
"""

# What PyTorch gives has no types.
# pyright: reportUnknownLambdaType=none, reportUnknownArgumentType=none

import io
import sys
import warnings
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
from emitted import emitted
from import_times import torch_bert

import relay
from relay.targets.registry import target_for

jit: Any = torch.jit
to_onnx: Any = torch.onnx


def resnet50() -> tuple[Any, Any]:
    """Return ResNet-50 of torchvision, and an image."""
    models: Any = import_module("torchvision.models")
    return models.resnet50(weights=None).eval(), (torch.randn(1, 3, 224, 224),)


NETWORKS: Mapping[str, Callable[[], tuple[Any, Any]]] = {"resnet50": resnet50, "bert": torch_bert}


def onnx_module(model: Any, inputs: Any) -> Any:
    """Return the ONNX export of a network as a module."""
    data = io.BytesIO()
    to_onnx.export(model, inputs, data, dynamo=False)
    return relay.load(data.getvalue())


def script_module(model: Any, inputs: Any) -> Any:
    """Return the trace of a network as a module."""
    infos = [(f"x{i}", (tuple(x.shape), str(x.dtype)[6:])) for i, x in enumerate(inputs)]
    trace = jit.trace(model, inputs, check_trace=False)
    return relay.frontend.from_pytorch(trace, infos)[0].module


def exported_module(model: Any, inputs: Any) -> Any:
    """Return the `torch.export` of a network as a module."""
    return relay.load(torch.export.export(model, inputs, strict=False))


ROADS: Mapping[str, Callable[[Any, Any], Any]] = {
    "onnx": onnx_module,
    "torch.export": exported_module,
    "TorchScript": script_module,
}


def compare(name: str, rounds: int) -> None:
    """Print a line for each import path of a network: `torch.export`, TorchScript and ONNX."""
    model, inputs = NETWORKS[name]()
    programs = {road: relay.compile(make(model, inputs), threads=1) for road, make in ROADS.items()}
    arrays = [x.numpy() for x in inputs]
    with torch.no_grad():
        expected = model(*inputs).numpy()
    errors = {road: _error(program(*arrays), expected) for road, program in programs.items()}
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(rounds):
        for road, program in programs.items():
            begin = perf_counter()
            program(*arrays)
            best[road] = min(best[road], perf_counter() - begin)
    for road, seconds in best.items():
        ratio, count = seconds / best["onnx"], len(programs[road].compilation().schedules)
        print(f"{name:<10}{road:<14}{seconds * 1e3:9.2f} ms{ratio:8.3f}"
              f"{errors[road]:10.1e}{count:6} kernels", flush=True)  # fmt: skip


def _error(found: Any, expected: Any) -> float:
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


def compare_kernels(name: str) -> None:
    """Print for each import path how many of its kernels are identical to those of ONNX."""
    model, inputs = NETWORKS[name]()
    host = target_for(None)
    texts = {road: Counter(emitted(make(model, inputs), host)) for road, make in ROADS.items()}
    for road, found in texts.items():
        same = (found & texts["onnx"]).total()
        print(f"{name:<10}{road:<14}{found.total():6} kernels{same:6} of ONNX", flush=True)


def main() -> None:
    """Compare the networks that are named, or both."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(NETWORKS))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--kernels", action="store_true", help="compare the kernels only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.names or NETWORKS:
        if options.kernels:
            compare_kernels(name)
        else:
            compare(name, options.rounds)


if __name__ == "__main__":
    main()
