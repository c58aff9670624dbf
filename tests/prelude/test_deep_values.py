"""Lists and trees that are deeper than Python's own stack: made, used, compared, shown and freed.

`tools/deep_values.py` does the same at full size.
"""

from typing import Any

import numpy as np
import pytest

import relay
from relay.container.module_file import pack, unpack
from relay.ir.equality import structural_equal
from relay.prelude import library
from relay.semantics.evaluate import evaluate
from relay.text.printer import text_of
from tools.deep_values import ON_LISTS, ON_TREES, deep_tree, elements, long_list, nested_calls
from tools.fuzzing.programs.values import same

LENGTH, DEPTH = 2_000, 1_000


@pytest.mark.parametrize("body", ON_LISTS)
def test_functions_on_long_lists(body: str):
    module = relay.parse(f"{ON_LISTS[body][0]} {{ {body} }}")
    xs = np.arange(LENGTH, dtype=np.int32) % 97
    value: Any = evaluate(module, long_list(xs))
    expected = ON_LISTS[body][1](xs)
    found = value if np.ndim(expected) == 0 else elements(value)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("body", ON_TREES)
def test_functions_on_deep_trees(body: str):
    module = relay.parse(f"{ON_TREES[body][0]} {{ {body} }}")
    assert evaluate(module, deep_tree(DEPTH)) == ON_TREES[body][1](DEPTH)


def test_long_lists_are_compared_shown_and_freed():
    one, other = (long_list(np.arange(10_000, dtype=np.int32)) for _ in range(2))
    assert same(one, other)
    assert not same(one, long_list(np.arange(1, 10_001, dtype=np.int32)))
    assert repr(one).startswith("Cons(0, Cons(1, ")
    assert repr(one).endswith("…")
    del one, other


def test_a_program_that_spells_a_long_list():
    module = relay.parse(nested_calls(1_500))
    again = relay.parse(text_of(module))
    assert structural_equal(module, again)
    assert structural_equal(module, unpack(pack(module)))
    assert evaluate(again) == 1_500


def test_a_short_value_is_shown_whole():
    c = library("prelude.rly").constructors()
    pair: Any = (np.int32(1), ())
    data = type(long_list(np.arange(1)))
    nested = data(c["Cons"], (pair, data(c["Nil"], ())))
    assert repr(nested) == "Cons((1, ()), Nil)"
