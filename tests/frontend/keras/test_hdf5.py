"""Arrays of HDF5 files: views of the file where it stores them as NumPy has them, else copies."""

import io

import h5py
import numpy as np
import pytest

from relay.frontend.keras.hdf5 import Hdf5File
from relay.support.span import Source, Span

FILE = Span(Source("weights.h5"))
NUMBERS = np.arange(12, dtype=np.float32).reshape(3, 4)


def stored(array, **options):
    """Return the bytes of a file with one array, and what Relay reads from it."""
    data = io.BytesIO()
    with h5py.File(data, "w") as file:
        file.create_dataset("x", data=array, **options)
    memory = np.frombuffer(data.getvalue(), np.uint8)
    return memory, Hdf5File(memory, FILE).array("x")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "int64"])
def test_weights_are_not_copied(dtype):
    memory, found = stored(NUMBERS.astype(dtype))
    assert np.shares_memory(memory, found)
    np.testing.assert_array_equal(found, NUMBERS.astype(dtype), strict=True)


COPIED = {
    "in chunks": (NUMBERS, {"chunks": (2, 2)}),
    "compressed": (NUMBERS, {"compression": "gzip"}),
    "big-endian": (NUMBERS.astype(">f4"), {}),
    "booleans": (NUMBERS > 5, {}),
    "a longer type": (NUMBERS, {"dtype": h5py.h5t.IEEE_F64BE}),
    "nothing": (NUMBERS[:0], {}),
    "a scalar of no place": (np.float32(0), {"fillvalue": 0}),
}


@pytest.mark.parametrize("name", COPIED)
def test_other_layouts_are_converted(name):
    array, options = COPIED[name]
    _, found = stored(array, **options)
    np.testing.assert_array_equal(found, array)


def test_an_array_at_an_odd_place_is_aligned():
    memory, _ = stored(NUMBERS)
    odd = np.frombuffer(b"?" + memory.tobytes(), np.uint8)[1:]
    found = Hdf5File(odd, FILE).array("x")
    assert found.flags.aligned
    np.testing.assert_array_equal(found, NUMBERS)
