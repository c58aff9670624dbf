"""docs/derivatives.md is the page that tools/derivative_table.py writes."""

from tools import derivative_table


def test_the_page_is_up_to_date():
    page = derivative_table.PAGE.read_text("utf-8")
    assert page == derivative_table.page(), "run tools/derivative_table.py"
