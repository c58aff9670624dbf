"""The example compilers are installed for these tests, as `pip install` would."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples" / "compilers"
FOLDERS = (str(EXAMPLES), str(HERE))
"""What a child process needs on its path."""


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(folder)
