"""Models of one operator each, made by TensorFlow's converter, against LiteRT's answers.

`tools/tflite_models.py` makes the archive, and `tools/tflite_handmade.py` that of operators which
the converter does not write. Quantised answers are equal, number by number.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.dims import DimVar
from relay.semantics.evaluate import evaluate

HERE = Path(__file__).parent
ARCHIVES = [zipfile.ZipFile(HERE / name) for name in ("operators.zip", "handmade.zip")]
FILES = {name: archive for archive in ARCHIVES for name in archive.namelist()}
NAMES = sorted(name.removesuffix(".npz") for name in FILES if name.endswith(".npz"))

# Integers that differ by one: LiteRT's default kernel for sums computes in floats (its reference
# kernel overflows).
NEAR: Mapping[str, float] = {"reduce_sum_last_int8": 1}


def content(name: str) -> bytes:
    """Return a file of the archives."""
    return FILES[name].read(name)


def answers(name: str, kind: str = "out") -> tuple[list[Any], list[Any]]:
    with np.load(io.BytesIO(content(f"{name}.npz"))) as found:
        inputs, outputs = (
            [found[key] for key in found.files if key.startswith(each)] for each in ("in", kind)
        )
    return inputs, outputs


@pytest.mark.parametrize("name", NAMES)
def test_operators_give_what_litert_gives(name: str):
    inputs, expected = answers(name)
    found = evaluate(relay.load(content(f"{name}.tflite")), *inputs)
    results = found if isinstance(found, tuple) else (found,)
    is_exact = name.endswith(("_int8", "_uint8", "_int16"))
    for result, answer in zip(map(np.asarray, results), expected, strict=True):
        assert result.dtype == answer.dtype
        off = NEAR.get(name, 0) if is_exact else 1e-5
        np.testing.assert_allclose(result, answer, rtol=0 if is_exact else 1e-5, atol=off)


@pytest.mark.parametrize(
    "name",
    ["conv_2d_int8", "dense_int8", "softmax_int8", "add_int8", "tanh_int16", "average_pool_int8",
     "while", "recurrent_lstm", "boxes_with_scores"],
)  # fmt: skip
def test_compiled_models_give_what_litert_gives(name: str):
    inputs, expected = answers(name)
    found = relay.compile(relay.load(content(f"{name}.tflite")), threads=1)(*inputs)
    results = found if isinstance(found, tuple) else (found,)
    for result, answer in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, answer, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "name",
    ["conv_2d_stride", "conv_2d_stride_int8", "conv_2d_stride_int16", "max_pool_same_int8"],
)
def test_padding_of_strided_windows_follows_sizes_of_run_time(name: str):
    inputs, (expected,) = answers(name)
    (image,) = relay.load(content(f"{name}.tflite")).main.params
    shape = (1, DimVar("h"), DimVar("w"), 4)
    module = relay.load(content(f"{name}.tflite"), shapes={image.name: shape})
    found = relay.compile(module, threads=1)(*inputs)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "row", "quantum", "expected"),
    [  # the tables of softmax are computed in float64, those of other operators in float32
        ("softmax_int16", [0.3, -0.5, -0.6] + [0] * 6, 2.0**-15, [5200, 2336, 2114] + [3853] * 6),
        ("rsqrt_int16", [1.785133] * 9, 9.624461381463334e-05, [7567] * 9),
    ],
)
def test_tables_of_16_bit_numbers_are_rounded_like_those_of_litert(
    name: str, row: list[float], quantum: float, expected: list[int]
):
    found = evaluate(relay.load(content(f"{name}.tflite")), np.array([row, row], np.float32))
    np.testing.assert_array_equal(np.rint(np.asarray(found) / quantum), [expected, expected])


@pytest.mark.parametrize(
    "name",
    [
        "recurrent_lstm_int8",
        "svdf_int8",
        "bidirectional_lstm_merged",
        "variable",
        "variable_branch",
        "variable_loop",
    ],
)
def test_variables_keep_their_values_from_one_call_to_the_next(name: str):
    (x,), (first,) = answers(name)
    _, (second,) = answers(name, "again")
    assert not np.array_equal(first, second)
    model = content(f"{name}.tflite")
    module, state = relay.frontend.from_tflite(model, with_state=True)
    compiled, values = relay.compile(module, threads=1), list(state.values())
    for expected in (first, second):
        found, *values = compiled(x, *values)
        off = 0 if name.endswith("_int8") else 1e-5
        np.testing.assert_allclose(found, expected, rtol=0, atol=off)


def test_there_are_models_of_each_kind():
    assert sum(name.endswith("_int8") for name in NAMES) >= 70
    assert sum(name.endswith("_int16") for name in NAMES) >= 25
    assert len(NAMES) >= 250
