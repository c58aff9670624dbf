"""The table of the classic names is true, and complete."""

import re
from pathlib import Path
from typing import Any

import pytest

import relay
from relay.classic.unsupported_names import ABSENT
from relay.testing.operator_coverage import coverage

PAGE = (Path(__file__).parents[2] / "docs" / "classic-names.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| (–|`[\w.]+`) \| (.*?) ?\|$", PAGE, re.MULTILINE)
HERE = [(name, here.strip("`")) for name, here, _ in ROWS if here != "–"]
GONE = [(name, instead) for name, here, instead in ROWS if here == "–"]


def find(path: str) -> Any:
    found: Any = relay
    for name in path.split(".")[1:]:
        found = getattr(found, name)
    return found


def test_every_line_of_the_tables_is_read():
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) == len({name for name, _, _ in ROWS})


def test_what_is_here_is_found_before_anything_is_imported():
    """Packages also have the modules that were imported before as attributes: not enough."""
    firsts = {here.split(".")[1] for _, here in HERE}
    assert all(relay.__getattr__(name) is getattr(relay, name) for name in firsts)


@pytest.mark.parametrize(("name", "here"), HERE, ids=[name for name, _ in HERE])
def test_what_is_here_is_found(name: str, here: str):
    assert find(here) is not None
    assert name.startswith("tvm.") or name == here


@pytest.mark.parametrize(("name", "instead"), GONE, ids=[name for name, _ in GONE])
def test_what_is_not_here_says_what_to_do(name: str, instead: str):
    with pytest.raises(relay.RelayError) as found:
        find(name)
    assert (found.value.code, found.value.help) == ("U072", instead)


def test_every_absent_name_is_in_the_table():
    assert {*ABSENT} - {"gradient"} <= {name.split(".")[1] for name, _ in GONE}


def test_every_operator_is_here_or_has_a_reason():
    assert [each.name for each in coverage() if not each.is_here and not each.reason] == []
