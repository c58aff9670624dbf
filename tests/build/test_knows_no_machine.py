"""What builds programs knows targets by their tables; numbers of a machine are in its folder."""

import re
from pathlib import Path

import pytest

import relay

BUILD = sorted(Path(relay.__file__).parent.joinpath("build").rglob("*.py"))
NUMBERS = re.compile(
    r"relay\.targets\.cpu|\b(?:avx|sse|neon)\w*|\.lanes\(|fma_|vector_(?:bytes|registers)"
    r"|machine\.(?:l[123]|loads)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("path", BUILD, ids=lambda path: path.stem)
def test_build_knows_no_machine(path: Path):
    assert NUMBERS.findall(path.read_text(encoding="utf-8")) == []


def test_the_numbers_are_found_where_they_are():
    tile = BUILD[0].parents[1] / "targets/cpu/schedules/register_tile.py"
    assert NUMBERS.findall(tile.read_text(encoding="utf-8"))
