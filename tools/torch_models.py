"""Import networks of torchvision and transformers by every import path, and compare with PyTorch.

    python tools/torch_models.py [--write] [--roads export,script] [NAME …]

It needs the packages torchvision and transformers; traces of decoders need transformers 4.51, as
later versions make masks by `vmap`, which PyTorch cannot trace. Every network of
`torch_architectures` gets random weights, is imported by each path ("road"), compiled, and compared
with PyTorch's own results. Each network has a separate process, and each path a time limit. With
`--write` the results, added to those of earlier runs, become `benchmarks/results/torch_models.md`.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch_architectures import ARCHITECTURES, Architecture, Inputs, built

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.interop.torch import relay_backend
from relay.ir.dims import DimVar
from relay.support.errors import RelayError

TOLERANCE = 1e-4
"""The largest allowed difference of results, divided by the largest element."""

COMPARABLE = 1e-2
"""Twice the error of PyTorch itself beyond which its results are no reference."""

jit: Any = torch.jit

STEPS = 5
"""The number of steps of training."""

PAGE = Path("benchmarks/results/torch_models.md")
DATA = PAGE.with_suffix(".json")


@dataclass(frozen=True)
class Outcome:
    """The outcome for a network and an import path: a kind, the error or reason, the revision."""

    kind: str
    text: str
    revision: str = ""


AGREES, DIFFERS, REFUSED, FAILED = "agrees", "differs", "refused", "failed"
LATE, CRASHED = "not ended", "crashed"
NOT_EXPORTED = "not exported"
"""The outcome if PyTorch itself cannot export the network."""


class TorchError(Exception):
    """An error of PyTorch before Relay sees the network."""


Run = Callable[[Inputs], Sequence[Any]]
Road = Callable[[Architecture, nn.Module], Any]
"""A function that returns the compiled network and the batch sizes at which it is tested."""


def export(architecture: Architecture, model: nn.Module) -> tuple[Run, Sequence[int]]:
    """Import the network by `torch.export`, for one batch size."""
    return _compiled(_exported(model, architecture.inputs(2), None)), [2]


def export_any(architecture: Architecture, model: nn.Module) -> tuple[Run, Sequence[int]]:
    """Import the network by `torch.export`, for any batch size."""
    inputs = architecture.inputs(2)
    shapes = tuple({0: torch.export.Dim("batch", min=2, max=64)} for _ in inputs)
    return _compiled(_exported(model, inputs, shapes)), [2, 3]


def _exported(model: nn.Module, inputs: Inputs, shapes: object) -> Any:
    try:
        return torch.export.export(model, inputs, dynamic_shapes=cast("Any", shapes), strict=False)
    except Exception as error:
        raise TorchError(f"{type(error).__name__}: {error}") from error


def script(architecture: Architecture, model: nn.Module) -> tuple[Run, Sequence[int]]:
    """Script or trace the network, for one batch size."""
    inputs = architecture.inputs(2)
    source = _script(architecture, model, inputs)
    return _runner(relay.compile(source, inputs, threads=1)), [2]


def script_any(architecture: Architecture, model: nn.Module) -> tuple[Run, Sequence[int]]:
    """Script or trace the network, for any batch size."""
    inputs = architecture.inputs(2)
    batch = DimVar("batch")
    infos = [
        (f"x{index}", ((batch, *x.shape[1:]), str(x.dtype).removeprefix("torch.")))
        for index, x in enumerate(inputs)
    ]
    source = _script(architecture, model, inputs)
    return _compiled(relay.frontend.from_pytorch(source, infos)[0]), [2, 3]


def _script(architecture: Architecture, model: nn.Module, inputs: Inputs) -> Any:
    try:
        if architecture.scripted:
            return jit.script(model)
        return jit.trace(model, inputs, strict=False, check_trace=False)
    except Exception as error:
        raise TorchError(f"{type(error).__name__}: {error}") from error


def inside(_: Architecture, model: nn.Module) -> tuple[Run, Sequence[int]]:
    """Compile the network by `torch.compile`."""
    compiled = _inside(model)

    def run(inputs: Inputs) -> Sequence[Any]:
        with torch.no_grad():
            return _arrays(compiled(*inputs))

    return run, [2]


def _inside(model: nn.Module) -> Any:
    library: Any = torch
    return library.compile(model, backend=relay_backend, options={"threads": 1})


def training(architecture: Architecture, model: nn.Module) -> Outcome:
    """Train the network by `torch.compile` and by PyTorch alone, and compare the losses."""
    losses = [_losses(architecture, model, compiled) for compiled in (True, False)]
    found, expected = np.array(losses)
    worst = float(np.abs(found - expected).max() / np.abs(expected).max())
    kind = AGREES if worst <= TOLERANCE and expected[-1] < expected[0] else DIFFERS
    return Outcome(kind, f"{expected[0]:.4g} to {expected[-1]:.4g}, {worst:.0e}")


def _losses(architecture: Architecture, model: nn.Module, compiled: bool) -> list[float]:
    """Return the loss before each of a few training steps, whose target is zero."""
    own = deepcopy(model).train()
    for each in own.modules():
        for name in ("p", "dropout_prob"):  # of layers of PyTorch, and of attention of transformers
            if isinstance(getattr(each, name, None), float):
                setattr(each, name, 0.0)
    net: Any = _inside(own) if compiled else own
    optimizer = torch.optim.SGD(own.parameters(), 1e-3)
    torch.manual_seed(0)
    inputs, losses = architecture.inputs(4), list[float]()
    for _ in range(STEPS):
        results: list[Any] = pytree.tree_leaves(net(*inputs))
        loss = results[0].square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def _compiled(source: Any) -> Run:
    return _runner(relay.compile(source, threads=1))


def _runner(executable: Any) -> Run:
    return lambda inputs: _arrays(executable(*inputs))


def _arrays(results: Any) -> list[Any]:
    leaves: list[Any] = pytree.tree_leaves(results)
    return [np.asarray(each) for each in leaves if each is not None]


ROADS: Mapping[str, Road] = {
    "export": export,
    "export at any batch": export_any,
    "script": script,
    "script at any batch": script_any,
    "torch.compile": inside,
    "training": training,
}

TRAINED = (
    "resnet18",
    "squeezenet1_1",
    "transformers.bert",
    "transformers.gpt2",
    "transformers.vit",
)
"""The networks that are trained."""


def outcome(architecture: Architecture, model: nn.Module, road: Road) -> Outcome:
    """Import and check one network by one path."""
    try:
        if road is training:
            return training(architecture, model)
        run, batches = road(architecture, model)
        worst = max(_error(architecture, model, run, batch) for batch in batches)
        if TOLERANCE < worst < float("inf"):
            return _beside_rounding(architecture, model, worst, batches[0])
    except TorchError as error:
        return Outcome(NOT_EXPORTED, _short(error))
    except RelayError as error:
        return Outcome(REFUSED, f"{error.code} {_short(error)}")
    except Exception as error:  # noqa: BLE001 - a defect, which is counted
        own = _cause(error)
        if own is not None:
            return Outcome(REFUSED, f"{own.code} {_short(own)}")
        return Outcome(FAILED, f"{type(error).__name__}: {_short(error)}")
    return Outcome(AGREES if worst <= TOLERANCE else DIFFERS, f"{worst:.0e}")


def _beside_rounding(
    architecture: Architecture, model: nn.Module, worst: float, batch: int
) -> Outcome:
    """Compare an error with PyTorch's own rounding error, measured in double precision."""
    precise = deepcopy(model).double()

    def run(inputs: Inputs) -> Sequence[Any]:
        with torch.no_grad():
            return _arrays(precise(*(x.double() if x.is_floating_point() else x for x in inputs)))

    own = _error(architecture, model, run, batch)
    agrees = worst <= 2 * own < COMPARABLE
    return Outcome(AGREES if agrees else DIFFERS, f"{worst:.0e} (PyTorch {own:.0e})")


