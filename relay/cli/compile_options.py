"""Command-line options for the arguments of `relay.compile`, shared by several commands."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from relay.cli.parse_arguments import at_least, names, once_each, shapes_of
from relay.runtime.thread_pool import CAPACITY
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

_SWITCHES = {
    "--fast-math": "reorder floating-point sums, which changes their rounding",
    "--specialise": "compile again, at run time, for each combination of input sizes",
    "--verify": (
        "evaluate the program before and after every pass, and report a pass that changes a value"
    ),
    "--batch": "batch independent calls of recursive functions over trees and lists",
}


def add_shapes(parser: argparse.ArgumentParser) -> None:
    """Add the option `--shape` to a command."""
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=1,3,224,224",
        help="the shape of an input, for dimensions that the model leaves open; may be repeated",
    )


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Add the options `--shape` and `--threads` to a command."""
    add_shapes(parser)
    parser.add_argument(
        "--threads",
        type=at_least(1, CAPACITY),
        metavar="N",
        help="number of threads (default: all CPUs)",
    )


def add_compilation(parser: argparse.ArgumentParser) -> None:
    """Add all options of `relay.compile`, except for the target, to a command."""
    add_threads(parser)
    for name, about in _SWITCHES.items():
        parser.add_argument(name, action="store_true", help=about)
    parser.add_argument(
        "--opt-level",
        type=at_least(0, 3),
        metavar="N",
        help="0 (only required passes) to 3 (all passes, the default)",
    )
    parser.add_argument(
        "--compilers",
        type=names,
        default=[],
        metavar="NAMES",
        help="external compilers to use where they are faster, such as onnxruntime,torch",
    )
    parser.add_argument(
        "--donate",
        action="append",
        default=[],
        metavar="INPUT=NUMBER",
        help="reuse the memory of an input for a result (0 is the first one); may be repeated",
    )
    parser.add_argument(
        "--schedule",
        action="append",
        default=[],
        metavar="KERNEL:FIELD=VALUE",
        help="set a field of a kernel's schedule, as `relay explain` shows it, or a field of "
        "such a field, KERNEL:FIELD.FIELD=VALUE; may be repeated",
    )


def compilation_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `relay.compile` for parsed options; raises `U010`."""
    return {
        "target": getattr(options, "target", None),
        "threads": options.threads,
        "shapes": shapes_of(options.shape),
        "opt_level": options.opt_level,
        "donate": _donations(options.donate),
        "schedules": _schedules(options.schedule),
        "compilers": options.compilers,
        **{name: getattr(options, name) for name in map(_field, _SWITCHES)},
    }


def ineffective(options: argparse.Namespace) -> list[str]:
    """Return the options on the command line that have no effect on a compiled file."""
    switches = [name for name in _SWITCHES if getattr(options, _field(name))]
    values = ["--opt-level", "--compilers", "--donate", "--schedule"]
    return [
        *switches,
        *(name for name in values if getattr(options, _field(name)) not in (None, [])),
    ]


def no_effect(names: Sequence[str]) -> str:
    """Return the beginning of a message about options that have no effect.

    >>> no_effect(["--schedule"]), no_effect(["--schedule", "--donate"])
    ('the option --schedule has no effect', 'the options --schedule, --donate have no effect')
    """
    plural = len(names) > 1
    verb = "have" if plural else "has"
    return f"the option{'s' * plural} {', '.join(names)} {verb} no effect"


def _field(name: str) -> str:
    """Return the attribute in which a parser stores an option: `opt_level` for `--opt-level`."""
    return name.removeprefix("--").replace("-", "_")


def _read(option: str, text: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise UsageError(
            ErrorCode.U010,
            f"the option {option} cannot have the value '{text}'",
            help=f"write it as {_EXAMPLES[option]}",
        ) from None


_EXAMPLES = {
    "--donate": "INPUT=NUMBER, such as --donate state=1",
    "--schedule": "KERNEL:FIELD=VALUE, such as --schedule dense+relu:wide=7",
}
"""The forms of options, by name."""


def _donation(text: str) -> tuple[str, int]:
    name, result = text.rsplit("=", 1)
    return name, int(result)


def _donations(texts: Sequence[str]) -> Mapping[str, int]:
    return once_each("--donate", (_read("--donate", text, _donation) for text in texts))


def _chosen_twice(option: str, text: str) -> UsageError:
    message = f"the option {option} {text} sets a field that another {option} sets, too"
    return UsageError(ErrorCode.U010, message, help="omit one of them")


def _schedules(texts: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    chosen: dict[str, Any] = {}
    for text in texts:
        kernel, field, value = _read("--schedule", text, _schedule)
        *outer, last = [kernel, *field.split(".")]
        fields = chosen
        for each in outer:
            inner = fields.setdefault(each, {})
            if not isinstance(inner, dict):
                raise _chosen_twice("--schedule", text)
            fields = cast("dict[str, Any]", inner)
        if last in fields:
            raise _chosen_twice("--schedule", text)
        fields[last] = value
    return chosen


def _schedule(text: str) -> tuple[str, str, Any]:
    """Parse `KERNEL:FIELD=VALUE`: a kernel, a field of its schedule, and the field's value.

    >>> _schedule("dense+relu:wide=7"), _schedule("dense:order=[1, 0]")
    (('dense+relu', 'wide', 7), ('dense', 'order', [1, 0]))
    """
    place, value = text.split("=", 1)
    kernel, field = place.rsplit(":", 1)
    return kernel, field, json.loads(value)
