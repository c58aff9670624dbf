"""Show a model: its text, its counts, its program code, or an interactive drawing of it.

    relay show model.onnx
    relay show program.rly
    relay show model.onnx --summary           (--json: the counts as JSON)
    relay show model.onnx --program
    relay show model.onnx --html model.html
    relay show model.onnx --html kernels.html --optimized --shape image=1,3,224,224

The summary and the drawing show the functions that a call of the model can reach, the text shows
all functions. `--optimized` shows the program as compiled for this machine: each fused kernel is
one box, and a click on it shows why it was not fused with others, and why it uses its layout.
`--program` shows the code that calls those kernels: virtual-machine code and native code.
"""

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from relay.build.code.lowered_module import lower_program
from relay.build.compile_kernels import label
from relay.build.pipeline import run_pipeline
from relay.build.program_signature import inputs_of
from relay.cli.compile_options import add_shapes
from relay.cli.console import console, table
from relay.cli.format_numbers import count_text
from relay.cli.input_options import chosen_sizes
from relay.cli.json_output import add_json, print_json
from relay.cli.open_model import COMPILED, add_model, open_module
from relay.cli.output_files import DRAWING, check_output
from relay.cli.parse_arguments import shapes_of
from relay.cli.write_drawing import draw
from relay.ir.expr import Function, Tuple
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.runtime.code.printer import program_text
from relay.runtime.executable import Executable
from relay.runtime.virtual_machine_executable import VirtualExecutable
from relay.semantics.analysis import Parameters, Work, parameters, reached, work_by_operator
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node
from relay.targets.registry import target_for
from relay.text.printer import text_of
from relay.transform.remarks import Remark, recorded
from relay.transform.specialize_sizes import Specialize
from relay.transform.to_a_normal_form import ToANormalForm


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    add_model(parser, compiled=False)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--summary", action="store_true", help="print counts instead of the text")
    forms.add_argument("--html", type=Path, metavar="FILE", help="write a drawing to an .html file")
    forms.add_argument(
        "--program", action="store_true", help="print the code that calls its kernels"
    )
    forms.add_argument(
        "--types", action="store_true", help="print the text with the type of every expression"
    )
    parser.add_argument(
        "--optimized",
        action="store_true",
        help="show the program after all passes of a compilation",
    )
    add_shapes(parser)
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: show the model; `--json` prints the counts of `--summary`.

    Raises `U014` for `--json` with another form, and `U015` if the drawing cannot be written.
    """
    if options.json and (options.html or options.program or options.types):
        message = "the option --json prints the counts of --summary, and no other form"
        raise UsageError(ErrorCode.U014, message, help="omit the other form, or --json")
    if options.html is not None:
        check_output(options.html, DRAWING)
    if options.program:
        print(_program(options), end="")
        return 0
    module = open_module(options.model, shapes_of(options.shape))
    remarks: list[Remark] = []
    if options.optimized:
        with recorded() as remarks:
            module = run_pipeline(infer(module), target_for(None))[0]
    if options.html is not None:
        draw(reached(module), remarks, options.model.stem, options.html)
    elif options.summary or options.json:
        summary = _summary(reached(module))
        if options.json:
            print_json(_fields(summary))
        else:
            _print(summary)
    else:
        print(text_of(module, metadata=False, types=options.types))
    return 0


def _program(options: argparse.Namespace) -> str:
    """Return the program code of a model, or of a virtual-machine program in a file, as text."""
    if options.model.suffix == COMPILED:
        executable = Executable.load(options.model)
        if isinstance(executable, VirtualExecutable):
            return executable.text
    module = infer(open_module(options.model, shapes_of(options.shape)))
    optimised, _ = run_pipeline(module, target_for(None))
    lowered = lower_program(ToANormalForm()(optimised))
    return program_text(lowered.code([label(kernel) for kernel in lowered.kernels]))


@node
class _Summary:
    """The parameters and the result type of a model, its operators, and its constants.

    `sizes` are those with which dynamic sizes are counted.
    """

    main: Function
    sizes: Mapping[str, int]
    work: Mapping[str, Work]
    constants: Parameters


def _summary(module: Module) -> _Summary:
    """Return the summary of a module, in which dynamic sizes are replaced by small ones."""
    main = module.main
    tensors = [param for param in main.params if isinstance(param.type, TensorType)]
    sizes = chosen_sizes(inputs_of(Function(tuple(tensors), Tuple(()))), {})
    if sizes:
        known = Specialize(tuple(sizes.items()))
        module = module.with_functions({n: known.run(f) for n, f in module.functions.items()})
    return _Summary(main, sizes, work_by_operator(module), parameters(module))


def _fields(summary: _Summary) -> dict[str, Any]:
    """Return the object that `--json` prints: types as text, and counts."""
    return {
        "inputs": {param.name: repr(param.type) for param in summary.main.params},
        "output": repr(summary.main.body.type),
        "sizes": summary.sizes,
        "operators": {name: asdict(work) for name, work in summary.work.items()},
        "parameters": asdict(summary.constants),
    }


def _print(summary: _Summary) -> None:
    out = console()
    for param in summary.main.params:
        out.print(f"input   {param.name}: {param.type!r}", soft_wrap=True)
    out.print(f"output  {summary.main.body.type!r}", soft_wrap=True)
    if summary.sizes:
        named = ", ".join(f"{name} = {size}" for name, size in summary.sizes.items())
        out.print(f"dynamic sizes are counted as {named}; --shape specifies others", soft_wrap=True)
    out.print()
    out.print(_work_table(summary.work))
    out.print()
    held = summary.constants
    numbers, size = count_text(held.numbers), count_text(held.bytes, "B")
    out.print(f"{numbers} parameters in {held.constants} constants, {size}")


def _work_table(work: Mapping[str, Work]) -> Table:
    grid = table("operator", "calls", "operations", "bytes", numbers=3)
    for name, each in sorted(work.items(), key=lambda item: (-item[1].flops, item[0])):
        grid.add_row(name, *_cells(each))
    grid.add_row("all", *_cells(sum(work.values(), Work())), style="bold")
    return grid


def _cells(work: Work) -> tuple[str, str, str]:
    return str(work.calls), count_text(work.flops), count_text(work.bytes, "B")
