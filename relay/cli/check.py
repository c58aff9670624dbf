"""Check whether Relay can read a file, and list everything that is wrong with it.

Exit status: 0 when all files are good, 1 when one is not, 2 when one cannot be looked at
(it is not there, or of a kind that Relay does not know). Warnings are written, and change nothing.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from relay.cli.compilation import add_shapes
from relay.cli.console import console, draw_error
from relay.cli.opening import COMPILED, open_module
from relay.cli.shapes import shapes_of
from relay.cli.words import count_text
from relay.ir.expr import Call, Constant
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.runtime.executable import Executable
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError

GOOD, BAD, NOT_SEEN = 0, 1, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help=".onnx, .rly or .relay")
    add_shapes(parser)


def execute(options: argparse.Namespace) -> int:
    """Check every file; return the worst exit status."""
    shapes = shapes_of(options.shape)
    return max(_check(path, shapes) for path in options.files)


def _check(path: Path, shapes: Mapping[str, Sequence[int]]) -> int:
    try:
        if path.is_dir():
            help_ = f"name its files: relay check {path / '*.rly'}"
            raise UsageError(ErrorCode.U017, f"'{path}' is a folder, not a file", help=help_)
        if not path.is_file():
            raise UsageError(ErrorCode.U017, f"there is no file '{path}'")
        if path.suffix == COMPILED:
            summary = _compiled(path)
        else:
            module = open_module(path, shapes)
            summary = _summary(module)
    except RelayError as error:
        draw_error(error)
        return NOT_SEEN if isinstance(error, UsageError) else BAD
    console().print(f"{path}: ok, {summary}", soft_wrap=True)
    return GOOD


def _compiled(path: Path) -> str:
    return f"compiled, {Executable.load(path).signature}"


def _summary(module: Module) -> str:
    order = post_order(module.main)
    operators = sum(isinstance(expr, Call) for expr in order)
    numbers = sum(expr.data.size for expr in order if isinstance(expr, Constant))
    inputs = ", ".join(f"{param.name}: {param.type!r}" for param in module.main.params)
    return f"{operators} operators, {count_text(numbers)} constants, inputs {inputs or 'none'}"
