"""Compile a model into a file that runs without the compiler, or into a library for C.

    relay compile model.onnx                                           (writes model.relay)
    relay compile model.onnx -o fast.relay --shape image=1,3,224,224
    relay compile model.onnx -o model.relay --compilers onnxruntime,torch
    relay compile model.onnx -o model.so                               (and model.h beside it)
    relay compile model.onnx -o model.o --target aarch64-linux-gnu

Sizes that the model leaves open stay open, except for inputs with --shape.
"""

import argparse
from pathlib import Path

from relay.cli.compile_options import add_compilation
from relay.cli.console import console
from relay.cli.format_numbers import count_text, milliseconds
from relay.cli.input_options import chosen_sizes
from relay.cli.json_output import add_json, print_json
from relay.cli.open_model import COMPILED, model_help, open_executable
from relay.cli.parse_arguments import file_path, word
from relay.runtime.executable import Executable
from relay.runtime.library.c_identifiers import header_path
from relay.runtime.library.write_library import ENDINGS
from relay.runtime.specializing_executable import Specialising
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    also = "; or a compiled .relay file, to write it as a C library"
    help_ = model_help(compiled=False) + also
    parser.add_argument("model", type=file_path, metavar="MODEL", help=help_)
    parser.add_argument(
        "-o", "--output", type=file_path, metavar="FILE",
        help="the file to write: .relay (default: named like the model, in the current folder), "
        "a library for C (.so, .dylib or .dll), or an object file (.o)",
    )  # fmt: skip
    add_compilation(parser)
    parser.add_argument(
        "--target",
        type=word,
        metavar="MACHINE",
        help="the CPU to compile for: native (this one), a level such as x86-64-v3, or a triple "
        "such as aarch64-linux-gnu, which LLVM's -mcpu= and -mattr= may follow, all in quotes",
    )
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: compile the model and write the file.

    Raises `U016` if symbolic sizes must be known.
    """
    options.output = options.output or Path(options.model.resolve().stem + COMPILED)
    if options.output.suffix not in {COMPILED, *ENDINGS}:
        raise UsageError(
            ErrorCode.U010,
            f"the name of the output, '{options.output}', must end in "
            f"{', '.join([COMPILED, *sorted(ENDINGS)])}",
            help=(
                f"end the name in {COMPILED} for a Relay file, in .so for a C library, or in .o "
                "for an object file"
            ),
        )
    if options.model.suffix == COMPILED and (
        options.output.suffix == COMPILED or options.target is not None or options.shape
    ):
        raise UsageError(
            ErrorCode.U014,
            f"the file {options.model} is already compiled",
            help="pass the model from which it was compiled",
        )
    _check_donations(options)
    executable, seconds = open_executable(_completed(options))
    if isinstance(executable, Specialising):
        raise _open(executable)
    header = _write(executable, options.output)
    size = options.output.stat().st_size
    if options.json:
        paths = {"output": str(options.output), "header": header and str(header)}
        print_json({**paths, "bytes": size, "seconds": seconds})
        return 0
    out = console()
    if header is not None:
        out.print(f"{header}: how to call it from C", soft_wrap=True)
    about = f"{count_text(size, 'B')}, compiled in {milliseconds(seconds)}"
    out.print(f"{options.output}: {about}", soft_wrap=True)
    return 0


def _check_donations(options: argparse.Namespace) -> None:
    """Raise `U014` if the inputs of a C library are to be donated."""
    if options.donate and options.output.suffix in ENDINGS and options.model.suffix != COMPILED:
        message = f"the option --donate cannot be used for a C library, such as {options.output}"
        help_ = f"omit --donate, or write {options.output.with_suffix(COMPILED)}"
        raise UsageError(ErrorCode.U014, message, help=help_)


def _completed(options: argparse.Namespace) -> argparse.Namespace:
    """Set the target machine to this one if the output is a C library and no target is set."""
    if options.output.suffix in ENDINGS and options.model.suffix != COMPILED:
        options.target = options.target or "native"
    return options


def _write(executable: Executable, output: Path) -> Path | None:
    """Write the program to a file; return the path of the C header if it is a library."""
    if output.suffix == COMPILED:
        executable.save(output)
        return None
    executable.export(output)
    return header_path(output)


def _open(executable: Specialising) -> UsageError:
    specs = executable.entry_signature.inputs
    sizes = chosen_sizes(specs, {})
    shapes = [
        f"--shape {spec.name}="
        + ",".join(str(sizes[dim] if isinstance(dim, str) else dim) for dim in spec.shape)
        for spec in specs
        if not spec.is_static
    ]
    return UsageError(
        ErrorCode.U016,
        "an operator of the model needs sizes that the model leaves unknown",
        notes=[str(spec) for spec in specs],
        help=f"specify the sizes of the inputs: {' '.join(shapes)}",
    )
