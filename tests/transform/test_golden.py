"""Programs before and after passes, as text: see `tools.fuzzing.programs.pass_cases`.

`pytest --update-golden` writes the program that is expected; read what it wrote.
"""

from pathlib import Path

import pytest

from relay.build.verify_passes import Verifier
from relay.text.printer import text_of
from relay.transform.run_passes import run_passes
from tools.fuzzing.programs.pass_cases import RULER, read_case

FILES = sorted(Path(__file__).parent.joinpath("golden").glob("*.rly"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, golden):
    case = read_case(path)
    after, _ = run_passes(case.module, case.passes, check=Verifier(values=True))
    golden(path, f"{case.source}\n{RULER}\n\n{text_of(after)}")
