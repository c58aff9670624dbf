"""What a program's metadata has of its compilation."""

import json

from relay.runtime.compilation_report import Report


def test_notes_and_remarks_are_written_if_there_are_any():
    _, text = Report((), notes=("slow",), remarks=("why",)).entry()
    assert json.loads(text).items() >= {"notes": ["slow"], "remarks": ["why"]}.items()
    assert not json.loads(Report(()).entry()[1]).keys() & {"notes", "remarks"}
