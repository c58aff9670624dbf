"""The laws of operators, as the tests of other packages call them."""

import pytest

from relay.ops.elementwise import Clip
from relay.testing.operator_laws import check_example


def test_a_failure_names_the_law_and_the_example(monkeypatch):
    monkeypatch.setattr(Clip, "gradient", lambda _self, _call, d_out: [d_out * 3])
    with pytest.raises(AssertionError) as found:
        check_example(Clip, Clip.examples[0])
    (note,) = found.value.__notes__
    assert note.startswith("the law 'derivative' of the operator clip, on Example(")