def _cause(error: BaseException | None) -> RelayError | None:
    """Return Relay's error behind an error of `torch.compile`."""
    while error is not None and not isinstance(error, RelayError):
        error = error.__cause__ or error.__context__
    return error


def _short(error: Exception) -> str:
    text = error.message if isinstance(error, RelayError) else str(error)
    return " ".join(text.split())[:160]


def _error(architecture: Architecture, model: nn.Module, run: Run, batch: int) -> float:
    """Return the largest difference from PyTorch's results, divided by their largest element."""
    torch.manual_seed(batch)
    inputs = architecture.inputs(batch)
    with torch.no_grad():
        expected = _arrays(model(*inputs))
    found = run(inputs)
    if [x.shape for x in found] != [x.shape for x in expected]:
        return float("inf")
    if architecture.family == "detection":
        found = _aligned(found, expected)
    return max(_difference(*pair) for pair in zip(found, expected, strict=True))


def _aligned(found: Sequence[Any], expected: Sequence[Any]) -> Sequence[Any]:
    """Return detections in the order of the most similar expected ones.

    Detections are ordered by score, so rounding decides the order of nearly equal scores.
    """
    ours, wanted = (
        np.concatenate([x.reshape(len(x), -1).astype(np.float64) for x in each], axis=1)
        for each in (found, expected)
    )
    order = list[int]()
    for row in wanted:
        distances = np.abs(ours - row).max(axis=1)
        distances[order] = np.inf
        order.append(int(distances.argmin()))
    return [each[order] for each in found]


def _difference(found: Any, expected: Any) -> float:
    if not expected.size:
        return 0.0
    wide, wanted = found.astype(np.float64), expected.astype(np.float64)
    scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
    same = (wide == wanted) | (np.isnan(wide) & np.isnan(wanted))
    return float(np.where(same, 0.0, np.nan_to_num(np.abs(wide - wanted), nan=np.inf)).max()
                 / max(scale, 1e-6))  # fmt: skip


def _serve(name: str, roads: Sequence[str], results: Connection) -> None:
    """Try a network with several import paths in a child process, and send the outcomes."""
    warnings.simplefilter("ignore")
    os.nice(10)
    torch.set_num_threads(1)
    architecture = ARCHITECTURES[name]
    model = built(architecture)
    for road in roads:
        results.send(outcome(architecture, model, ROADS[road]))


