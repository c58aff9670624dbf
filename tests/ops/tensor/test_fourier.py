"""Fourier transforms of lengths that are computed in different ways, against NumPy."""

import numpy as np
import pytest

from relay.ops.tensor.windows_and_fourier import DFT
from tests.targets.running import run


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((3, 16), "float64"),  # a matrix of 4 columns
        ((2, 44), "float64"),  # with columns of 11
        ((2, 80), "float32"),  # of 8, whose 10 rows are two overlapping blocks of 8
        ((2, 1, 400), "float32"),  # of 16, with columns of 5 · 5
        ((9, 15), "float64"),  # lanes are lines
        ((1, 13), "float32"),
        ((2, 34), "float64"),  # a convolution, because of the factor 17
        ((3, 2, 37), "float32"),
    ],
)
@pytest.mark.parametrize("inverse", [False, True])
def test_lines_are_transformed(shape, dtype, inverse):
    rng = np.random.default_rng(sum(shape))
    re, im = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    numbers = re.astype("float64") + 1j * im
    expected = np.fft.ifft(numbers) if inverse else np.fft.fft(numbers)
    found = run(DFT(inverse), [re, im])
    bound = 2e-6 if dtype == "float32" else 1e-13
    scale = bound * np.abs(expected).max()
    np.testing.assert_allclose(found[0] + 1j * found[1], expected, atol=scale, rtol=0)
