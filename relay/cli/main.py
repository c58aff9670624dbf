"""The command `relay`: import the module of the command, and print errors without a traceback.

Each command is a module of this package with `configure(parser)` and `execute(options)`; only the
requested one is imported. Exit status: 0 for success, 1 for a reported error, 2 for a wrong command
line, 130 after Ctrl-C.
"""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import relay
from relay import RelayError
from relay.cli.parse_arguments import CommandLineError, GivenOnce, Parser
from relay.support.errors import MissingModule, TypeWarning, render
from relay.support.import_lazily import import_lazily

COMMANDS = {
    "run": "run a model on arrays, or on random numbers",
    "compile": "compile a model into one file that runs without the compiler",
    "bench": "measure the speed of a model, and compare it with other engines",
    "show": "show a model: counts, text, or an interactive drawing",
    "explain": "explain how a model was compiled, or an error code",
    "check": "check whether Relay can read the models in files",
    "fmt": "format program texts (.rly files)",
    "tune": "search for the passes with which a model is fastest, for a given time",
    "opt": "run passes on a program, and show what each of them changes",
    "ops": "list the operators, or explain one",
    "completion": "print a script that completes this command line in a shell",
}
"""The commands, each with its line of help. The module has the name of the command."""

_LINE = re.compile(r"^  (-\S+(?: \S+)*)", re.MULTILINE)
_OPTION = re.compile(r"--?[a-z][a-z-]*")

WRONG, INTERRUPTED = 2, 130
"""The exit statuses of a wrong command line, and after Ctrl-C: 128 plus the signal's number."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (by default that of the process) and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except SystemExit as end:  # from argparse, after help
        return end.code if isinstance(end.code, int) else WRONG
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, for example `head`, closed the pipe
        _silence_output()
        return 0


def _run(given: Sequence[str]) -> int:
    if not given:
        _front().print_help(sys.stderr)
        return WRONG
    try:
        name = _command(given[0])
        chosen = _options(name, given[1:])
    except RelayError as error:
        _report(error, as_json="--json" in given, debug="--debug" in given)
        return WRONG if isinstance(error, CommandLineError) else 1
    command: Any = import_lazily(f"relay.cli.{name}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", TypeWarning)
            warnings.showwarning = _warned
            status = command.execute(chosen)
        sys.stdout.flush()  # so that a broken pipe is raised here
    except RelayError as error:
        _report(error, as_json=getattr(chosen, "json", False), debug=chosen.debug)
        return 1
    return status


def _command(given: str) -> str:
    """Return the name of a command; for another word, end with the nearest name."""
    front = _front()
    if given not in COMMANDS and not given.startswith("-"):
        front.error(f"there is no command '{given}'{_near(given, COMMANDS)}")
    command: str = front.parse_args([given]).command
    return command


def _options(name: str, given: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command; for unknown ones, end with the nearest option."""
    parser = parser_of(name)
    chosen, others = parser.parse_known_args(given)
    if others:
        unknown = next((each for each in others if each.startswith("-")), "")
        near = _near(unknown.split("=")[0], options_in(parser.format_help()))
        parser.error(f"unrecognized arguments: {' '.join(others)}{near}")
    return chosen


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def options_in(help_: str) -> list[str]:
    """Return the option names in a help page, found in lines such as `  -o FILE, --output FILE`."""
    words = [word for line in _LINE.findall(help_) for word in line.split(", ")]
    return sorted(match[0] for word in words if (match := _OPTION.match(word)))


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the argument parser of a command."""
    command: Any = import_lazily(f"relay.cli.{name}")
    parser = Parser(
        prog=f"relay {name}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for action in (None, "store"):
        parser.register("action", action, GivenOnce)
    command.configure(parser)
    parser.add_argument(
        "--debug", action="store_true", help="print errors with a traceback of Relay's own code"
    )
    return parser


def _front() -> argparse.ArgumentParser:
    """Return the argument parser of the first argument, which names the command."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {about}" for name, about in COMMANDS.items()]
    parser = Parser(
        prog="relay",
        description="Compile and run machine-learning models.",
        epilog="\n".join(["commands:", *lines, "", "`relay COMMAND --help` explains a command."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"relay {relay.__version__}")
    parser.add_argument(
        "command", choices=COMMANDS, metavar="COMMAND", help="a command of the list below"
    )
    return parser


def _report(error: RelayError, *, as_json: bool, debug: bool) -> None:
    """Print an error: as JSON if the command prints that, and its stack frames with `--debug`."""
    if as_json:
        from relay.cli.json_output import error_fields, print_json  # noqa: PLC0415 - as below

        print_json({"errors": error_fields(error)})
    if debug or not as_json:
        try:
            console: Any = import_lazily("relay.cli.console")  # most runs print no error
        except MissingModule:  # the package that prints in colour
            print(render(error), file=sys.stderr)
        else:
            console.report_error(error, debug=debug)


def _warned(message: Warning | str, category: type[Warning], *place: object) -> None:
    """Print a warning; one about a Relay program is printed like an error, with a location."""
    del place  # the place is in Relay itself
    if isinstance(message, TypeWarning):
        from relay.cli.console import draw_error  # noqa: PLC0415 - most runs print no warning

        draw_error(message)
    else:
        print(f"{category.__name__}: {message}", file=sys.stderr)


def _silence_output() -> None:
    """Redirect standard output to null, so that flushing it at exit cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
