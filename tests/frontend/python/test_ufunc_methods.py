"""Methods of NumPy's ufuncs, such as `np.add.at`, beside NumPy."""

import numpy as np
import pytest

import relay
from relay.support.errors import RelayError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 3)).astype(np.float32)
AT = np.array([2, 0, 2, 2], np.int32)
UPDATES = RNG.standard_normal((4, 3)).astype(np.float32)


def added(x, at, new):
    x = x.copy()
    np.add.at(x, at, new)
    return x


def combined(x, at, new):
    x = x.copy()
    np.subtract.at(x, at, 2)
    np.multiply.at(x, at, new)
    np.maximum.at(x, (at, np.array([0, 1, 0, 1])), 0.5)
    np.minimum.at(x[:, 1:], at[:2], -0.25)
    return x


def messages(x, at, new):
    total = np.zeros((5, 3), np.float32)
    count = np.zeros(5, np.int32)
    np.add.at(total, at, new)
    np.add.at(count, at, 1)
    np.add.at(count, 4, 7)
    return total, count


def reduced(x, at, new):
    return (
        np.add.reduce(x),
        np.multiply.reduce(x, axis=1),
        np.maximum.reduce(x, 1),
        np.minimum.reduce(x, axis=0, keepdims=True),
        np.logical_and.reduce(x > 0),
        np.logaddexp.reduce(x, axis=1),
        np.logaddexp.reduce(np.log(np.zeros((2, 3), np.float32)) + x[:2] * 0, axis=1),
        np.add.accumulate(x),
        np.multiply.accumulate(x, axis=1),
        np.subtract.outer(x[0], new),
        np.multiply.outer(at, at),
    )


@pytest.mark.parametrize("function", [added, combined, messages, reduced])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_method_of_a_ufunc(function):
    found, wanted = relay.function(function)(X, AT, UPDATES), function(X, AT, UPDATES)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
        assert np.shape(one) == np.shape(other)


def test_the_derivative_of_added_rows():
    found = relay.grad(lambda x, new: (added(x, AT, new) ** 2).sum(), argnums=1)(X, UPDATES)
    np.testing.assert_allclose(found, 2 * added(X, AT, UPDATES)[AT], rtol=1e-6)


@relay.function
def open_rows(x: relay.Tensor["n", 3], at: relay.Tensor["m", relay.int32]) -> relay.Tensor["n", 3]:
    out = x * 0
    np.add.at(out, at, 1)
    return out


def test_rows_of_any_number():
    np.testing.assert_array_equal(open_rows(X, AT), open_rows.python(X, AT))


def through_a_mask(x):
    out = x * 0
    np.add.at(out, x > 0, 1)
    return out


def by_segments(x):
    return np.add.reduceat(x, [0, 2])


@pytest.mark.parametrize(
    ("function", "code"),
    [(through_a_mask, "F116"), (by_segments, "F119")],
    ids=["mask", "segments"],
)
def test_what_is_not_supported(function, code):
    with pytest.raises(RelayError) as caught:
        relay.function(function)(X)
    assert caught.value.code == code
