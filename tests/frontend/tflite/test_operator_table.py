"""docs/tflite-operators.md is the page that tools/tflite_table.py writes."""

from importlib.metadata import version

import pytest

from tools import tflite_table


@pytest.mark.skipif(version("tflite") != tflite_table.SCHEMA, reason="another schema")
def test_the_page_is_up_to_date():
    page = tflite_table.PAGE.read_text("utf-8")
    assert page == tflite_table.page(), "run tools/tflite_table.py"
