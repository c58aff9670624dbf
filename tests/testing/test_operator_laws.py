"""The laws of operators, as the tests of other packages call them."""

import numpy as np
import pytest

from relay.ir.expr import Constant
from relay.ops.creation import Full
from relay.ops.elementwise import Clip
from relay.testing.operator_laws import check_example


def test_a_failure_names_the_law_and_the_example(monkeypatch):
    monkeypatch.setattr(Clip, "gradient", lambda _self, _call, d_out: [d_out * 3])
    with pytest.raises(AssertionError) as found:
        check_example(Clip, Clip.examples[0])
    (note,) = found.value.__notes__
    assert note.startswith("the law 'derivative' of the operator clip, on Example(")


def test_a_reference_that_converts_as_numpy_does_breaks_a_law(monkeypatch):
    def reference(op: Full, fill_value: np.ndarray) -> np.ndarray:
        ty = op.infer(Constant(fill_value).tensor_type)
        with np.errstate(all="ignore"):
            return np.full(ty.static_shape, fill_value.astype(ty.dtype.numpy))

    monkeypatch.setattr(Full, "reference", reference)
    with pytest.raises(AssertionError, match="not equal") as found:
        check_example(Full, Full.examples[0])
    assert found.value.__notes__[0].startswith("Full(shape=(2, 3), dtype=int2) of [float32]")
    assert found.value.__notes__[1].startswith("the law 'element_types' of the operator full, on")
