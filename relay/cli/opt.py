"""Run passes on a program, and print the result.

    relay opt program.rly -p fold-constants,fuse-operators{limit=8}
    relay opt model.onnx -p simplify-inference --print-after all
    relay opt program.rly -p "ToANormalForm,LambdaLift" --diff
    relay opt program.rly --minimize small.rly --time-limit 10
    relay opt program.rly --time
    relay opt program.rly -p O1,lambda-lift --html kernels.html
    relay opt model.onnx --without fold-scale,use-winograd --verify
    relay opt program.rly --dump passes
    relay opt --list
    relay opt --list fold-gathers
    relay opt --list O2

Without `-p`, all passes of a compilation run, `O3`. The options of a pass follow its name in
braces; `--list NAME` explains them. TVM's names, such as `Inline`, run TVM's passes with their
options; a name in lower case, such as `inline`, is Relay's own pass where both exist. A pass that
others require, such as `fuse-operators`, can be left out only together with them. After each pass,
the form and the types of the program are checked and, with `--verify`, its values on several
samples of inputs. If a pass fails or does not end within `--time-limit`, a small program on which
it fails in the same way is written to a file.
"""

import argparse
import inspect
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from rich.text import Text

from relay.build.pipeline import named_pipelines
from relay.build.reproduce_failures import run_verified
from relay.build.verify_passes import SECONDS, Verifier
from relay.cli.compile_options import add_shapes
from relay.cli.console import console, table
from relay.cli.format_numbers import milliseconds
from relay.cli.json_output import add_json, print_json
from relay.cli.open_model import model_help, open_module
from relay.cli.output_files import DRAWING, PROGRAM, check_output
from relay.cli.parse_arguments import shapes_of
from relay.cli.write_drawing import draw
from relay.ir.module import Module
from relay.semantics.analysis import reached
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, UsageError
from relay.support.write_file import write_text
from relay.targets.registry import target_for
from relay.transform.instruments import PassDumpInstrument
from relay.transform.parse_passes import (
    Definition,
    command_name,
    definition,
    namesake,
    options_text,
    pass_class,
    pass_names,
    passes_of,
)
from relay.transform.pass_context import SYNONYMS, PassContext
from relay.transform.pass_contract import Contract, in_order
from relay.transform.pipeline import Pass, kebab
from relay.transform.plugin_passes import unusable_passes
from relay.transform.remarks import recorded
from relay.transform.run_passes import PassRecord

