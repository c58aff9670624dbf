"""Explain what the compiler did with a model, or what an error code means.

    relay explain model.onnx                       what each pass changed; what each kernel costs
    relay explain model.onnx --kernel dense+relu   the kernel's schedule, loops and assembly
    relay explain T012                             what an error code means

The model runs once on inputs of --input, or on random numbers. "of bound" compares a kernel's time
with its bound, the least time that its operations and bytes take on this machine: 100% is the best.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from rich.markdown import Markdown
from rich.text import Text

from relay.build.kernel_listing import listings
from relay.cli.compile_options import add_compilation, compilation_of, ineffective, no_effect
from relay.cli.console import console, table
from relay.cli.input_options import add_inputs, feeds_of
from relay.cli.json_output import add_json, print_json
from relay.cli.open_model import model_help, open_executable, open_module
from relay.cli.parse_arguments import at_least, word
from relay.runtime.executable import Executable
from relay.runtime.explanation import Explanation, describe
from relay.runtime.profile import StepTime
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, UsageError

CODE = re.compile(r"(?:error\[|warning\[)?([A-Z]\d+)\]?:?", re.IGNORECASE)
"""An error code, alone or as messages write it."""

REMARKS = 24
"""How many remarks are printed without `--remarks`; JSON has all."""

KERNELS = 24
"""How many kernels are printed without `--kernels`; JSON has all."""

_GOOD, _POOR = 0.5, 0.2
_OF_KERNELS = ("--fast-math", "--opt-level", "--batch", "--schedule")
_LISTED = ("target", "fast_math", "opt_level", "batch", "schedules")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument("what", metavar="MODEL|CODE", help=f"{model_help()}; or an error code")
    parser.add_argument("--kernel", metavar="NAME", help="show only this kernel, in full")
    parser.add_argument(
        "--target", type=word, metavar="MACHINE", help="the CPU, as in `relay compile --help`"
    )
    parser.add_argument(
        "--remarks", type=at_least(0), metavar="N",
        help="show N remarks, which say why operators are not fused or inlined, and why a layout "
        f"was chosen (default: {REMARKS})",
    )  # fmt: skip
    parser.add_argument(
        "--kernels",
        type=at_least(0),
        metavar="N",
        help=f"show N kernels, the slowest first (default: {KERNELS})",
    )
    add_inputs(parser)
    add_compilation(parser)
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: explain an error code or a model; raises `U014` for useless options."""
    options.model = Path(options.what)
    code = CODE.fullmatch(options.what)
    if code and not options.model.exists():
        _check_alone(options)
        _explain_code(code[1].upper(), as_json=options.json)
        return 0
    if options.kernel:
        return _list_kernel(options)
    options.random = True
    executable, _ = open_executable(options, remarks=True)
    feeds = feeds_of(executable.signature.inputs, options, executable.defaults)
    explanation = _explained(executable, [feed.value for feed in feeds.values()])
    if options.json:
        print_json(_fields(explanation, options))
    else:
        _print(explanation, options)
    return 0


def _explain_code(code: str, *, as_json: bool) -> None:
    """Print the section on an error code."""
    text = section(code)
    if as_json:
        print_json({"code": code, "section": text})
    else:
        console().print(Markdown(text, code_theme="ansi_dark"))


def _fields(explanation: Explanation, options: argparse.Namespace) -> dict[str, Any]:
    """Return the object that `--json` prints for a model: times in seconds, and all counts."""
    report, limits = explanation.report, explanation.roofline
    bound = {"flops_per_second": limits.peak, "bytes_per_second": limits.bandwidths}
    return {
        "passes": [asdict(each) for each in report.passes],
        "kernel_seconds": report.kernel_seconds,
        "notes": report.notes,
        "remarks": report.remarks[: options.remarks],
        "schedules": {each.name: each.fields for each in report.schedules},
        "kernels": [
            {
                "name": step.label,
                "calls": step.calls,
                "seconds": step.milliseconds / 1e3,
                "flops": step.flops,
                "bytes": step.bytes,
                "of_bound": explanation.share(step),
            }
            for step in _costliest(explanation)[: options.kernels]
        ],
        "threads": explanation.threads,
        "bound_of_a_core": bound,
    }


def _print(explanation: Explanation, options: argparse.Namespace) -> None:
    out = console()
    if explanation.report.passes:
        out.print(_passes(explanation))
        out.print()
    for note in explanation.report.notes:
        out.print(note, soft_wrap=True)
    _print_remarks(explanation.report.remarks, options.remarks)
    if explanation.report.schedules:
        out.print(_schedules(explanation))
        out.print()
    out.print(_kernels(explanation, KERNELS if options.kernels is None else options.kernels))
    out.print()
    out.print(describe(explanation.roofline, explanation.threads), style="dim", soft_wrap=True)


def _explained(executable: Executable, arrays: Sequence[Any]) -> Explanation:
    """Return the explanation of a program, whose kernels are measured on these inputs."""
    try:
        return executable.explain(*arrays)
    except ArtefactError as error:  # another machine
        error.help = "add --kernel NAME, which shows a kernel of that machine without running it"
        raise


