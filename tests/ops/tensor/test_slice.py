"""Slices against Python's own slicing."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay.ir.dims import ANY, Dim, DimVar, static, substitute
from relay.ir.types import TensorType
from relay.opdef.dim_constraints import Constraint, Relation
from relay.ops.tensor.slice import SliceLike, StridedSlice, StridedSliceGrad
from relay.ops.tensor.strided_set import StridedSet
from relay.support.errors import RelayTypeError

N = DimVar("n")
END = 2**31 - 1
bounds = st.one_of(st.integers(-9, 9), st.sampled_from([END, -END]))


@given(st.integers(0, 7), bounds, bounds, st.sampled_from([-3, -2, -1, 1, 2, 3]))
def test_a_slice_is_pythons(size, begin, end, stride):
    x = np.arange(size)
    start, stop, _ = slice(begin, end, stride).indices(size)
    rule = StridedSlice((begin,), (end,), (stride,))
    if (stop - start) * stride < 0:
        with pytest.raises(RelayTypeError, match="T105"):
            rule.infer(TensorType((size,), "int64"))
        return
    np.testing.assert_array_equal(rule.reference(x), x[begin:end:stride])
    assert rule.infer(TensorType((size,), "int64")).shape == x[begin:end:stride].shape


def _holds(taken: Constraint, at: Mapping[DimVar, Dim]) -> bool:
    left, right = static((substitute(taken.left, at), substitute(taken.right, at)))
    return left >= right if taken.relation is Relation.AT_LEAST else left == right


@given(st.integers(0, 12), bounds, bounds, st.sampled_from([-2, -1, 1, 2]))
def test_a_symbolic_size_is_right_for_every_size(size, begin, end, stride):
    rule = StridedSlice((begin,), (end,), (stride,))
    start, stop, _ = slice(begin, end, stride).indices(size)
    if (stop - start) * stride < 0:
        return
    try:
        typing = rule.typing([TensorType((N,))])
    except RelayTypeError:
        assert size < 9
        return
    assert isinstance(typing.type, TensorType)
    (general,) = typing.type.shape
    at = {N: size}
    if all(_holds(each, at) for each in typing.constraints):
        assert substitute(general, at) == len(range(start, stop, stride))
    else:
        assert size == 0
        assert "max" not in str(general)


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        (0, END, N),
        (1, END, N - 1),
        (-1, END, 1),
        (0, 1, 1),
        (0, N, N),
        (2, N - 1, None),
    ],
)
def test_plain_symbolic_slices_stay_plain(begin, end, expected):
    (size,) = StridedSlice((begin,), (end,)).infer(TensorType((N,))).shape
    assert expected is None or size is expected


def test_the_size_mode_takes_lengths():
    rule = StridedSlice((1, 2), (3, -1), slice_mode="size")
    x = np.arange(30).reshape(6, 5)
    np.testing.assert_array_equal(rule.reference(x), x[1:4, 2:])


def test_without_axes_every_unknown_size_is_sliced_anew():
    assert StridedSlice((0,), (2,)).infer(TensorType((5, ANY))).shape == (2, ANY)
    assert StridedSlice((0,), (2,), axes=(1,)).infer(TensorType((N, 5))).shape == (N, 2)


def test_a_stride_of_zero_is_refused():
    with pytest.raises(RelayTypeError, match="T104"):
        StridedSlice((0,), (2,), (0,))


@given(st.integers(-7, 7), st.integers(-7, 7), st.sampled_from([-2, -1, 1, 3]))
def test_setting_a_slice_is_numpys_assignment(begin, end, stride):
    start, stop, _ = slice(begin, end, stride).indices(6)
    if (stop - start) * stride < 0:
        return
    x = np.arange(12.0).reshape(6, 2)
    v = np.full((len(range(start, stop, stride)), 2), -1.0)
    expected = x.copy()
    expected[begin:end:stride] = v
    found = StridedSet().reference(x, v, *(np.array([b]) for b in (begin, end, stride)))
    np.testing.assert_array_equal(found, expected)


def test_slice_like_takes_the_other_sizes():
    assert SliceLike().infer(TensorType((4, N)), TensorType((2, 3))).shape == (2, 3)
    assert SliceLike((-1,)).infer(TensorType((4, 5)), TensorType((9, 3))).shape == (4, 3)
    with pytest.raises(RelayTypeError, match="T105"):
        SliceLike().infer(TensorType((4, 5)), TensorType((9, 3)))


def test_the_derivative_undoes_the_reading():
    forward = StridedSlice((5,), (0,), (-2,))
    back = StridedSliceGrad((5,), (0,), (-2,))
    x = np.arange(6.0)
    restored = back.reference(forward.reference(x), x)
    np.testing.assert_array_equal(restored, [0, 1, 0, 3, 0, 5])
