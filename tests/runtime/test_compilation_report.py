"""What a program's metadata has of its compilation."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from relay.runtime.compilation_report import KEY, Report, report_of


def test_notes_and_remarks_are_written_if_there_are_any():
    _, text = Report((), notes=("slow",), remarks=("why",)).entry()
    assert json.loads(text).items() >= {"notes": ["slow"], "remarks": ["why"]}.items()
    assert not json.loads(Report(()).entry()[1]).keys() & {"notes", "remarks"}


@pytest.mark.parametrize(
    "text", ["[" * 10**5, f'{{"passes": [], "kernel_seconds": 1{"0" * 400}}}', "3", "{}"]
)
def test_a_damaged_report_is_empty(text: str):
    program: Any = SimpleNamespace(metadata=((KEY, text),))
    assert (report_of(program).passes, report_of(program).kernel_seconds) == ((), 0.0)