def tried(name: str, roads: Sequence[str], seconds: float) -> dict[str, Outcome]:
    """Return the outcome of each import path; after a timeout, a new process continues."""
    found: dict[str, Outcome] = {}
    forks = multiprocessing.get_context("fork")
    while len(found) < len(roads):
        rest = list(roads)[len(found) :]
        ours, theirs = forks.Pipe(duplex=False)
        process = forks.Process(target=_serve, args=(name, rest, theirs))
        process.start()
        theirs.close()
        for road in rest:
            found[road] = _received(ours, seconds)
            print(f"{name:<40}{road:<20}{found[road].kind:<14}{found[road].text}", flush=True)
            if found[road].kind in (LATE, CRASHED):
                break
        process.kill()
        process.join()
    return found


def _received(results: Any, seconds: float) -> Outcome:
    if not results.poll(seconds):
        return Outcome(LATE, f"after {seconds:.0f} s")
    try:
        return cast("Outcome", results.recv())
    except EOFError:
        return Outcome(CRASHED, "the process ended")


def main() -> None:
    """Try networks with import paths, all or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="networks, or the beginnings of their names")
    parser.add_argument("--roads", default=",".join(ROADS), help="separated by commas")
    parser.add_argument("--seconds", type=float, default=300, help="the time for each road")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    options = parser.parse_args()
    roads = options.roads.split(",")
    chosen = [
        name
        for name in ARCHITECTURES
        if not options.names or any(name.startswith(each) for each in options.names)
    ]
    for package in ("torchvision.models", "transformers", "torch._dynamo"):
        import_module(package)
    known, revision = _read(), _revision()
    for name in chosen:
        allowed = [each for each in roads if _is_tried(name, each)]
        found = tried(name, allowed, options.seconds)
        known.setdefault(name, {}).update(
            {road: replace(each, revision=revision) for road, each in found.items()}
        )
        if options.write:
            DATA.write_text(json.dumps({n: {r: asdict(o) for r, o in each.items()}
                            for n, each in known.items()}, indent=1))  # fmt: skip
            PAGE.write_text(report(known))


def _is_tried(name: str, road: str) -> bool:
    if ROADS[road] is training:
        return name in TRAINED
    return ARCHITECTURES[name].any_batch or "any batch" not in road


def _revision() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _read() -> dict[str, dict[str, Outcome]]:
    """Return the results of earlier runs."""
    read: Mapping[str, Mapping[str, Any]] = json.loads(DATA.read_text()) if DATA.exists() else {}
    return {n: {road: Outcome(**each) for road, each in roads.items()} for n, roads in read.items()}


_HEAD = """\
# Networks of torchvision and transformers

PyTorch {torch}, torchvision {torchvision}, transformers {transformers}; random weights;
`python tools/torch_models.py --write`.

A number is the largest difference from PyTorch's own results, divided by their largest element; at
most {tolerance:g} agrees. So does at most twice the error of PyTorch itself, in brackets: the
difference from its results in double precision, which the boxes of detectors make large. Each
detection is compared, with its score, to the most similar one of PyTorch, as rounding decides the
order of nearly equal scores. Programs are compiled for one thread. "At any batch": compiled once,
run at two sizes. Training: the first and the last of five losses, and the largest difference from
PyTorch's. A dash: no result yet.
Traces of decoders are those of transformers 4.51.3. Results ran at: {revisions}.

"""


def report(known: Mapping[str, Mapping[str, Outcome]]) -> str:
    """Return the page: totals for each import path, all networks, and reasons for failures."""
    versions = {each: import_module(each).__version__ for each in
                ("torch", "torchvision", "transformers")}  # fmt: skip
    ran = Counter(each.revision for roads in known.values() for each in roads.values())
    revisions = ", ".join(f"{name} ({count})" for name, count in ran.most_common())
    head = _HEAD.format(tolerance=TOLERANCE, revisions=revisions, **versions)
    lines = [head + "| road | agree | of |\n|---|---|---|"]
    for road in ROADS:
        kinds = Counter(each[road].kind for each in known.values() if road in each)
        lines.append(f"| {road} | {kinds[AGREES]} | {kinds.total() - kinds[NOT_EXPORTED]} |")
    lines.append(f"\n| network | {' | '.join(ROADS)} |\n|---|{'---|' * len(ROADS)}")
    reasons: list[str] = []
    for name, outcomes in known.items():
        cells = [_cell(outcomes.get(road)) for road in ROADS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        reasons += [
            f"| {name} | {road} | {each.kind}: {each.text.replace('|', '/')} |"
            for road, each in outcomes.items()
            if each.kind not in (AGREES, DIFFERS)
        ]
    failures = "\n## What does not run\n\n| network | road | reason |\n|---|---|---|"
    return "\n".join([*lines, *([failures, *reasons] if reasons else [])]) + "\n"


def _cell(of: Outcome | None) -> str:
    if of is None:
        return "–"
    return {AGREES: of.text, DIFFERS: f"**{of.text}**"}.get(of.kind, of.kind)


if __name__ == "__main__":
    main()
