"""The commands of Relay in ```sh blocks are parsed: each option of the pages exists."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from relay.cli.main import COMMANDS, parser_of

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands() -> Iterator[str]:
    """Yield the command lines of all pages that begin with `relay`."""
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        for block in BLOCK.findall(path.read_text("utf-8")):
            yield from (line for line in block.splitlines() if line.startswith("relay "))


@pytest.mark.parametrize("line", sorted({*commands()}))
def test_a_command_of_a_page_has_these_options(line: str):
    _, name, *options = shlex.split(line, comments=True)
    assert name in COMMANDS
    parser_of(name).parse_args(options)


def test_most_commands_are_on_a_page():
    assert len({line.split()[1] for line in commands()}) >= 8
