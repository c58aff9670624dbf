"""Arrays of tensors against lists of NumPy arrays."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.module import Module
from relay.prelude import Prelude
from relay.prelude.tensor_array import tensor_array
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data

CLASSIC = ["float32", "float16", "float64", "int32", "uint8", "int8", "int16", "uint16", "int64"]
X = np.arange(12).reshape(6, 2).astype("float32")


class Arrays:
    """Calls the functions of one element type by their short names."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.prelude = Prelude()

    def __call__(self, name: str, *args: Any) -> Any:
        entry = self.prelude.get_global_var(name, self.dtype).name
        return evaluate(self.prelude.mod, *map(self.value, args), entry=entry)

    def value(self, given: Any) -> Any:
        if isinstance(given, list):
            found = Data(self.prelude.nil, ())
            for each in reversed(given):
                found = Data(self.prelude.cons, (self.tensor(each), found))
            return found
        return given

    def tensor(self, array: Any) -> Data:
        rank = np.ndim(array)
        constructor = self.prelude.get_tensor_ctor(f"tensor{rank}", self.dtype)
        return Data(constructor, (np.asarray(array, self.dtype),))


def listed(value: Any) -> list[Any]:
    found = []
    while value.fields:
        found.append(tensor(value.fields[0]))
        value = value.fields[1]
    return found


def tensor(value: Data) -> Any:
    return value.fields[0] if value.fields else None


def same(found: list[Any], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            np.testing.assert_array_equal(a, b)


@pytest.fixture
def arrays() -> Arrays:
    return Arrays("float32")


@pytest.mark.parametrize("dtype", CLASSIC)
def test_every_element_type(dtype: str):
    arrays = Arrays(dtype)
    stacked = tensor(arrays("tensor_array_stack", list(X.astype(dtype))))
    np.testing.assert_array_equal(stacked, X)
    assert stacked.dtype == dtype


def test_a_new_array_is_empty_everywhere(arrays: Arrays):
    assert listed(arrays("tensor_array", np.int32(3))) == [None, None, None]


def test_reading_and_writing(arrays: Arrays):
    rows = list(X)
    np.testing.assert_array_equal(tensor(arrays("tensor_array_read", rows, np.int32(2))), X[2])
    new = np.ones((3, 1), "float32")
    written = arrays("tensor_array_write", rows, np.int32(1), arrays.tensor(new))
    same(listed(written), [X[0], new, *X[2:]])


@pytest.mark.parametrize("rank", range(1, 7))
def test_slices_along_the_first_axis(arrays: Arrays, rank: int):
    x = np.arange(2**rank).reshape((2,) * rank).astype("float32")
    same(listed(arrays(f"tensor_array_unstack_tensor{rank}", x)), list(x))
    taken = arrays("tensor_take", arrays.tensor(x), np.int32(1), np.int32(2))
    np.testing.assert_array_equal(tensor(taken), x[1:2])
    joined = arrays("tensor_concatenate", arrays.tensor(x), arrays.tensor(x))
    np.testing.assert_array_equal(tensor(joined), np.concatenate([x, x]))


@pytest.mark.parametrize("rank", range(6))
def test_one_more_axis(arrays: Arrays, rank: int):
    x = np.ones((2,) * rank, "float32")
    assert tensor(arrays("tensor_expand_dims", arrays.tensor(x))).shape == (1, *x.shape)


def test_scatter_and_gather(arrays: Arrays):
    places = np.array([4, 0, 2], np.int32)
    found = arrays("tensor_array_scatter", [0.0] * 6, places, list(X[:3]))
    expected: list[Any] = [np.float32(0)] * 6
    for i, place in enumerate(places):
        expected[place] = X[i]
    same(listed(found), expected)
    gathered = tensor(arrays("tensor_array_gather", list(X), places))
    np.testing.assert_array_equal(gathered, X[places])


def test_split_and_concat(arrays: Arrays):
    lengths = np.array([1, 3, 2], np.int32)
    found = arrays("tensor_array_split", [0.0] * 3, arrays.tensor(X), lengths)
    parts = np.split(X, np.cumsum(lengths)[:-1])
    same(listed(found), parts)
    np.testing.assert_array_equal(tensor(arrays("tensor_array_concat", parts)), X)


def test_what_is_asked_for_is_registered():
    p = Prelude(Module({}))
    assert "tensor_array_int8" not in p.mod.module.functions
    assert p.get_type("tensor_t", "int8").name == "tensor_int8_t"
    assert p.get_ctor("tensor_t", "tensor_nil", "int8").name == "tensor_nil_int8"
    assert "tensor_array_int8" in p.mod.module.functions
    assert tensor_array("int8") is tensor_array("int8")
    with pytest.raises(relay.RelayError, match="U051"):
        p.get_ctor("tensor_t", "tensor9", "int8")
