"""docs/tensorflow-operators.md is the page that tools/tensorflow_table.py writes."""

from tools import tensorflow_table


def test_the_page_is_up_to_date():
    page = tensorflow_table.PAGE.read_text("utf-8")
    again = tensorflow_table.page(tensorflow_table.names_in(page))
    assert page == again, "run tools/tensorflow_table.py"
