"""Calls of NumPy's functions, one a line, have NumPy's values, also for NaN and infinities.

`elementwise.txt` has functions of the elements `a` and `b`, `reductions.txt` of a matrix `t`, each
for all element types and also for tensors without elements; `arrays.txt` has functions of finite
tensors. What NumPy refuses is refused.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

HERE = Path(__file__).parent
NAMES = {"float32": np.float32, "int32": np.int32}
EITHER_ZERO = ("np.fmax", "np.fmin")  # which one they give of 0.0 and -0.0: NumPy varies
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, 1e30, -1e30, 1e-30, 88.9,
          -0.3, 1e-3, 2.0, -7.25, 1e-45, 101.0]  # fmt: skip
INTEGERS = [0, 1, -1, 2, -3, 7, 2**31 - 1, -(2**31), 12, 100, -8, 5, 3, 64, -100, 9, 31, 6, -2, 4]


def _calls(name: str) -> list[str]:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def _grid(values: list[Any], dtype: str) -> dict[str, Any]:
    """Return all pairs of values."""
    with np.errstate(all="ignore"):
        row = np.asarray(values).astype(dtype)
    return {"a": np.repeat(row, len(row)), "b": np.tile(row, len(row))}


SETS: Mapping[str, Mapping[str, Any]] = {
    "float32": _grid(FLOATS, "float32"),
    "float64": _grid([*FLOATS, 1e200, -1e-200], "float64"),
    "int32": _grid(INTEGERS, "int32"),
    "uint8": _grid([0, 1, 2, 3, 200, 255, 7, 16], "uint8"),
    "int64": _grid([*INTEGERS, 2**40, -(2**62)], "int64"),
    "bool": _grid([False, True], "bool"),
    "empty": {"a": np.zeros((0, 3), np.float32), "b": np.ones((1, 3), np.float32)},
    "scalar": {"a": np.asarray(-2.5, np.float32), "b": np.asarray(0.0, np.float32)},
}
_SOME = np.array([[1.5, np.nan, -2.0, 3.0], [0.0, 1.0, np.inf, -0.5], [2.5, 4.0, 1.0, 7.0]])
MATRICES: Mapping[str, Mapping[str, Any]] = {
    "float32": {"t": np.array([[1.5, 2.5, -2.0, 3.0], [0.0, 1.0, 9.0, -0.5]], np.float32)},
    "nan": {"t": _SOME.astype(np.float32)},
    "infinite": {"t": np.array([[np.inf, 1.0], [np.inf, -np.inf], [2.0, 0.0]], np.float32)},
    "all nan": {"t": np.array([[np.nan, 1.0], [np.nan, 2.0]])},
    "int32": {"t": np.array([[3, -1, 7], [0, 3, 5]], np.int32)},
    "uint8": {"t": np.array([[3, 200, 100], [255, 3, 5]], np.uint8)},
    "bool": {"t": np.array([[True, False], [True, True]])},
    "empty": {"t": np.zeros((0, 3), np.float32)},
    "empty rows": {"t": np.zeros((2, 0), np.float32)},
}


def _arrays() -> dict[str, Any]:
    random = np.random.default_rng(3)
    m, v = random.standard_normal((3, 4), np.float32), random.standard_normal(5, np.float32)
    c, q = random.standard_normal((2, 3, 4), np.float32), random.standard_normal((3, 3), np.float32)
    d = random.standard_normal((2, 2, 3, 4), np.float32)
    k = np.array([3, 0, 2, 1, 1], np.int32)
    parts = {"m3": m[:, :3], "m1": m[:, 1:], "mt": m.T, "v4": v[:4], "v3": v[:3], "v0": v[0]}
    parts |= {"m0": m[0], "mn": m[None], "p": q @ q.T + np.eye(3, dtype=np.float32)}
    return {
        "m": m,
        "v": v,
        "c": c,
        "q": q,
        "d": d,
        "k": k,
        "e": np.zeros((0, 6), np.float32),
        **parts,
    }


def _flat(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [each for item in value for each in _flat(item)]
    return [value]


def wanted(call: str, arrays: Mapping[str, Any]) -> list[Any] | None:
    """Return what NumPy gives; None where it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            right = _flat(eval(call, {"np": np, **NAMES, **arrays}))
        except (ArithmeticError, IndexError, TypeError, ValueError, np.linalg.LinAlgError):
            return None
        if "k" in arrays or all(np.asarray(each).dtype.kind != "f" for each in right):
            return right
        floats = {name: _floats(each) for name, each in arrays.items()}
        return _flat(eval(call, {"np": np, **NAMES, **floats}))


