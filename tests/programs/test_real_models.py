"""Pretrained models give what ONNX Runtime gives, on the inputs that a judge feeds them."""

import os
from pathlib import Path

import numpy as np
import pytest

import relay
from benchmarks.answers import QUESTIONS
from benchmarks.harness import relative_error
from benchmarks.real_models import Reference
from relay.support.errors import UsageError
from relay.testing.models import fetch

CALLS = 4  # of a judge, on which results are compared
QUANTISED = ("kws-qdq", "kws-qlinear")  # a sum rounds to the next integer now and then
FLOATING = (
    "mnist",
    "swift-f0",
    "basic-pitch",
    "g2p",
    "silero",
    "tinyocr",
    "magika",
    "thai2rom",
    "yunet",
)


def references(question: str) -> list[Reference]:
    """Return ONNX Runtime on the models of a question, asked already; skip without a network."""
    try:
        found = [Reference(model) for model in QUESTIONS[question].models()]
    except UsageError as error:
        if error.code != "U091" or os.environ.get("CI"):
            raise
        pytest.skip(error.message)
    assert QUESTIONS[question].judge(*found).right
    return found


def worst(path: Path, reference: Reference) -> float:
    """Return the largest relative difference of a compiled model from the reference."""
    run = relay.compile(relay.load(path), threads=1)
    return max(
        relative_error(list(run.run(**feeds).values()), expected)
        for feeds, expected in reference.calls[:CALLS]
    )


@pytest.mark.onnx
@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("question", FLOATING)
def test_a_model_agrees_with_onnx_runtime(question: str) -> None:
    for reference in references(question):
        assert worst(reference.model, reference) < 1e-4


@pytest.mark.onnx
@pytest.mark.network
@pytest.mark.slow
def test_quantised_models_agree_within_a_step() -> None:
    for reference in references("kws"):
        limit = 0.1 if reference.model.stem in QUANTISED else 1e-4
        assert worst(reference.model, reference) < limit


@pytest.mark.network
def test_a_branch_on_data_is_imported() -> None:
    """The detector whose LSTM is inside of `If`, with concrete shapes: its rate is still data."""
    try:
        path = fetch("silero-op15.onnx")
    except UsageError as error:
        pytest.skip(error.message)
    module = relay.load(path, shapes={"input": (1, 576), "state": (2, 1, 128)})
    assert module.main.params[0].name == "input"
    assert np.prod(module.main.params[0].tensor_type.static_shape) == 576
