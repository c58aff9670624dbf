"""`relay.numpy` on variables: what it builds, what it refuses, and the page that lists it all."""

import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.numpy.unsupported_functions import OUTSIDE, REFUSED
from relay.support.errors import RelayError

ROOT = Path(__file__).parents[2]
SLOPES = ["log1p", "expm1", "sinc", "cbrt", "exp2"]


def test_numbers_take_the_type_of_what_they_meet():
    x = relay.var("x", shape=(2, 3), dtype="float64")
    assert relay.numpy.add(x, 1).type is relay.TensorType((2, 3), "float64")
    assert relay.numpy.add([1, 2], 3).type is relay.TensorType((2,), "int32")
    assert relay.numpy.concatenate([x, np.ones((1, 3))]).type is relay.TensorType((3, 3), "float64")
    assert relay.numpy.zeros(3).type is relay.TensorType((3,), "float32")


def test_open_sizes_stay_open():
    n = relay.DimVar("n")
    x = relay.var("x", shape=(n, 3))
    assert relay.numpy.sum(x, axis=0).type is relay.TensorType((3,), "float32")
    assert relay.numpy.zeros_like(x).type is relay.TensorType((n, 3), "float32")


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("F118", "np.sum(x, out=x)"),
        ("F118", "np.add(x)"),
        ("F112", "np.add(x, 'text')"),
        ("F112", "np.negative(np.less(x, 1))"),
        ("F112", "np.array([[1, 2], [3]])"),
        ("F119", "np.histogram(x)"),
        ("F119", "np.linalg.eig(x)"),
        ("F119", "np.fft.fft(x)"),
        ("F120", "np.sum(x, axis=x)"),
        ("F120", "np.sum(x, axis=5)"),
        ("F112", "np.linalg.det(x)"),
        ("F121", "np.delete(x, 7, axis=0)"),
        ("F128", "np.add(np.zeros(1, 'uint8'), 300)"),
    ],
)
def test_what_is_refused(code: str, call: str):
    with pytest.raises(RelayError) as caught:
        eval(call, {"np": relay.numpy, "x": relay.var("x", shape=(2, 3))})
    assert caught.value.code == code
    assert caught.value.help


def test_every_refused_name_says_what_to_write():
    for name in (*REFUSED, *(each for names in OUTSIDE.values() for each in names)):
        home, _, plain = name.rpartition(".")
        module = attrgetter(home)(relay.numpy) if home else relay.numpy
        real = attrgetter(home)(np) if home else np
        if hasattr(real, plain):
            with pytest.raises(RelayError) as caught:
                getattr(module, plain)
            assert caught.value.code == "F119"


def test_the_page_is_current():
    done = subprocess.run(
        [sys.executable, "tools/numpy_table.py", "--check"], cwd=ROOT, check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_near_zero(name):
    x = relay.var("x", shape=(5,), dtype="float64")
    body = relay.numpy.sum(getattr(relay.numpy, name)(x))
    slope = relay.grad(relay.Module.of(relay.Function((x,), body)))
    at = np.array([-0.5, -1e-6, 1e-9, 1e-3, 0.7])
    step = 1e-6 * np.maximum(np.abs(at), 1e-3 if name != "cbrt" else 1e-6)
    function = getattr(np, name)
    right = (function(at + step) - function(at - step)) / (2 * step)
    np.testing.assert_allclose(relay.compile(slope, threads=1)(at), right, rtol=1e-4, atol=1e-6)
