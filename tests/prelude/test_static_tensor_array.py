"""Arrays of tensors of one shape against lists of NumPy arrays."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.dims import ANY, Shape
from relay.prelude import Prelude
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data


class Arrays:
    """Calls the functions of one element type and shape by their short names."""

    def __init__(self, dtype: str, shape: Shape) -> None:
        self.dtype, self.shape = dtype, shape
        self.prelude = Prelude()

    def __call__(self, name: str, *args: Any) -> Any:
        entry = self.prelude.get_global_var_static(name, self.dtype, self.shape).name
        return evaluate(self.prelude.mod, *args, entry=entry)

    def listed(self, arrays: Any, shape: Shape | None = None) -> Data:
        found = Data(self.prelude.nil, ())
        for each in reversed(list(arrays)):
            found = Data(self.prelude.cons, (self.tensor(each, shape), found))
        return found

    def tensor(self, array: Any, shape: Shape | None = None) -> Data:
        known = self.shape if shape is None else shape
        constructor = self.prelude.get_tensor_ctor_static("tensor_constructor", self.dtype, known)
        return Data(constructor, (np.asarray(array, self.dtype),))


def plain(value: Any) -> list[Any]:
    found = []
    while value.fields:
        fields = value.fields[0].fields
        found.append(fields[0] if fields else None)
        value = value.fields[1]
    return found


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("shape", [(), (2,), (3, 2), (ANY, 2)])
def test_arrays_of_one_shape(dtype: str, shape: Shape):
    arrays = Arrays(dtype, shape)
    sizes = tuple(3 if dim is ANY else int(str(dim)) for dim in shape)
    x = (np.arange(4 * int(np.prod(sizes))) % 50).reshape(4, *sizes).astype(dtype)
    places = np.array([2, 0], np.int32)
    assert plain(arrays("tensor_array", np.int32(2))) == [None, None]
    assert np.array_equal(plain(arrays("tensor_array_unstack", x)), x)
    assert np.array_equal(arrays("tensor_array_stack", arrays.listed(x)).fields[0], x)
    gathered = arrays("tensor_array_gather", arrays.listed(x), places).fields[0]
    assert np.array_equal(gathered, x[places])
    read = arrays("tensor_array_read", arrays.listed(x), np.int32(1))
    assert np.array_equal(read.fields[0], x[1])
    assert np.array_equal(arrays("tensor_get_data", read), x[1])
    written = arrays("tensor_array_write", arrays.listed(x), np.int32(1), arrays.tensor(x[3]))
    assert np.array_equal(plain(written), x[[0, 3, 2, 3]])
    scattered = arrays("tensor_array_scatter", arrays.listed(x), places, arrays.listed(x[2:]))
    assert np.array_equal(plain(scattered), x[[3, 1, 2, 3]])


@pytest.mark.parametrize("shape", [(6, 2), (ANY, 2)])
def test_rows_of_tensors(shape: Shape):
    arrays = Arrays("float32", shape)
    x = np.arange(12).reshape(6, 2).astype("float32")
    lengths = np.array([1, 3, 2], np.int32)
    parts = np.split(x, np.cumsum(lengths)[:-1])
    room = arrays.listed([x[:1]] * 3, (ANY, 2))
    found = plain(arrays("tensor_array_split", room, arrays.tensor(x), lengths))
    assert all(np.array_equal(a, b) for a, b in zip(found, parts, strict=True))
    joined = arrays("tensor_array_concat", arrays.listed([x, x])).fields[0]
    assert np.array_equal(joined, np.concatenate([x, x]))


def test_the_names_of_types():
    p = Prelude()
    assert p.get_type_static("tensor_t", "int8", (ANY, 3)).name == "static_tensor_int8_any_3_t"
    with pytest.raises(relay.RelayError, match="U051"):
        p.get_tensor_ctor_static("tensor2", "int8", (2,))