ALL = "all"
DEFAULT = "O3"

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument(
        "model", type=Path, nargs="?", metavar="MODEL", help=model_help(compiled=False)
    )
    parser.add_argument(
        "-p", "--passes", metavar="NAMES",
        help="the passes to run, separated by commas; O0 to O3 stand for the passes of that level",
    )  # fmt: skip
    parser.add_argument(
        "--without", metavar="NAMES", help="passes to leave out, separated by commas"
    )
    parser.add_argument(
        "--list", nargs="?", const=ALL, metavar="NAME",
        help="list all passes or those of a level such as O2, or explain one pass",
    )  # fmt: skip
    parser.add_argument(
        "--print-after", metavar="NAME", help="print the program after this pass (all: every pass)"
    )
    parser.add_argument(
        "--diff", action="store_true", help="print what each pass changes, instead of the result"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a drawing of the result to FILE"
    )
    parser.add_argument(
        "--dump", type=Path, metavar="FOLDER",
        help="write the program before and after each pass to files",
    )  # fmt: skip
    parser.add_argument("--time", action="store_true", help="print how long each pass takes")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="check after each pass that the program computes the same values",
    )
    parser.add_argument(
        "--time-limit", type=float, default=SECONDS, metavar="SECONDS",
        help="time limit for each pass, evaluation and minimisation (default: 60; 0: none)",
    )  # fmt: skip
    parser.add_argument(
        "--minimize", type=Path, metavar="FILE",
        help="verify, and write a small program that reproduces the first failure of a pass",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the program to FILE"
    )
    add_shapes(parser)
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the command: apply the passes and print the program."""
    if options.list is not None:
        _list(options.list, as_json=options.json)
        return 0
    if options.json:
        message = "the option --json prints the passes of --list only"
        raise UsageError(ErrorCode.U014, message, help="add --list, or omit --json")
    if options.model is None:
        raise UsageError(
            ErrorCode.U321,
            "no program file was given",
            help="pass a file of program text: relay opt program.rly -p fold-constants",
        )
    if not options.time_limit >= 0:  # NaN is not, either
        message = f"the option '--time-limit {options.time_limit:g}' is not a number of seconds"
        raise UsageError(ErrorCode.U010, message, help="write 10, or 0 for no limit")
    for path, suffixes in ((options.html, DRAWING), (options.output, PROGRAM)):
        if path is not None:
            check_output(path, suffixes)
    before = infer(open_module(options.model, shapes_of(options.shape)))
    names = DEFAULT if options.passes is None else options.passes
    passes = _without(passes_of(names, named_pipelines(target_for(None))), options.without)
    if options.print_after not in (None, ALL):
        refusal = "the program cannot be printed after the pass '{}'"
        options.print_after = _running(options.print_after, passes, refusal)
    values = options.verify or options.minimize is not None
    check = Verifier(values=values, seconds=options.time_limit or None)
    instruments = [] if options.dump is None else [PassDumpInstrument(options.dump)]
    with recorded() as remarks, PassContext(instruments=instruments):
        after, records = run_verified(before, passes, check=check, path=options.minimize)
    _print_not_compared(check.not_compared)
    if options.minimize is not None:
        console(stderr=True).print(f"all passes are correct: {options.minimize} was not written")
    _print_steps(before, records, options)
    if options.html is not None:
        draw(reached(after), remarks, options.model.stem, options.html)
    if options.time:
        _print_times(records)
    if options.output is not None:
        write_text(options.output, after.astext())
    elif not (options.diff or options.time or options.html):
        console().out(after.astext(), highlight=False)
    return 0


def _print_not_compared(reasons: Mapping[str, str]) -> None:
    """Print which functions verification did not compare, and why: one note for each reason."""
    for reason in dict.fromkeys(reasons.values()):
        names = [f"@{name}" for name, each in reasons.items() if each == reason]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        text = f"note: values were not compared of {', '.join(names[:_NAMED])}{more}: {reason}"
        console(stderr=True).print(text, markup=False, highlight=False, soft_wrap=True)


_NAMED = 8
"""The maximum number of functions that a note lists by name."""


def _without(passes: Sequence[Pass], names: str | None) -> Sequence[Pass]:
    """Return the passes without those that are disabled by their names.

    Raises `C042` if passes that remain require a disabled one.
    """
    given = [] if names is None else [each.strip() for each in names.split(",")]
    refusal = "the pass '{}' cannot be disabled"
    disabled = {_running(name, passes, refusal) for name in given}
    rest = [each for each in passes if kebab(each.info.name) not in disabled]
    if disabled:
        in_order("all", [each.contract() for each in passes])
        _require_none_of([one for one in passes if kebab(one.info.name) in disabled], rest)
    return rest


def _require_none_of(disabled: Sequence[Pass], rest: Sequence[Pass]) -> None:
    """Require that the rest of the passes can run without the disabled ones (`C042`)."""
    kept, unmet = list[Contract](), dict[str, CompileError]()
    for each in rest:
        try:
            in_order("all", [*kept, each.contract()])
            kept.append(each.contract())
        except CompileError as error:
            unmet[kebab(each.info.name)] = error
    if unmet:
        ensuring = {kebab(each.info.name) for each in disabled if each.contract().ensures}
        every = [*dict.fromkeys(kebab(each.info.name) for each in disabled), *unmet]
        raise CompileError(
            ErrorCode.C042,
            f"passes that run require what {' and '.join(sorted(ensuring))} ensures: "
            f"{', '.join(unmet)}",
            help=f"disable them, too: --without {','.join(every)}",
        ) from next(iter(unmet.values()))


def _running(name: str, passes: Sequence[Pass], refusal: str) -> str:
    """Return the command-line name of a pass that runs, which `name` denotes as in `-p`.

    Raises `U320` for other passes; `refusal` is the beginning of the message.
    """
    names = {kebab(each.info.name) for each in passes}
    ours = kebab(SYNONYMS.get(name, name))
    found = next((each for each in (name, ours) if each in names), kebab(command_name(name)))
    if found not in names:
        help_ = f"choose one of the passes that run: {', '.join(sorted(names))}"
        message = f"{refusal.format(name)}: it is not among the passes that run"
        raise UsageError(ErrorCode.U320, message, help=help_)
    return found


def _list(wanted: str, *, as_json: bool) -> None:
    """List all passes, list the passes of a level, or explain a single pass."""
    pipelines = named_pipelines(target_for(None))
    if wanted not in (ALL, *pipelines):
        if as_json:
            print_json([_fields([command_name(wanted)], _about(definition(wanted)))])
        else:
            _explain(wanted)
        return
    found = [([each.info.name], type(each)) for each in pipelines.get(wanted, ())]
    if wanted == ALL:
        found = [([name, *more], pass_class(name)) for name, more in pass_names().items()]
    if as_json:
        print_json([_fields(names, _first_line(cls)) for names, cls in found])
        return
    rows = table("pass", "what it does")
    for names, cls in found:
        rows.add_row(", ".join(names), _first_line(cls))
    console().print(rows)
    if wanted == ALL:
        for message in dict.fromkeys(each.message for each in unusable_passes().values()):
            console(stderr=True).print(f"warning: {message}", markup=False, soft_wrap=True)


def _fields(names: Sequence[str], about: str) -> dict[str, object]:
    """Return the object that `--json` prints for a pass; `names` begins with its own name."""
    return {"name": names[0], "other_names": names[1:], "about": about}


def _first_line(cls: type[Pass]) -> str:
    return _about(cls).partition("\n")[0]


def _explain(name: str) -> None:
    found, called = definition(name), command_name(name)
    options = options_text(found)
    if options:
        called += f"{{{options}}}"
    console().out(f"{called}\n\n{_about(found)}", highlight=False)
    other = namesake(name)
    if other is not None:
        console().out(f"\nThe pass {other} is TVM's: relay opt --list {other}", highlight=False)


def _about(of: Definition) -> str:
    return inspect.cleandoc(of.__doc__ or "")


def _print_steps(before: Module, records: list[PassRecord], options: argparse.Namespace) -> None:
    for record in records:
        if options.diff and record.changed:
            _print_difference(record.name, before, record.module)
        if options.print_after in (ALL, kebab(record.name)):
            console().out(f"// after {record.name}\n{record.module.astext(show_meta_data=False)}")
        before = record.module


def _print_difference(name: str, before: Module, after: Module) -> None:
    """Print the lines that a pass changed: removed lines in red, added lines in green."""
    old, new = (each.astext(show_meta_data=False).splitlines() for each in (before, after))
    console().print(Text(f"// {name}", style="bold"))
    for line in list(unified_diff(old, new, lineterm="", n=2))[2:]:
        console().print(Text(line, style=_STYLES.get(line[0], "")), soft_wrap=True)


def _print_times(records: list[PassRecord]) -> None:
    rows = table("pass", "", "time", numbers=1)
    for record in records:
        changed = "changed" if record.changed else ""
        rows.add_row(record.name, changed, milliseconds(record.seconds))
    console().print(rows)
