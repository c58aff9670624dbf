"""Compile a model for this machine into one file, which runs without the compiler.

relay compile model.onnx -o model.relay
relay compile model.onnx -o model.relay --shape image=1,3,224,224
"""

import argparse
from pathlib import Path

from relay.cli.console import console
from relay.cli.inputs import chosen_sizes
from relay.cli.opening import COMPILED, add_compilation, add_model, open_executable
from relay.cli.words import count_text, milliseconds
from relay.runtime.specialising import Specialising
from relay.support.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_model(parser, what=".onnx")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.relay")
    add_compilation(parser)
    parser.add_argument(
        "--target", choices=["native"], default="native", help="native: this machine (the default)"
    )


def execute(options: argparse.Namespace) -> int:
    """Compile and save the model; raises `U016` where sizes are open."""
    if options.output.suffix != COMPILED:
        raise UsageError("U010", f"'{options.output}' does not end in {COMPILED}")
    if options.model.suffix == COMPILED:
        raise UsageError("U014", f"{options.model} is compiled already")
    executable, seconds = open_executable(options)
    if isinstance(executable, Specialising):
        raise _open(executable)
    executable.save(options.output)
    size = count_text(options.output.stat().st_size, "B")
    console().print(
        f"{options.output}: {size}, compiled in {milliseconds(seconds)}", soft_wrap=True
    )
    return 0


def _open(executable: Specialising) -> UsageError:
    specs = executable.signature.inputs
    sizes = chosen_sizes(specs, {})
    shapes = [
        f"--shape {spec.name}="
        + ",".join(str(sizes[dim] if isinstance(dim, str) else dim) for dim in spec.shape)
        for spec in specs
        if not spec.is_static
    ]
    return UsageError(
        "U016",
        "the model leaves dimensions open, and a file is compiled for fixed ones",
        notes=[str(spec) for spec in specs],
        help=f"fix them, for example {' '.join(shapes)}",
    )