def _print_remarks(remarks: Sequence[str], shown: int | None) -> None:
    out, most = console(), REMARKS if shown is None else shown
    for remark in remarks[:most]:
        out.print(remark, soft_wrap=True, highlight=False)
    if remarks[most:]:
        rest = len(remarks) - most
        out.print(f"… {rest} more: --remarks {rest + most}", style="dim")
    if not remarks and shown is not None:
        out.print("there are no remarks", style="dim")


def _check_alone(options: argparse.Namespace) -> None:
    """Raise `U014` for options of models beside an error code."""
    others = ("kernel", "target", "remarks", "kernels", "input", "shape", "threads")
    given = [f"--{name}" for name in others if getattr(options, name) not in (None, False, [])]
    given += ineffective(options)
    if given:
        message = f"{no_effect(given)} on an error code"
        raise UsageError(ErrorCode.U014, message, help="omit them, or pass a model")


def _list_kernel(options: argparse.Namespace) -> int:
    """Print the schedule, loops and assembly of a kernel.

    Raises `U014` for options that have no effect on kernels.
    """
    refused = [name for name in ineffective(options) if name not in _OF_KERNELS]
    refused += ["--threads"] if options.threads is not None else []  # loops do not depend on it
    if refused:
        message = f"the options {', '.join(refused)} cannot be combined with --kernel"
        raise UsageError(ErrorCode.U014, message, help="omit --kernel, or the other option")
    chosen = compilation_of(options)
    module = open_module(options.model, chosen["shapes"])
    found = listings(module, options.kernel, **{name: chosen[name] for name in _LISTED})
    if options.json:
        print_json([asdict(each) for each in found])
        return 0
    for each in found:
        console().print(str(each), markup=False, highlight=False, soft_wrap=True)
    return 0


def section(code: str) -> str:
    """Return the section on an error code in `errors.md`; raises `U019` if there is none."""
    page = (resources.files("relay.cli") / "errors.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {code}: .*?(?=^##? |\Z)", page, re.MULTILINE | re.DOTALL)
    if match is None:
        raise UsageError(
            ErrorCode.U019,
            f"there is no error code named {code}",
            help=("write a letter and three digits, such as T012"),
        )
    return match[0].rstrip()


def _passes(explanation: Explanation) -> Any:
    if not any(entry.seconds for entry in explanation.report.passes):
        return _untimed_passes(explanation)
    grid = table("pass", "ms", "before", "after", numbers=3)
    for entry in explanation.report.passes:
        after = str(entry.after) if entry.changed else "–"
        style = "" if entry.changed else "dim"
        row = (entry.name, _ms(entry.seconds), str(entry.before), after)
        grid.add_row(*row, style=style)
    grid.add_row("kernels", _ms(explanation.report.kernel_seconds))
    return grid


def _untimed_passes(explanation: Explanation) -> Any:
    """Return the table of passes of a saved program, whose file has no times."""
    grid = table("pass", "before", "after", numbers=2)
    for entry in explanation.report.passes:
        after, style = (str(entry.after), "") if entry.changed else ("–", "dim")
        grid.add_row(entry.name, str(entry.before), after, style=style)
    return grid


def _schedules(explanation: Explanation) -> Any:
    grid = table("kernel", "schedule")
    for each in explanation.report.schedules:
        grid.add_row(each.name, Text(str(each)))
    return grid


def _ms(seconds: float) -> str:
    """Return seconds as text in milliseconds; a dash if the time is unknown (0)."""
    return f"{seconds * 1e3:.2f}" if seconds else "–"


def _costliest(explanation: Explanation) -> list[StepTime]:
    """Return the steps of the program, the slowest first."""
    return sorted(explanation.profile.steps, key=lambda step: -step.milliseconds)


def _kernels(explanation: Explanation, shown: int) -> Any:
    steps = _costliest(explanation)
    total = explanation.profile.total
    names = ("calls", "ms", "%", "MFLOP", "MB", "GFLOP/s", "of bound")
    grid = table("kernel", *names, numbers=len(names))
    for step in steps[:shown]:
        grid.add_row(*_cells(step, total, explanation.share(step)))
    if len(steps) > shown:
        rest = sum(step.milliseconds for step in steps[shown:])
        grid.add_row(f"… {len(steps) - shown} more", "", f"{rest:.4f}", style="dim")
    grid.add_row(*_cells(total, total, explanation.total_share), style="bold")
    return grid


def _cells(step: StepTime, total: StepTime, share: float) -> tuple[Any, ...]:
    part = 100 * step.milliseconds / total.milliseconds if total.milliseconds else 0.0
    colour = "green" if share >= _GOOD else "yellow" if share >= _POOR else "red"
    return (
        step.label,
        str(step.calls),
        f"{step.milliseconds:.4f}",
        f"{part:.1f}",
        f"{step.flops / 1e6:.2f}",
        f"{step.bytes / 1e6:.2f}",
        f"{step.gflops:.1f}",
        Text(f"{share:.0%}", colour),
    )
