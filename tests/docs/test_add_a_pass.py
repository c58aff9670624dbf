"""docs/how-to/add-a-pass.md is performed: its file is put beside our passes, its programs run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import relay
from relay.ir.equality import structural_equal

PAGE = (Path(__file__).parents[2] / "docs/how-to/add-a-pass.md").read_text("utf-8")
(FILE,) = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROGRAM, EXPECTED = re.findall(r"^```rly\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(COMMANDS,) = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PASSES = PROGRAM.splitlines()[0].removeprefix("// passes: ")

RUN = """
import sys
import relay.transform.simplify

relay.transform.simplify.__path__.append(sys.argv[1])  # as if the file were there
from relay.cli.main import main

for command in sys.argv[2:]:
    print("RELAY", command, flush=True)
    assert main(command.split()[1:]) == 0
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Run the commands of the page and return what each has printed."""
    folder = tmp_path_factory.mktemp("pass")
    (folder / "drop_signs.py").write_text(FILE, "utf-8")
    (folder / "program.rly").write_text(PROGRAM, "utf-8")
    commands = [line.replace('"', "") for line in COMMANDS.splitlines()]
    commands += [f"relay opt program.rly -p {PASSES} --verify", "relay opt --list"]
    process = [sys.executable, "-c", RUN, str(folder), *commands]
    done = subprocess.run(process, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outputs = re.split(r"^RELAY .*\n", done.stdout, flags=re.MULTILINE)[1:]
    return dict(zip(commands, outputs, strict=True))


def test_the_pass_does_what_the_page_says(ran: dict[str, str]):
    found = ran[f"relay opt program.rly -p {PASSES} --verify"]
    assert structural_equal(relay.parse(found), relay.parse(EXPECTED))


def test_the_commands_of_the_page_run(ran: dict[str, str]):
    diff, option, explained, minimized, _, listed = ran.values()
    assert "-  %0 = negative(%x);" in diff
    assert "cos(%x)" in minimized  # the pass is right, so there is nothing to minimise
    assert "cos(%1)" in option
    assert explained.startswith("drop-signs{keep_abs=False}\n\nDrop what changes only the sign")
    assert "drop-signs" in listed
