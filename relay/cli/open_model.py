"""Open the model file of a command as an executable or as a module."""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from relay.build.compile import compile_module
from relay.cli.compile_options import compilation_of, ineffective, no_effect
from relay.cli.console import progress_bars
from relay.cli.parse_arguments import file_path
from relay.frontend.load import load_program
from relay.ir.module import Module
from relay.runtime.executable import Executable
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

COMPILED = ".relay"


def add_model(parser: argparse.ArgumentParser, *, compiled: bool = True) -> None:
    """Add the argument MODEL to a command; `compiled` if it may be a `.relay` file."""
    parser.add_argument(
        "model", type=file_path, metavar="MODEL", help=model_help(compiled=compiled)
    )


def model_help(*, compiled: bool = True) -> str:
    """Return the help text of a model argument; `compiled` if it may be a `.relay` file."""
    also = ", or a compiled .relay file" if compiled else ""
    return f"a model: .onnx, .tflite, .pt2, .keras, a SavedModel, .rly or another format{also}"


def open_executable(
    options: argparse.Namespace, *, remarks: bool = False
) -> tuple[Executable, float]:
    """Return the executable for the options of a command, and the seconds to prepare it.

    With `remarks`, compilation stores the remarks of passes.
    """
    start = time.perf_counter()
    if options.model.suffix == COMPILED:
        without_effect = ineffective(options)
        if without_effect:
            message = f"{no_effect(without_effect)}, because {options.model} is already compiled"
            raise UsageError(
                ErrorCode.U014, message, help="pass the options to `relay compile` instead"
            )
        executable = Executable.load(options.model, threads=options.threads)
    else:
        chosen = compilation_of(options)
        with progress_bars() as listen:
            module = open_module(options.model, chosen.pop("shapes"))
            executable = compile_module(module, progress=listen, remarks=remarks, **chosen)
    return executable, time.perf_counter() - start


def open_module(path: Path, shapes: Mapping[str, Sequence[int]] | None = None) -> Module:
    """Return the program in a file; raises `U014` for a compiled file."""
    if path.suffix == COMPILED:
        raise UsageError(
            ErrorCode.U014,
            f"the file {path} is compiled, so it does not contain the program",
            help="pass the model from which it was compiled",
        )
    return load_program(path, shapes)
