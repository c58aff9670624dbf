"""Joining, repeating, masking, windows and layouts against NumPy and PyTorch."""

import numpy as np
import pytest

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Constant
from relay.ir.types import TensorType, TupleType
from relay.ops.tensor.concat_and_split import Concatenate, Meshgrid, Split, Stack
from relay.ops.tensor.dynamic_shapes import DynamicReshape, DynamicTopK
from relay.ops.tensor.einsum import Einsum, parse
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.one_hot_and_shape_of import OneHot, ShapeOf, UnravelIndex
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat, Tile
from relay.ops.tensor.transpose import ReverseSequence, Transpose
from relay.ops.tensor.triangles_masks_diagonals import MatrixSetDiag, SequenceMask, Trilu
from relay.ops.tensor.windows_and_fourier import DFT, STFT, SlidingWindow
from relay.support.errors import RelayTypeError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

N = DimVar("n")
rng = np.random.default_rng(11)


def types(*shapes, dtype="float32") -> TupleType:
    return TupleType(tuple(TensorType(shape, dtype) for shape in shapes))


def test_sizes_add_up_along_the_joined_axis():
    assert Concatenate(1).infer(types((2, N), (2, 3))).shape == (2, N + 3)
    assert Concatenate(0).infer(types((ANY, 4), (2, ANY))).shape == (ANY, 4)
    assert Stack(-1).infer(types((2, N), (2, N))).shape == (2, N, 2)
    with pytest.raises(RelayTypeError, match="T105"):
        Concatenate(0).infer(types((2, 3), (2, 4)))
    with pytest.raises(RelayTypeError, match="T150"):
        Concatenate(0).infer(TupleType(()))
    with pytest.raises(RelayTypeError, match="T150"):
        Concatenate(0).infer(TupleType((*types((2, 3)).fields, types((2, 3)))))


def test_splitting_undoes_joining():
    x = rng.standard_normal((3, 8))
    for sections in (4, (2, 3, 3)):
        parts = Split(sections, 1).reference(x)
        np.testing.assert_array_equal(Concatenate(1).reference(parts), x)
    assert [ty.shape for ty in Split(2).infer(TensorType((2 * N, 3))).fields] == [(N, 3)] * 2
    assert [ty.shape for ty in Split((1,)).infer(TensorType((N,))).fields] == [(1,), (N - 1,)]
    with pytest.raises(RelayTypeError, match="T105"):
        Split(3).infer(TensorType((8,)))
    with pytest.raises(RelayTypeError, match="T104"):
        Split((5, 2)).infer(TensorType((8,)))


@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_a_grid_is_pytorchs(indexing):
    axes = [np.arange(2.0), np.arange(3.0), np.arange(4.0)]
    expected = torch.meshgrid(*map(torch.tensor, axes), indexing=indexing)
    for ours, theirs in zip(Meshgrid(indexing).reference(axes), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs.numpy())


def test_repeating_is_pytorchs():
    x = torch.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(Tile((2, 1, 2)).reference(x.numpy()), x.tile(2, 1, 2).numpy())
    expected = x.repeat_interleave(2, 1).numpy()
    np.testing.assert_array_equal(Repeat(2, 1).reference(x.numpy()), expected)


def test_a_permutation_must_be_one():
    assert Transpose((1, -1, 0)).infer(TensorType((N, 2, 3))).shape == (2, 3, N)
    with pytest.raises(RelayTypeError, match="T104"):
        Transpose((0, 0)).infer(TensorType((2, 3)))


@pytest.mark.parametrize(
    "equation", ["ij,jk->ik", "bij,bkj->bik", "ij,jk,kl", "...i,i->...", "ii->i", "ij->ji", "ij->"]
)
def test_einstein_sums_are_pytorchs(equation):
    left = equation.partition("->")[0].split(",")
    data = tuple(rng.standard_normal([3] * len(term.replace("...", "xy"))) for term in left)
    expected = torch.einsum(equation, *map(torch.tensor, data)).numpy()
    np.testing.assert_allclose(Einsum(equation).reference(data), expected)
    shape = Einsum(equation).infer(types(*(x.shape for x in data), dtype="float64")).shape
    assert shape == expected.shape


def test_equations_that_make_no_sense():
    for equation, ranks in (("ij,jk->ik", (2,)), ("ij->k", (2,)), ("ij->ii", (2,)), ("i", (2,))):
        with pytest.raises(RelayTypeError, match="T104"):
            parse(equation, ranks)
    with pytest.raises(RelayTypeError, match="T105"):
        Einsum("ij,jk").infer(types((2, 3), (4, 5)))


