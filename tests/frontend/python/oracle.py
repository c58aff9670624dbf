"""Python as the judge: whether Relay's value is the one that plain Python and NumPy give."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from relay.frontend.python import PythonFunction
from relay.frontend.python.values.data_class_fields import attributes_of
from relay.frontend.python.values.traced_values import is_object


def expected(program: PythonFunction, arguments: tuple[Any, ...]) -> Any:
    """Return what plain Python gives; warnings of NumPy, of a division by 0 say, are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return program.python(*copy.deepcopy(arguments))


def outcomes(
    run: Callable[..., Any], program: PythonFunction, arguments: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Return what a program gives, and what Python does, each with the arguments behind it."""
    given, others = copy.deepcopy(arguments), copy.deepcopy(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = program.python(*others)
    behind = [
        [each for each in many if isinstance(each, np.ndarray | list | dict) or is_object(each)]
        for many in (given, others)
    ]
    return (run(*given), *behind[0]), (wanted, *behind[1])


def assert_same(found: Any, wanted: Any, rtol: float = 2e-5) -> None:
    """Raise an `AssertionError` unless values, shapes and element types agree.

    Python's numbers, and what NumPy makes of them, have 64 bits; Relay's default types have 32.
    """
    if isinstance(wanted, tuple | list):
        assert isinstance(found, tuple | list)
        assert len(found) == len(wanted)
        for each, other in zip(found, wanted, strict=True):
            assert_same(each, other, rtol)
        return
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        assert_same(list(found.values()), list(wanted.values()), rtol)
        return
    if is_object(wanted):
        assert type(found) is type(wanted)
        assert_same(attributes_of(found), attributes_of(wanted), rtol)
        return
    if wanted is None or isinstance(wanted, str):
        assert found in (wanted, ())
        return
    a, b = np.asarray(found), np.asarray(wanted)
    assert a.shape == b.shape
    narrowed = a.dtype.itemsize == 4 and b.dtype.itemsize == 8
    assert a.dtype.kind == b.dtype.kind, f"{a.dtype} is not {b.dtype}"
    assert a.dtype == b.dtype or narrowed, f"{a.dtype} is not {b.dtype}"
    np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-6)
