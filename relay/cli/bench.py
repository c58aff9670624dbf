"""Measure a model: run time, share of this machine's peak speed, compile time, memory, errors.

    relay bench model.onnx
    relay bench model.onnx --vs ort,torch --threads 1

Other engines are `ort` (ONNX Runtime) and `torch` (PyTorch, through the package onnx2torch). Every
engine runs in a process of its own, and they take turns. The error is the largest difference from
the outputs of the first engine of --vs, divided by their largest magnitude. Inputs without --input
are random numbers.
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from relay.build.code.interface_types import external_types_of, has_data
from relay.build.program_signature import inputs_of
from relay.cli.compare_engines import Result, check_engines, compare
from relay.cli.compile_options import add_threads
from relay.cli.console import console, table
from relay.cli.format_numbers import count_text, milliseconds
from relay.cli.input_options import add_inputs, feeds_of
from relay.cli.json_output import add_json, print_json
from relay.cli.open_model import COMPILED, add_model, open_module
from relay.cli.parse_arguments import at_least, names, shapes_of
from relay.runtime.code.signature import Spec, data_signature
from relay.runtime.executable import Executable
from relay.runtime.roofline import roofline
from relay.support.cpu_count import available_cpus
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    add_model(parser)
    parser.add_argument(
        "--vs",
        type=names,
        default=[],
        metavar="NAMES",
        help="engines to compare with, joined by commas: ort, torch",
    )
    parser.add_argument(
        "--rounds",
        type=at_least(1),
        default=5,
        metavar="N",
        help="measurements of each engine (default: 5)",
    )
    add_inputs(parser)
    add_threads(parser)
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: measure; return 1 if an engine failed."""
    peers: list[str] = options.vs
    check_engines(peers)
    _check_peers(options.model, peers)
    options.random = True
    feeds = {name: feed.plain for name, feed in feeds_of(_inputs(options), options).items()}
    threads = options.threads or available_cpus()
    err = console(stderr=True)
    with err.status("") as status:
        standings = compare(
            options.model,
            feeds,
            ["relay", *peers],
            threads=threads,
            rounds=options.rounds,
            reference=peers[0] if peers else "",
            news=status.update,
        )
    exit_status = int(any(s.failure for s in standings))
    if options.json:
        print_json({"threads": threads, "engines": [asdict(each) for each in standings]})
        return exit_status
    out = console()
    out.print(_table(standings, threads))
    out.print()
    out.print(_machine(threads), style="dim", soft_wrap=True)
    for failed in (s for s in standings if s.failure):
        out.print(f"{failed.engine} failed: {failed.failure}", style="red", soft_wrap=True)
    return exit_status


def _check_peers(model: Path, peers: Sequence[str]) -> None:
    """Raise `U020` if a peer is Relay, or is to run another model than an ONNX file."""
    if "relay" in peers:
        message = "the engine relay is always measured, so --vs cannot name it"
        raise UsageError(ErrorCode.U020, message, help="omit relay from --vs")
    if peers and model.suffix != ".onnx":
        raise UsageError(
            ErrorCode.U020,
            f"{' and '.join(peers)} can run ONNX files only, not '{model.name}'",
            help="omit --vs, or measure the model that was exported to ONNX",
        )


def _inputs(options: argparse.Namespace) -> Sequence[Spec]:
    if options.model.suffix == COMPILED:
        return Executable.load(options.model).signature.inputs
    module = open_module(options.model, shapes_of(options.shape))
    if has_data(module.main):
        return data_signature(external_types_of(module)).inputs
    return inputs_of(module.main)


def _table(standings: Sequence[Result], threads: int) -> Any:
    flops = next((s.flops for s in standings if s.flops), 0)
    names = ("median", "fastest", "GFLOP/s", "of peak", "cold", "warm", "memory", "error")
    grid = table("engine", *names, numbers=len(names))
    best = min((s.median for s in standings if not s.failure), default=0.0)
    for standing in standings:
        if standing.failure:
            grid.add_row(standing.engine, "failed", style="red")
        else:
            style = "bold" if standing.median == best and len(standings) > 1 else ""
            grid.add_row(*_cells(standing, flops, threads), style=style)
    return grid


def _cells(standing: Result, flops: int, threads: int) -> tuple[str, ...]:
    rate = flops / standing.median
    return (
        standing.version,
        milliseconds(standing.median),
        milliseconds(standing.least),
        f"{rate / 1e9:.1f}" if flops else "–",
        f"{rate / (roofline().peak * threads):.0%}" if flops else "–",
        milliseconds(standing.cold),
        milliseconds(standing.warm),
        count_text(standing.peak_bytes, "B") if standing.peak_bytes else "–",
        "–" if standing.error is None else f"{standing.error:.1e}",
    )


def _machine(threads: int) -> str:
    plural = "" if threads == 1 else "s"
    return (
        f"{threads} thread{plural}; peak of one core {roofline().peak / 1e9:.0f} GFLOP/s; cold "
        "and warm: from loading to the first result, with an empty and a full kernel cache"
    )
