"""Search for the compiler passes with which a model is fastest on this machine.

    relay tune model.onnx --seconds 60
    relay tune model.onnx --seconds 600 -o model.relay

The search changes the default passes of a compilation (it omits one, moves one, or makes kernels
smaller), compiles the model, compares its results with those of the default passes, and measures
it. It prints the run time before and after, and every change that was tried. All inputs of the
model need known sizes.
"""

import argparse
from typing import Any

from relay.cli.compile_options import add_threads
from relay.cli.console import console
from relay.cli.json_output import add_json, print_json
from relay.cli.open_model import COMPILED, add_model, open_module
from relay.cli.output_files import check_output
from relay.cli.parse_arguments import file_path, shapes_of
from relay.tune.pass_search import PassSearch, search_passes


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    add_model(parser, compiled=False)
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        metavar="N",
        help="how many seconds to search (default: 60)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=file_path,
        metavar="FILE",
        help="write the fastest program to a .relay file",
    )
    add_threads(parser)
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: search, print the report, and write the program if requested."""
    if options.output is not None:
        check_output(options.output, [COMPILED])
    shapes = shapes_of(options.shape)
    module = open_module(options.model, shapes)
    found = search_passes(module, seconds=options.seconds, shapes=shapes, threads=options.threads)
    if options.output is not None:
        found.executable.save(options.output)
    if options.json:
        print_json({**_fields(found), "output": options.output and str(options.output)})
    else:
        console().print(str(found), soft_wrap=True, highlight=False, markup=False)
    return 0


def _fields(found: PassSearch) -> dict[str, Any]:
    """Return the object that `--json` prints for a search: seconds, and what was tried."""
    trials = [
        {
            "change": str(each.change),
            "verdict": each.verdict.name.lower(),
            "before": each.before or None,
            "after": each.after or None,
        }
        for each in found.trials
    ]
    return {
        "faster": found.pays,
        "before": found.before,
        "after": found.after,
        "changes": [str(each) for each in found.changes],
        "trials": trials,
    }
