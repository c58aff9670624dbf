"""Format program texts (.rly files): spaces and line breaks change, names and comments do not.

    relay fmt program.rly
    relay fmt --check *.rly

A leading byte order mark is removed. A file with a syntax error is not changed; type errors are
allowed.

Exit status: 0 if all files are formatted now; 1 if one is not (`--check`) or has a syntax error.
"""

import argparse
import sys
from pathlib import Path

from relay.cli.console import console, report_error
from relay.cli.parse_arguments import at_least
from relay.frontend.text import MARK, check_text, read_text
from relay.support.errors import RelayError
from relay.support.write_file import rewrite_text
from relay.text.formatter import WIDTH, format_text

GOOD, BAD = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="program texts, .rly")
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--check",
        action="store_true",
        help="list the files that are not formatted, and change none",
    )
    way.add_argument(
        "--stdout", action="store_true", help="print the formatted text, and change no file"
    )
    parser.add_argument(
        "--width",
        type=at_least(1),
        default=WIDTH,
        metavar="N",
        help=f"longest line (default: {WIDTH})",
    )


def execute(options: argparse.Namespace) -> int:
    """Run the command: format each file; return the worst exit status."""
    return max(_format(path, options) for path in options.files)


def _format(path: Path, options: argparse.Namespace) -> int:
    try:
        before = read_text(path)
        check_text(before, str(path))
        after = format_text(before.removeprefix(MARK), str(path), width=options.width)
        return _finish(path, before, after, options)
    except RelayError as error:
        report_error(error, debug=options.debug)
        return BAD


def _finish(path: Path, before: str, after: str, options: argparse.Namespace) -> int:
    """Write or compare the formatted text, as the options say; return the exit status."""
    if options.stdout:
        sys.stdout.write(after)
    elif before != after and options.check:
        console().print(f"{path}: differs", soft_wrap=True)
        return BAD
    elif before != after:
        rewrite_text(path, after)
        console().print(f"{path}: formatted", soft_wrap=True)
    return GOOD
