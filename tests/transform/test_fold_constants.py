"""Constant folding of large tensors: what their bytes decide."""

import numpy as np

import relay
from relay.ir.expr import Call, Constant
from relay.semantics.infer import infer
from relay.transform.fold_constants import FoldConstants


def folded(expr: relay.Expr) -> relay.Expr:
    return FoldConstants()(infer(relay.Module({"main": relay.Function((), expr)}))).main.body


def test_what_is_joined_is_no_more_than_its_parts():
    parts = [relay.const(np.full(10_000, number, np.float32)) for number in (1, 2)]
    joined = folded(relay.concatenate(parts, axis=0))
    assert isinstance(joined, Constant)
    np.testing.assert_array_equal(joined.data, np.repeat([1, 2], 10_000))


def test_all_results_together_may_be_too_large():
    lines = [relay.const(np.arange(length, dtype=np.float32)) for length in (100, 90)]
    assert isinstance(folded(relay.meshgrid(lines)), Call), "72,000 bytes"
