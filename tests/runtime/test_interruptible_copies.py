"""Copies in parts have NumPy's results, and signals are handled while they run."""

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager

import ml_dtypes
import numpy as np
import pytest

import relay
from relay.runtime.interruptible_copies import copied, copy_bytes, copy_elements
from relay.runtime.native_executable import NativeExecutable

HEAD = '#[version = "0.0.5"]\n'


@contextmanager
def counted_signals() -> Generator[list[int]]:
    """Count the signals that Python handles, one each millisecond, while a block runs."""
    found: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: found.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        yield found
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "transposed": lambda x: x.transpose(2, 0, 1),
    "every other element": lambda x: x[:, :, ::2],
    "reversed": lambda x: x[::-1, :, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[:, :1], (7, 500, 201)),
    "few elements": lambda x: x[:2, 3:4].T,
    "none": lambda x: x[:0],
    "a long axis": lambda x: x.reshape(-1)[1:],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_copies_equal_numpys(name: str):
    array = LAYOUTS[name](np.arange(7 * 500 * 201, dtype=np.int32).reshape(7, 500, 201))
    for dtype in (np.dtype(np.int32), np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16)):
        found = copied(array, dtype)
        assert found.flags.c_contiguous
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, array.astype(dtype))
    target = np.zeros((*array.shape, 2), np.int32)[..., 0]
    copy_elements(target, array)
    np.testing.assert_array_equal(target, array)


def test_copies_of_bytes_equal_their_source():
    for size in (0, 1, 4 << 20, (4 << 20) + 1, 9_000_000):
        source = np.random.default_rng(0).integers(0, 256, size + 1, np.uint8)
        target = np.zeros(size + 1, np.uint8)
        copy_bytes(target.ctypes.data, source.ctypes.data, size)
        np.testing.assert_array_equal(target[:size], source[:size])
        assert target[size] == 0


def test_signals_are_handled_while_large_arguments_and_results_are_copied():
    """A transposed argument, one of another byte order, and a result of dynamic size."""
    made = relay.compile(relay.parse(HEAD + "def @main(%x: Tensor[(n, m), float32]) { exp(%x) }"))
    assert isinstance(made, NativeExecutable)
    x = np.ones((8192, 8192), np.float32)
    for given in (x.T, x.astype(">f4")):
        with counted_signals() as found:
            made.admit((given,), {})
        assert len(found) > 10
    frame = made._frames.take()
    (slot,) = made._layout.results
    for place, word in zip((slot.word, *slot.sizes), (x.ctypes.data, *x.shape), strict=True):
        frame.words[place // 8] = word
    with counted_signals() as found:
        (result,) = made._outputs(frame, [np.empty(0)])
    assert len(found) > 10
    np.testing.assert_array_equal(result, x)
