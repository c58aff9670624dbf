"""Check whether Relay can read models, and list what is wrong with them.

    relay check model.onnx program.rly        files, or folders that contain a SavedModel
    relay check models                        every model in a folder

The check lists all unsupported operators of a model. If there are none, it lists all nodes of an
ONNX model whose inputs have wrong types or shapes.

Exit status: 0 if all files are valid, 1 if one is not, 2 if one cannot be checked (it is missing,
or of a kind that Relay does not support). Warnings do not change the status.
"""

import argparse
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from relay.cli.compile_options import add_shapes
from relay.cli.console import console, report_error
from relay.cli.format_numbers import count_text
from relay.cli.json_output import add_json, error_fields, print_json
from relay.cli.open_model import COMPILED, open_module
from relay.cli.parse_arguments import shapes_of
from relay.frontend.load import KINDS, is_model, models_in
from relay.ir.expr import Call
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.runtime.executable import Executable
from relay.semantics.analysis import parameters
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError

GOOD, BAD, NOT_SEEN = 0, 1, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="models, or folders of models"
    )
    add_shapes(parser)
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: check each file; return the worst exit status."""
    shapes = shapes_of(options.shape)
    found: list[tuple[Path, str | RelayError]] = []
    for path in chain.from_iterable(map(_models, options.files)):
        result = _checked(path, shapes)
        found.append((path, result))
        if not options.json:
            _print(path, result, debug=options.debug)
    if options.json:
        print_json([_fields(path, result) for path, result in found])
    return max(_status(result) for _, result in found)


def _models(path: Path) -> list[Path]:
    """Return the models in a folder, or the path itself if it is a model."""
    return [path] if is_model(path) or not path.is_dir() else models_in(path) or [path]


def _checked(path: Path, shapes: Mapping[str, Sequence[int]]) -> str | RelayError:
    """Return a summary of a file, or the error that loading it raises."""
    try:
        if path.is_dir() and not is_model(path):
            message = f"the folder '{path}' contains no model that Relay can read"
            raise UsageError(ErrorCode.U017, message, help=KINDS)
        if not path.exists():
            message = f"the file '{path}' does not exist"
            raise UsageError(ErrorCode.U017, message, help="check the path")
        return _compiled(path) if path.suffix == COMPILED else _summary(open_module(path, shapes))
    except RelayError as error:
        return error


def _print(path: Path, found: str | RelayError, *, debug: bool) -> None:
    if isinstance(found, RelayError):
        report_error(found, debug=debug)
    else:
        console().print(f"{path}: ok, {found}", soft_wrap=True)


def _status(found: str | RelayError) -> int:
    if isinstance(found, UsageError):
        return NOT_SEEN
    return BAD if isinstance(found, RelayError) else GOOD


def _fields(path: Path, found: str | RelayError) -> dict[str, Any]:
    """Return the object that `--json` prints for a file: its summary, or all its errors."""
    if isinstance(found, str):
        return {"file": str(path), "summary": found, "errors": []}
    return {"file": str(path), "summary": None, "errors": error_fields(found)}


def _compiled(path: Path) -> str:
    return f"compiled, {Executable.load(path).signature}"


def _summary(module: Module) -> str:
    operators = sum(isinstance(expr, Call) for expr in post_order(module.main))
    held = parameters(module)
    several = "" if held.constants == 1 else "s"
    numbers = f"{count_text(held.numbers)} parameters in {held.constants} constant{several}"
    inputs = ", ".join(f"{param.name}: {param.type!r}" for param in module.main.params)
    return f"{operators} operators, {numbers}, inputs {inputs or 'none'}"