def test_one_hot_is_pytorchs():
    ids = torch.tensor([[0, 2], [1, 1]])
    expected = torch.nn.functional.one_hot(ids, 3).numpy()
    found = OneHot(3, dtype="int64").reference(ids.numpy(), np.float32(1), np.float32(0))
    np.testing.assert_array_equal(found, expected)
    first = OneHot(3, 0, "int64").reference(ids.numpy(), np.float32(1), np.float32(0))
    np.testing.assert_array_equal(first, np.moveaxis(expected, -1, 0))


def test_masks():
    x = rng.standard_normal((2, 3, 4))
    for k in (-2, 0, 1):
        expected = torch.triu(torch.tensor(x), k).numpy()
        np.testing.assert_array_equal(Trilu().reference(x, np.int64(k)), expected)
    masked = SequenceMask(-1.0, 1).reference(x, np.array([1, 3]))
    assert (masked[0, 1:] == -1).all()
    np.testing.assert_array_equal(masked[1], x[1])
    lengths = np.array([2, 3])
    flipped = ReverseSequence().reference(x, lengths)
    np.testing.assert_array_equal(flipped[0], x[0][[1, 0, 2]])
    np.testing.assert_array_equal(flipped[1], x[1][::-1])


def test_diagonals_are_written_where_they_align():
    zeros = np.zeros((3, 3))
    bands = np.array([[9, 1, 2], [3, 4, 5], [6, 7, 9]], np.float64)
    found = MatrixSetDiag(-1, 1).reference(zeros, bands)
    np.testing.assert_array_equal(found, [[3, 1, 0], [6, 4, 2], [0, 7, 5]])


def test_coordinates_are_numpys():
    flat = np.array([22, 41, 37])
    expected = np.stack(np.unravel_index(flat, (7, 6)))
    np.testing.assert_array_equal(UnravelIndex().reference(flat, np.array([7, 6])), expected)
    assert ShapeOf().infer(TensorType((N, 2))).shape == (2,)
    assert ShapeOf("int64").reference(np.zeros((2, 0))).tolist() == [2, 0]


def test_windows_are_pytorchs_unfold():
    x = torch.randn(2, 7)
    found = SlidingWindow(1, (3,), (2,)).reference(x.numpy())
    np.testing.assert_array_equal(found, x.unfold(1, 3, 2).numpy())


@pytest.mark.parametrize("onesided", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("win", [8, 6])
def test_the_short_time_transform_is_pytorchs(onesided, normalized, win):
    x, window = torch.randn(2, 30, dtype=torch.float64), torch.rand(win, dtype=torch.float64)
    expected = torch.stft(
        x, 8, 3, win, window, center=False, normalized=normalized, onesided=onesided,
        return_complex=True,
    )  # fmt: skip
    rule = STFT(8, 3, win, normalized, onesided)
    found = rule.reference(x.numpy(), window.numpy())
    np.testing.assert_allclose(found, torch.view_as_real(expected).numpy(), atol=1e-12)
    ty = rule.infer(TensorType((2, 30), "float64"), TensorType((win,), "float64"))
    assert ty.shape == found.shape


def test_the_inverse_transform_undoes_the_transform():
    re, im = rng.standard_normal((2, 3, 7))
    there = DFT().reference(re, im)
    np.testing.assert_allclose(there[0] + 1j * there[1], np.fft.fft(re + 1j * im))
    back = DFT(inverse=True).reference(*there)
    np.testing.assert_allclose(back, (re, im), atol=1e-12)


def test_layouts_are_transposes_and_splits():
    x = rng.standard_normal((2, 8, 3, 5))
    blocked = LayoutTransform("NCHW", "NCHW4c").reference(x)
    np.testing.assert_array_equal(blocked, x.reshape(2, 2, 4, 3, 5).transpose(0, 1, 3, 4, 2))
    last = LayoutTransform("NCHW4c", "NHWC").reference(blocked)
    np.testing.assert_array_equal(last, x.transpose(0, 2, 3, 1))
    with pytest.raises(RelayTypeError, match="T104"):
        LayoutTransform("NCHW", "NCW")
    with pytest.raises(RelayTypeError, match="T105"):
        LayoutTransform("NCHW", "NCHW3c").infer(TensorType(x.shape))


def test_a_dynamic_operator_becomes_static_once_its_parameters_are_known():
    rule = DynamicReshape()
    assert rule.static((None, None)) is None
    assert rule.static((None, np.array([3, -1]))) is Reshape((3, -1))
    x, shape = Constant(np.zeros((2, 6), np.float32)), Constant(np.array([3, -1]))
    assert Call(rule, (x, shape)).tensor_type.shape == (ANY, ANY)
    sliced = DynamicStridedSlice(axes=(1,))
    one = np.array([1])
    assert sliced.static((None, one, None, one)) is None
    assert sliced.static_operator((1,), (4,), (1,)).infer(TensorType((2, 6))).shape == (2, 3)
    values = DynamicTopK(ret_type="values").infer(TensorType((N, 9)), TensorType((), "int64"))
    assert values.shape == (N, ANY)