def _floats(array: Any) -> Any:
    """Return narrow integers as float32, as Relay does where NumPy chooses other floats."""
    narrow = np.asarray(array).dtype.kind in "iub" and np.asarray(array).dtype.itemsize < 8
    return np.asarray(array).astype(np.float32) if narrow else array


def built(call: str, arrays: Mapping[str, Any]) -> tuple[list[Any], list[Var]]:
    """Return what `relay.numpy` builds, and the variables for the arrays."""
    pairs = {name: np.asarray(each) for name, each in arrays.items()}
    variables = {n: Var(n, TensorType(x.shape, str(x.dtype))) for n, x in pairs.items()}
    made = eval(call, {"np": relay.numpy, **NAMES, **variables})
    return _flat(made), list(variables.values())


def found(call: str, arrays: Mapping[str, Any]) -> list[Any]:
    """Return what the evaluator gives for what `relay.numpy` builds."""
    made, variables = built(call, arrays)
    exprs = tuple(each for each in made if isinstance(each, Expr))
    function = Function(tuple(variables), Tuple(exprs))
    result: Any = evaluate(Module.of(function), *map(np.asarray, arrays.values()))
    values = iter(result)
    return [next(values) if isinstance(each, Expr) else each for each in made]


def check(call: str, arrays: Mapping[str, Any], atol: float = 0) -> None:
    """Raise an `AssertionError` unless values, shapes and kinds of types agree."""
    right = wanted(call, arrays)
    if right is None:
        with pytest.raises(RelayError):
            found(call, arrays)
        return
    compare(found(call, arrays), right, atol)


def compare(values: list[Any], right: list[Any], atol: float) -> None:
    assert len(values) == len(right)
    for mine, theirs in zip(values, right, strict=True):
        a, b = np.asarray(mine), np.asarray(theirs)
        assert a.shape == b.shape
        assert a.dtype.kind == b.dtype.kind or {a.dtype.kind, b.dtype.kind} == {"i", "u"}
        if a.dtype.kind != "f":
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(a, b.astype(a.dtype))
            continue
        with np.errstate(all="ignore"):
            narrow = b.astype(a.dtype)
        rtol = 2e-6 if a.dtype.itemsize == 4 else 1e-14
        np.testing.assert_allclose(a, narrow, rtol=rtol, atol=atol)
        if not atol:
            same = np.isnan(a) | (np.signbit(a) == np.signbit(narrow))
            assert same.all(), "the signs of zeros differ"


@pytest.mark.parametrize("call", _calls("elementwise"))
def test_elements(call: str):
    for arrays in SETS.values():
        check(call, arrays, atol=1e-300 if call.startswith(EITHER_ZERO) else 0)


@pytest.mark.parametrize("call", _calls("reductions"))
def test_reductions(call: str):
    for arrays in MATRICES.values():
        check(call, arrays)


@pytest.mark.parametrize("call", _calls("arrays"))
def test_arrays(call: str):
    check(call, _arrays(), atol=2e-6)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32"])
def test_compiled_elements(kind: str):
    check_compiled(_calls("elementwise"), SETS[kind])


@pytest.mark.parametrize("kind", ["nan", "infinite", "int32", "empty"])
def test_compiled_reductions(kind: str):
    calls = [each for each in _calls("reductions") if "unique" not in each]
    check_compiled(calls, MATRICES[kind])


def check_compiled(calls: list[str], arrays: Mapping[str, Any]) -> None:
    """Raise an `AssertionError` unless one program of all calls has NumPy's values."""
    pairs = {name: np.asarray(each) for name, each in arrays.items()}
    variables = {n: Var(n, TensorType(x.shape, str(x.dtype))) for n, x in pairs.items()}
    exprs: list[Expr] = []
    right: list[tuple[str, Any]] = []
    for call in calls:
        values = wanted(call, arrays)
        if values is not None:
            exprs += _flat(eval(call, {"np": relay.numpy, **NAMES, **variables}))
            right += [(call, each) for each in values]
    program = Module.of(Function(tuple(variables.values()), Tuple(tuple(exprs))))
    found = relay.compile(program, threads=1)(*pairs.values())
    for mine, (call, theirs) in zip(found, right, strict=True):
        compare([mine], [theirs], 1e-300 if call.startswith(EITHER_ZERO) else 0)
