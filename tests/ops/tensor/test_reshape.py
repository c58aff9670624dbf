"""Shapes that keep their elements: codes, symbolic sizes, and index arithmetic."""

from itertools import pairwise, product
from math import prod
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Var
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Binary, Const, Op
from relay.kernels.traverse_scalars import walk
from relay.ops.tensor.element_movement import regroup, reshape_formula
from relay.ops.tensor.reshape import (
    ExpandDims,
    Reshape,
    ReshapeLike,
    ReverseReshape,
    Squeeze,
    reshape_to,
)
from relay.ops.tensor.reshape_codes import reshaped
from relay.support.errors import RelayTypeError

N, M = DimVar("n"), DimVar("m")


@pytest.mark.parametrize(
    ("source", "codes", "expected"),
    [
        ((2, 3, 4), (4, 0, 2), (4, 3, 2)),
        ((2, 3, 4), (2, 0, 0), (2, 3, 4)),
        ((2, 3, 4), (6, 1, -1), (6, 1, 4)),
        ((2, 3, 4), (3, -1, 8), (3, 1, 8)),
        ((2, 3, 4), (-2,), (2, 3, 4)),
        ((2, 3, 4), (2, -2), (2, 3, 4)),
        ((2, 3, 4), (-2, 1, 1), (2, 3, 4, 1, 1)),
        ((2, 3, 4), (-3, 4), (6, 4)),
        ((2, 3, 4, 5), (-3, -3), (6, 20)),
        ((2, 3, 4), (0, -3), (2, 12)),
        ((2, 3, 4), (-4, 1, 2, -2), (1, 2, 3, 4)),
        ((2, 3, 4), (2, -4, -1, 3, -2), (2, 1, 3, 4)),
        ((N, 3, 4), (-1, 12), (N, 12)),
        ((N, 3, 4), (0, -1), (N, 12)),
        ((N, 8, 64), (0, 0, 8, -1), (N, 8, 8, 8)),
        ((N, M, 4), (-1,), (4 * N * M,)),
        ((N, M, 4), (N * M, -1), (N * M, 4)),
        ((ANY, 3, 4), (0, -1), (ANY, 12)),
        ((ANY, 3, 4), (-1, 12), (ANY, 12)),
        ((0, 3), (-1, 3), (0, 3)),
        ((), (1, -1), (1, 1)),
    ],
)
def test_the_documented_codes(source, codes, expected):
    assert reshaped("reshape", source, codes) == expected


def test_a_copied_zero_is_a_size_with_allowzero():
    assert Reshape((3, 0), allowzero=True).infer(TensorType((0, 7))).shape == (3, 0)
    assert Reshape((0, -1)).infer(TensorType((0, 7))).shape == (0, 7)


def test_a_copied_zero_holds_no_elements_whatever_stands_beside_it():
    assert Reshape((0, 3)).infer(TensorType((0,))).shape == (0, 3)


@pytest.mark.parametrize(
    ("code", "source", "codes"),
    [
        ("T105", (2, 3), (4, -1)),
        ("T105", (2, 3), (7,)),
        ("T104", (2, 3), (-1, -1)),
        ("T104", (2, 3), (1, 2, 3, 0)),
        ("T104", (2, 3), (-4, 2)),
        ("T104", (2, 3), (-4, -1, -1, 3)),
        ("T105", (6, 3), (-4, 4, -1, 3)),
        ("T104", (2, 3), (-5, 3)),
    ],
)
def test_codes_that_make_no_sense(code, source, codes):
    with pytest.raises(RelayTypeError) as caught:
        Reshape(codes).infer(TensorType(source))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("source", "codes", "expected"),
    [((10, 5, 4), (-1, 0), (50, 4)), ((4, 6), (-1, -4, 2, 3), (4, 2, 3)), ((2, 3), (-1,), (6,))],
)
def test_reverse_codes_start_at_the_right(source, codes, expected):
    assert ReverseReshape(codes).infer(TensorType(source)).shape == expected


def test_a_part_of_the_shape_may_come_from_another_tensor():
    rule = ReshapeLike(1, 3, 2, 3)
    assert rule.infer(TensorType((5, 2, 6, 7)), TensorType((1, 1, 12))).shape == (5, 12, 7)
    with pytest.raises(RelayTypeError, match="T105"):
        ReshapeLike().infer(TensorType((2, 3)), TensorType((5,)))
    with pytest.raises(RelayTypeError, match="T103"):
        ReshapeLike(3).infer(TensorType((2, 3)), TensorType((6,)))


def test_axes_of_length_one_come_and_go():
    assert ExpandDims(-1, 2).infer(TensorType((2, N))).shape == (2, N, 1, 1)
    assert ExpandDims(-3).infer(TensorType((2, 3))).shape == (1, 2, 3)
    assert Squeeze((0, -1)).infer(TensorType((1, N, 1))).shape == (N,)
    assert Squeeze((1,)).infer(TensorType((2, ANY))).shape == (2,)
    with pytest.raises(RelayTypeError, match="T105"):
        Squeeze((0,)).infer(TensorType((2, 1)))
    with pytest.raises(RelayTypeError, match="T104"):
        Squeeze().infer(TensorType((N, 1)))


def test_a_shape_that_is_not_known_is_read_at_run_time():
    x, known = Var("x", TensorType((6,))), Var("k", TensorType((N, 6)))
    assert isinstance(reshape_to(x, Var("y", TensorType((ANY, 3)))), Call)
    restored = reshape_to(Var("z", TensorType((6 * N,))), known)
    assert restored.tensor_type.shape == (N, 6)


factorisations = st.lists(st.integers(1, 4), max_size=5)


@given(st.permutations([2, 2, 3, 1, 4]), st.data())
def test_regrouping_is_row_major(sizes, data):
    cut = sorted(data.draw(st.lists(st.integers(0, len(sizes)), max_size=3)))
    bounds = [0, *cut, len(sizes)]
    merged = [prod(sizes[a:b]) for a, b in pairwise(bounds)]
    for old, new in ((sizes, merged), (merged, sizes), (sizes, sizes[::-1])):
        for flat, index in enumerate(product(*map(range, old))):
            places = regroup(old, new, [te.const(i) for i in index])
            values = tuple(place.value for place in places if isinstance(place, Const))
            assert values == np.unravel_index(flat, new)


@pytest.mark.parametrize(
    ("old", "new", "divisions"),
    [
        ((8, 3, 5), (8, 15), 2),
        ((8, 15), (8, 3, 5), 0),
        ((2, 1, 7), (1, 2, 7, 1), 0),
        ((4, 6, 5), (24, 5), 2),
    ],
)
def test_an_axis_that_is_copied_costs_no_division(old, new, divisions):
    body = cast(te.Computed, reshape_formula(te.placeholder(old, "float32"), new)).body
    ops = [part.op for part in set(walk(body)) if isinstance(part, Binary)]
    assert sum(op in (Op.FLOORDIV, Op.FLOORMOD) for op in ops) == divisions


@pytest.mark.parametrize(
    ("source", "codes", "said"),
    [
        ((2, 3), (4, 2), "has 6 elements, but the new shape 8"),
        ((N, 3), (N, 2), "has 3 \\* n elements, but the new shape 2 \\* n"),
        ((ANY, 3), (0, 2), "has 3 elements, but the new shape 2"),
        ((2, 3), (2, 2, -1), "6 elements cannot be divided by 4"),
    ],
)
def test_what_stands_on_both_sides_is_counted_in_messages(source, codes, said):
    with pytest.raises(RelayTypeError, match=said):
        reshaped("reshape", source, codes)
