"""Functions over symbolic sizes, written for the sizes that their callers pass."""

from typing import cast

import numpy as np
import pytest

import relay
from relay.ir.module import Module
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.errors import CompileError
from relay.transform.monomorphize_dims import MonomorphizeDims

HEAD = '#[version = "0.0.5"]\n'
TWICE = """
def @norm(%x: Tensor[(n), float32]) -> Tensor[(n), float32] { divide(%x, sum(%x)) }
def @main(%x: Tensor[(4), float32], %y: Tensor[(2), float32]) {
  (@norm(@norm(%x)), @norm(%y))
}
"""


def instances(text: str, limit: int = 1000) -> Module:
    module = MonomorphizeDims(limit=limit)(infer(relay.parse(HEAD + text)))
    check_well_formed(module)
    check_types(module)
    return module


def test_each_size_has_its_own():
    module = instances(TWICE)
    assert set(module.functions) == {"main", "norm_1", "norm_2"}
    shapes = {module[name].params[0].tensor_type.shape for name in ("norm_1", "norm_2")}
    assert shapes == {(4,), (2,)}
    x, y = np.arange(1, 5, dtype=np.float32), np.ones(2, np.float32)
    a, b = cast("tuple[np.ndarray, np.ndarray]", evaluate(module, x, y))
    np.testing.assert_allclose(a, x / 10, rtol=1e-6)
    np.testing.assert_allclose(b, [0.5, 0.5])
    for found, wanted in zip(relay.compile(relay.parse(HEAD + TWICE))(x, y), (a, b), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_program_of_known_sizes_is_unchanged():
    module = instances(TWICE)
    assert MonomorphizeDims()(module) is module


def test_a_recursion_calls_its_own_instance():
    module = instances("""
def @walk(%n: int32, %x: Tensor[(n), float32]) -> Tensor[(n), float32] {
  if (less(%n, 1)) { %x } else { @walk(subtract(%n, 1), tanh(%x)) }
}
def @main(%x: Tensor[(3), float32]) -> Tensor[(3), float32] { @walk(2, %x) }
""")
    assert set(module.functions) == {"main", "walk_1"}


def test_sizes_that_the_entry_leaves_open_stay_open():
    module = instances(TWICE.replace("(4)", "(k)").replace("(2)", "(m)"))
    assert set(module.functions) == {"main", "norm"}


def test_sizes_without_end_are_refused():
    with pytest.raises(CompileError, match="more than 10 ") as caught:
        instances(
            """
def @grow(%x: Tensor[(n), float32]) -> float32 { @grow(concatenate((%x, %x))) }
def @main(%x: Tensor[(3), float32]) -> float32 { @grow(%x) }
""",
            limit=10,
        )
    assert caught.value.code == "C113"
