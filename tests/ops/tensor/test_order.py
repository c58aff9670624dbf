"""Sorting, searching and scanning against NumPy and PyTorch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from relay.ir.dims import ANY, DimVar
from relay.ir.types import TensorType
from relay.ops.tensor.scan import Cumprod, Cumsum
from relay.ops.tensor.search_and_unique import ArgWhere, InvertPermutation, SearchSorted, Unique
from relay.ops.tensor.sort import Argsort, Sort, TopK
from relay.support.errors import RelayTypeError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

few = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan])
lines = hnp.arrays(np.float64, st.integers(0, 12), elements=few)


@given(lines)
def test_ascending_is_numpys_stable_order(x):
    np.testing.assert_array_equal(Sort().reference(x), np.sort(x))
    found = Argsort(dtype="int64").reference(x)
    np.testing.assert_array_equal(found, np.argsort(x, kind="stable"))


@given(lines)
def test_descending_is_pytorchs_stable_order(x):
    values, places = torch.sort(torch.tensor(x), descending=True, stable=True)
    np.testing.assert_array_equal(Sort(is_ascend=False).reference(x), values.numpy())
    np.testing.assert_array_equal(Argsort(is_ascend=False).reference(x), places.numpy())


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_is_pytorchs(axis, largest):
    x = np.random.default_rng(1).standard_normal((6, 7)).astype(np.float32)
    values, places = TopK(3, axis, is_ascend=not largest).reference(x)
    expected = torch.topk(torch.tensor(x), 3, axis, largest)
    np.testing.assert_array_equal(values, expected.values.numpy())
    np.testing.assert_array_equal(places, expected.indices.numpy())


def test_topk_without_a_number_takes_all():
    n = DimVar("n")
    assert TopK(0, ret_type="values").infer(TensorType((2, n))).shape == (2, n)
    assert TopK(n, ret_type="indices").infer(TensorType((2, 9))).shape == (2, n)
    with pytest.raises(RelayTypeError, match="T104"):
        TopK(4).infer(TensorType((3,)))


@given(lines, st.booleans())
def test_searching_is_numpys(x, right):
    sequence = np.sort(x)
    side = "right" if right else "left"
    found = SearchSorted(right, "int64").reference(sequence, x)
    np.testing.assert_array_equal(found, np.searchsorted(sequence, x, side))


@pytest.mark.parametrize("order", [True, False])
def test_unique_is_pytorchs_or_in_order_of_occurrence(order):
    x = np.array([3, 1, 3, 0, 1, 3, 7])
    unique, first, inverse, number, counts = Unique(order, return_counts=True).reference(x)
    (n,) = number
    expected = [0, 1, 3, 7] if order else [3, 1, 0, 7]
    assert unique.tolist() == [*expected, 0, 0, 0]
    assert n == 4
    np.testing.assert_array_equal(unique[inverse], x)
    np.testing.assert_array_equal(x[first[:n]], unique[:n])
    assert counts[:n].tolist() == [x.tolist().count(value) for value in expected]


def test_the_number_of_nonzero_elements_is_data():
    x = np.array([[0, 2], [0, 0], [5, 1]])
    np.testing.assert_array_equal(ArgWhere().reference(x), torch.tensor(x).nonzero().numpy())
    assert ArgWhere().infer(TensorType((3, 2))).shape == (ANY, 2)


def test_inverting_twice_changes_nothing():
    order = np.random.default_rng(3).permutation(20)
    inverse = InvertPermutation().reference(order)
    np.testing.assert_array_equal(order[inverse], np.arange(20))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans_are_pytorchs(axis):
    x = np.random.default_rng(1).standard_normal((3, 4))
    t = torch.tensor(x)
    np.testing.assert_allclose(Cumsum(axis).reference(x), torch.cumsum(t, axis).numpy())
    np.testing.assert_allclose(Cumprod(axis).reference(x), torch.cumprod(t, axis).numpy())


def test_an_exclusive_scan_leaves_out_its_own_element():
    x = np.array([[1, 2, 3], [4, 5, 6]])
    assert Cumsum(1, exclusive=True).reference(x).tolist() == [[0, 1, 3], [0, 4, 9]]
    assert Cumprod(0, exclusive=True).reference(x).tolist() == [[1, 1, 1], [1, 2, 3]]
    assert Cumsum(None, "int64").infer(TensorType((2, 3), "int32")).shape == (6,)
