"""Open a file as an executable or a module."""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from relay.build.compile import compile_module
from relay.cli.console import progress_bars
from relay.cli.shapes import shapes_of
from relay.frontend.load import load_program
from relay.ir.module import Module
from relay.runtime.executable import Executable
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

COMPILED = ".relay"


def add_model(parser: argparse.ArgumentParser, *, what: str = ".onnx, .rly or .relay") -> None:
    """Add the model argument to a command."""
    parser.add_argument("model", type=Path, metavar="MODEL", help=f"the file of a model: {what}")


def add_shapes(parser: argparse.ArgumentParser) -> None:
    """Add the shape options to a command."""
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=1,3,224,224",
        help="the shape of an input, for dimensions that the model leaves open; may be repeated",
    )


def add_compilation(parser: argparse.ArgumentParser) -> None:
    """Add the compilation options to a command."""
    add_shapes(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="threads of a call (all CPUs)")


def open_executable(options: argparse.Namespace) -> tuple[Executable, float]:
    """Return the executable that the options describe, and the seconds until it was ready."""
    start = time.perf_counter()
    shapes = shapes_of(options.shape)
    if options.model.suffix == COMPILED:
        executable = Executable.load(options.model, threads=options.threads)
    else:
        with progress_bars() as listen:
            module = open_module(options.model, shapes)
            names = getattr(options, "compilers", None) or ""
            executable = compile_module(
                module, target=getattr(options, "target", None), threads=options.threads,
                compilers=[each for each in names.split(",") if each], progress=listen,
            )  # fmt: skip
    return executable, time.perf_counter() - start


def open_module(path: Path, shapes: Mapping[str, Sequence[int]] | None = None) -> Module:
    """Return the program in a file; raises `U014` for a compiled one."""
    if path.suffix == COMPILED:
        raise UsageError(
            ErrorCode.U014,
            f"{path} is compiled: its program is no longer in it",
            help="give the model that it was compiled from",
        )
    return load_program(path, shapes)
