"""docs/keras-layers.md is the page that tools/keras_table.py writes."""

from tools import keras_table


def test_the_page_is_up_to_date():
    page = keras_table.PAGE.read_text("utf-8")
    again = keras_table.page(keras_table.names_in(page))
    assert page == again, "run tools/keras_table.py"
