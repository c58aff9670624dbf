"""Models that TensorFlow wrote, against its answers.

The archives are made by `tools/tensorflow_models.py`, `tools/tensorflow_operators.py` and
`tools/tensorflow_networks.py`.
"""

from pathlib import Path

import numpy as np
import pytest

import relay
from relay.ir.dims import DimVar
from relay.semantics.evaluate import evaluate
from tests.frontend.tensorflow.graphs import NAMES, answers, model


def check(found: object, expected: list[np.ndarray]) -> None:
    """Compare results with TensorFlow's."""
    results = found if isinstance(found, tuple) else (found,)
    for result, answer in zip(map(np.asarray, results), expected, strict=True):
        assert result.dtype == answer.dtype
        np.testing.assert_allclose(result, answer, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_models_give_what_tensorflow_gives(name: str, tmp_path: Path):
    inputs, expected = answers(name)
    module = relay.load(model(name, tmp_path))
    check(evaluate(module, *(inputs[each.name] for each in module.main.params)), expected)


@pytest.mark.parametrize("name", ["recurrent", "squares_v1", "growing", "nested_v1"])
def test_compiled_models_give_what_tensorflow_gives(name: str, tmp_path: Path):
    inputs, expected = answers(name)
    shapes = {key: each.shape for key, each in inputs.items()}
    module = relay.load(model(name, tmp_path), shapes)
    check(tuple(relay.compile(module, threads=1).run(**inputs).values()), expected)


@pytest.mark.parametrize("name", ["avg_pool2d", "conv_2d_strided", "depthwise", "max_pool2d"])
def test_padding_of_strided_windows_follows_sizes_of_run_time(name: str, tmp_path: Path):
    inputs, expected = answers(name)
    (image,) = (key for key, each in inputs.items() if each.ndim == 4)
    shapes = {image: (1, DimVar("h"), DimVar("w"), 4)}
    module = relay.load(model(name, tmp_path), shapes)
    check(tuple(relay.compile(module, threads=1).run(**inputs).values()), expected)


def test_boxes_of_any_number_of_images_are_selected(tmp_path: Path):
    inputs, expected = answers("boxes_of_classes")
    sizes = {key: (DimVar("batch"), DimVar("n"), *each.shape[2:]) for key, each in inputs.items()}
    module = relay.load(model("boxes_of_classes", tmp_path), sizes)
    check(tuple(relay.compile(module, threads=1).run(**inputs).values()), expected)
