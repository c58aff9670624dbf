"""Arrays and numbers across the border; NumPy says what they are."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from relay.runtime import Data
from relay.support.errors import RunError

TWICE = "def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] { add(%x, %x) }"
OPEN = """def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(n), float32])
  -> (Tensor[(n, 3), float32], Tensor[(n), float32]) { (add(%x, %x), add(%y, %y)) }"""
VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)

DTYPES = {
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{name: name for name in ("bool", "float16", "float32", "float64")},
    "bfloat16": ml_dtypes.bfloat16,
}
NUMBERS = (
    *(0, 1, -1, 127, 128, -129, 255, 65536, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64),
    *(10**30, 0.1, -2.5, float("inf"), True, False, None, "1", 1j, [1], (), b"1"),
    *(np.bool_(True), np.int8(3), np.int32(3), np.int64(3), np.longlong(3), np.uint64(2**64 - 1)),
    *(np.float16(0.1), np.float32(0.1), np.float64(0.1), np.array(4), np.array(0.5, np.float32)),
    *(np.array(7, np.int32), np.array([7], np.int32), ml_dtypes.bfloat16(0.5)),
)


def unaligned() -> np.ndarray:
    raw = np.zeros(25, np.uint8)
    raw[1:] = VALUES.view(np.uint8).reshape(-1)
    return raw[1:].view(np.float32).reshape(2, 3)


def read_only() -> np.ndarray:
    array = VALUES.copy()
    array.flags.writeable = False
    return array


class Inherits(np.ndarray):
    pass


READY = {
    "plain": VALUES,
    "read-only": read_only(),
    "part of another": np.stack([VALUES, VALUES])[1],
    "of a class of its own": VALUES.view(Inherits),
    "with a note": VALUES.view(np.dtype(np.float32, metadata={"unit": "m"})),
    "with an axis of one": VALUES[None][:, :, :].reshape(2, 3),
}
REPAIRED = {
    "transposed": np.ascontiguousarray(VALUES.T).T,
    "with steps": np.repeat(VALUES, 2, axis=1)[:, ::2],
    "backwards": VALUES[::-1].copy()[::-1],
    "unaligned": unaligned(),
    "of the other byte order": VALUES.astype(">f4"),
    "a list": VALUES.tolist(),
}


@pytest.mark.parametrize("given", [*READY.values(), *REPAIRED.values()], ids=[*READY, *REPAIRED])
def test_what_has_the_elements_is_taken(way: str, compiled: Any, given: Any):
    found = compiled(TWICE)(given)
    np.testing.assert_array_equal(found, 2 * VALUES)
    assert (type(found), found.dtype, found.shape) == (np.ndarray, np.dtype("float32"), (2, 3))
    flags = found.flags
    assert flags.c_contiguous
    assert flags.aligned
    assert flags.writeable
    assert found.ctypes.data % 64 == 0


@pytest.mark.parametrize("given", READY.values(), ids=READY)
def test_what_lies_right_crosses_natively(
    compiled: Any, natively: Callable[[Any], Any], given: Any
):
    np.testing.assert_array_equal(natively(compiled(TWICE))(given), 2 * VALUES)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ((), "R001"),
        ((VALUES, VALUES), "R001"),
        (("no",), "R003"),
        ((None,), "R003"),
        ((VALUES[0],), "R004"),
        ((VALUES[:1],), "R005"),
        ((VALUES.astype(np.float64),), "R006"),
        ((VALUES.astype(np.int32),), "R006"),
    ],
)
def test_what_does_not_fit_is_explained(way: str, compiled: Any, given: tuple[Any, ...], code: str):
    with pytest.raises(RunError) as caught:
        compiled(TWICE)(*given)
    assert caught.value.code == code


def test_sizes_that_are_open(way: str, compiled: Any):
    executable = compiled(OPEN)
    for n in (1, 4, 0, 7):
        x, y = np.ones((n, 3), np.float32), np.arange(n, dtype=np.float32)
        twice_x, twice_y = executable(x, y)
        np.testing.assert_array_equal(twice_x, 2 * x)
        np.testing.assert_array_equal(twice_y, 2 * y)
    with pytest.raises(RunError) as caught:
        executable(np.ones((2, 3), np.float32), np.ones(3, np.float32))
    assert caught.value.code == "R007"


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", DTYPES)
def test_numbers_are_what_numpy_makes_of_them(way: str, compiled: Any, name: str):
    text = f"""type Box {{ Box({name}) }}
    def @main(%b: Box, %x: {name}) -> (Box, {name}) {{ (%b, %x) }}"""
    executable, dtype = compiled(text), np.dtype(DTYPES[name])
    for given in NUMBERS:
        wanted = as_numpy(given, dtype)
        if wanted is None:
            with pytest.raises(RunError):
                executable(Data("Box", (given,)), np.zeros((), dtype))
            with pytest.raises(RunError):
                executable(Data("Box", (np.zeros((), dtype),)), given)
            continue
        box, x = executable(Data("Box", (given,)), given)
        for found in (box.fields[0], x):
            assert (type(found), found.dtype, found.shape) == (np.ndarray, dtype, ())
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("given", "wanted"), [(1e300, np.inf), (-1e39, -np.inf)])
def test_a_number_that_is_too_large_is_infinite_with_a_warning(
    way: str, compiled: Any, given: float, wanted: float
):
    executable = compiled("def @main(%x: float32) -> float32 { %x }")
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert executable(given) == wanted


def as_numpy(given: Any, dtype: np.dtype[Any]) -> Any:
    """Return a number as an element type has it; None if it is of another kind, or no number."""
    if isinstance(given, (np.ndarray, np.generic)):
        same = given.dtype.newbyteorder("=") == dtype
        same = same and (given.dtype.isnative or not isinstance(given, np.ndarray))
        return given.astype(dtype) if same and given.shape == () else None
    if isinstance(given, bool):
        return np.array(given) if dtype == np.bool_ else None
    is_float = dtype.kind == "f" or dtype == ml_dtypes.bfloat16
    if isinstance(given, float):
        return np.asarray(given).astype(dtype) if is_float else None
    if not isinstance(given, int) or dtype == np.bool_:
        return None
    if is_float:
        return np.asarray(given).astype(dtype) if -(2**63) <= given < 2**64 else None
    limits = np.iinfo(dtype)
    return np.array(given, dtype) if limits.min <= given <= limits.max else None
