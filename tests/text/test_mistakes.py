"""Texts with mistakes, some as a newcomer would write them, and the drawing that each one gets."""

from pathlib import Path

import pytest
from conftest import Golden

import relay
from relay.support.errors import RelayError, render

FILES = sorted(Path(__file__).parent.joinpath("mistakes").glob("*.rly"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_mistake_is_drawn_where_it_is(path: Path, golden: Golden):
    with pytest.raises(RelayError) as caught:
        relay.parse(path.read_text(encoding="utf-8"), path.name)
    errors = [caught.value, *caught.value.others]
    assert all(error.span is not None and error.span.line > 0 for error in errors)
    golden(path.with_suffix(".txt"), "\n\n".join(map(render, errors)) + "\n")


def test_there_are_enough():
    assert len(FILES) >= 25
