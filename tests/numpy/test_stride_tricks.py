"""Windows of tensors, beside NumPy's."""

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import relay
from relay.support.errors import RelayError

X = np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize(
    "choice",
    [((2, 1), (2, 0)), ((2, 2, 3),), ((2, 2), (1, 1)), (2, -2), ((), ()), (5, 2)],
    ids=str,
)
def test_windows(choice: Any) -> None:
    windows: Any = relay.jit(lambda x: sliding_window_view(x, *choice))
    np.testing.assert_array_equal(windows(X), sliding_window_view(X, *choice))


def test_windows_see_later_writes_and_have_derivatives() -> None:
    def written(x):
        x = x.copy()
        windows = sliding_window_view(x, 2)
        x[0] = 9
        return windows

    np.testing.assert_array_equal(relay.jit(written)(np.arange(3.0)), [[9, 1], [1, 2]])
    squares = relay.grad(lambda x: np.sum(sliding_window_view(x, 2) ** 2))
    np.testing.assert_array_equal(squares(np.arange(4.0)), [0, 4, 8, 6])


@pytest.mark.parametrize(("code", "choice"), [("F118", (2,)), ("T104", (9, 0)), ("F120", (2, 7))])
def test_windows_that_do_not_exist(code: str, choice: Any) -> None:
    with pytest.raises(RelayError, match=code):
        relay.jit(lambda x: sliding_window_view(x, *choice))(X)


def test_memory_is_not_reinterpreted() -> None:
    with pytest.raises(RelayError, match="sliding_window_view"):
        relay.jit(lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)))(X)
