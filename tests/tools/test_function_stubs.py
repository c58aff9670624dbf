"""The stubs of the builder functions are those that tools/stubs.py writes."""

from pathlib import Path

import pytest

from tools import stubs


@pytest.mark.parametrize(("prefix", "module"), [*stubs.MODULES.items()])
def test_the_stub_is_up_to_date(prefix, module):
    path = Path(module.__file__).with_suffix(".pyi")
    assert path.read_text("utf-8") == stubs.stub(prefix, module), "run tools/stubs.py"
