"""Layouts: reading them, and moving between plain and blocked coordinates."""

import numpy as np
import pytest

from relay.ir.dims import DimVar
from relay.opdef.layout import Layout
from relay.support.errors import RelayTypeError


@pytest.mark.parametrize(
    "text", ["NCHW", "NHWC", "NCHW16c", "OIHW4i16o4i", "NCDHW8c", "C", "NCW2n"]
)
def test_a_layout_prints_as_it_is_written(text: str) -> None:
    assert str(Layout.parse(text)) == text
    assert Layout.parse(text) is Layout.parse(text)


@pytest.mark.parametrize(
    "text", ["", "nchw", "NCHWC", "NCHW16", "NHW16c", "16cNHWC", "NCHW0c", "N-C"]
)
def test_what_is_no_layout_is_an_error(text: str) -> None:
    with pytest.raises(RelayTypeError, match="is not a valid layout") as caught:
        Layout.parse(text)
    assert caught.value.code == "T106"


@pytest.mark.parametrize("text", ["NCHW", "CWHN", "NCHW4c", "NCHW2c4c", "CNHW4c2n"])
def test_indices_and_arrays_agree(text: str) -> None:
    plain = np.arange(4 * 8 * 2 * 3).reshape(4, 8, 2, 3)
    layout = Layout.parse(text)
    array = layout.from_plain(plain, "NCHW")
    assert array.shape == layout.shape(dict(zip("NCHW", plain.shape, strict=True)))
    np.testing.assert_array_equal(layout.to_plain(array, "NCHW"), plain)
    grid = dict(zip("NCHW", np.indices(plain.shape), strict=True))
    np.testing.assert_array_equal(array[layout.indices(grid)], plain)


def test_a_coordinate_in_the_same_blocks_is_not_divided() -> None:
    layout = Layout.parse("NCHW4c")
    index = (0, 1, 2, 3, 2)
    coordinates = layout.coordinates(index)
    assert coordinates["C"].flat == 6
    assert layout.indices(coordinates) == index


def test_sizes_may_be_symbolic() -> None:
    n = DimVar("n")
    layout = Layout.parse("NCHW8c")
    assert layout.sizes((n, 2, 7, 7, 8)) == {"N": n, "C": 16, "H": 7, "W": 7}
    assert layout.shape({"N": n, "C": 8 * n, "H": 7, "W": 7}) == (n, n, 7, 7, 8)


def test_a_block_must_divide() -> None:
    with pytest.raises(
        RelayTypeError, match="the size 12 of axis C must be a multiple of the block size 8"
    ):
        Layout.parse("NCHW8c").shape({"N": 1, "C": 12, "H": 7, "W": 7})


def test_a_block_has_its_length() -> None:
    with pytest.raises(RelayTypeError, match="size of the block axis 8c: expected 8, found 7"):
        Layout.parse("NCHW8c").sizes((1, 2, 7, 7, 7))
