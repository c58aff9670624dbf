"""Convolutions with transformed weights equal those with the weights themselves."""

import numpy as np
import pytest

from relay.ir.types import TensorType
from relay.ops.nn.conv_operators import Conv2D, Conv3D
from relay.ops.nn.gemm_convolution import (
    ContribConv2DGemmWeightTransform,
    ContribConv2DGemmWithoutWeightTransform,
)
from relay.ops.nn.winograd import (
    Conv2DWinogradWeightTransform,
    Conv2DWinogradWithoutWeightTransform,
    Conv3DWinogradWeightTransform,
    Conv3DWinogradWithoutWeightTransform,
)
from relay.support.errors import RelayError

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("tile", [1, 2, 4, 6])
def test_winograds_algorithm_convolves(tile: int):
    x, w = RNG.standard_normal((2, 3, 9, 7)), RNG.standard_normal((4, 3, 3, 2))
    transformed = Conv2DWinogradWeightTransform(tile).reference(w)
    found = Conv2DWinogradWithoutWeightTransform(tile_size=tile, padding=(1, 0)).reference(
        x, transformed
    )
    np.testing.assert_allclose(found, Conv2D(padding=(1, 0)).reference(x, w), atol=1e-9)


def test_winograds_algorithm_convolves_volumes():
    x, w = RNG.standard_normal((1, 2, 5, 4, 6)), RNG.standard_normal((3, 2, 3, 1, 3))
    transformed = Conv3DWinogradWeightTransform(2).reference(w)
    op = Conv3DWinogradWithoutWeightTransform(tile_size=2, padding=1)
    np.testing.assert_allclose(
        op.reference(x, transformed), Conv3D(padding=1).reference(x, w), atol=1e-9
    )


def test_tiles_of_a_weight_convolve():
    x, w = RNG.standard_normal((1, 6, 5, 3)), RNG.standard_normal((3, 2, 3, 5))
    tiles = ContribConv2DGemmWeightTransform(4, 16).reference(w)
    op = ContribConv2DGemmWithoutWeightTransform(
        data_layout="NHWC", channels=5, kernel_size=(3, 2), strides=2
    )
    plain = Conv2D(data_layout="NHWC", kernel_layout="HWIO", strides=2)
    np.testing.assert_allclose(op.reference(x, tiles), plain.reference(x, w), atol=1e-9)


def test_tiles_that_are_too_large_are_refused():
    with pytest.raises(RelayError, match=r"T104.*at most"):
        Conv2DWinogradWeightTransform(11).infer(TensorType((1, 1, 3, 3)))
