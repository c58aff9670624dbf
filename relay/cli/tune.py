"""Search for the passes that make a model fastest on this machine, and report whether it pays.

    relay tune model.onnx --seconds 60
    relay tune model.onnx --seconds 600 -o model.relay

Each change of the passes of a compilation (leave one out, move one, smaller kernels) is compiled,
compared with the usual result, and measured. All inputs of the model need known sizes.
"""

import argparse

from relay.cli.compile_options import add_threads
from relay.cli.console import console
from relay.cli.open_model import COMPILED, add_model, open_module
from relay.cli.output_files import check_output
from relay.cli.parse_arguments import file_path, shapes_of
from relay.tune.pass_search import search_passes


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    add_model(parser, compiled=False)
    parser.add_argument(
        "--seconds", type=float, default=60.0, metavar="N", help="seconds to search (default: 60)"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=file_path,
        metavar="FILE",
        help="write the fastest program to a .relay file",
    )
    add_threads(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: search, print the report, and write the program if requested."""
    if options.output is not None:
        check_output(options.output, [COMPILED])
    shapes = shapes_of(options.shape)
    module = open_module(options.model, shapes)
    found = search_passes(module, seconds=options.seconds, shapes=shapes, threads=options.threads)
    console().print(str(found), soft_wrap=True, highlight=False, markup=False)
    if options.output is not None:
        found.executable.save(options.output)
    return 0
