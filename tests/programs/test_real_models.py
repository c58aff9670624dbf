"""Real models answer real questions as ONNX Runtime does: the type of a file, the pitch of a tone.

The questions are those of `benchmarks.answers`.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from benchmarks.answers import QUESTIONS, Run
from benchmarks.harness import relative_error
from benchmarks.real_models import Reference
from examples.pretrained_models import fetch
from relay.support.errors import UsageError

CALLS = 4  # of a judge, on which results are compared
QUANTISED = ("kws-qdq", "kws-qlinear")  # a sum rounds to the next integer now and then
SLOW = ("kws", "yunet", "silero", "tinyocr", "magika", "thai2rom")
# `benchmarks.real_models` also asks those that compile for longer.
ASKED = ["mnist", "g2p", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


def references(question: str) -> list[Reference]:
    """Return ONNX Runtime on the models of a question, asked already; skip without a network."""
    try:
        found = [Reference(model) for model in QUESTIONS[question].models()]
    except ConnectionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    assert QUESTIONS[question].judge(*found).right
    return found


def compiled(reference: Reference) -> Run:
    """Return a model, compiled, as a judge wants it: inputs by name, outputs in order."""
    executable = relay.compile(relay.load(reference.model))
    return lambda feeds: list(executable.run(**feeds).values())


def worst(run: Run, reference: Reference) -> float:
    """Return the largest relative difference of a model's results from the reference."""
    calls = reference.calls[:CALLS]
    return max(relative_error(run(feeds), expected) for feeds, expected in calls)


@pytest.mark.onnx
@pytest.mark.network
@pytest.mark.parametrize("question", ASKED)
def test_a_model_answers_right_and_agrees_with_onnx_runtime(question: str) -> None:
    known = references(question)
    runs = [compiled(reference) for reference in known]
    verdict = QUESTIONS[question].judge(*runs)
    assert verdict.right, verdict.found
    for run, reference in zip(runs, known, strict=True):
        limit = 0.1 if reference.model.stem in QUANTISED else 1e-4
        assert worst(run, reference) < limit, reference.model.name


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


@pytest.mark.slow
@pytest.mark.network
def test_two_formats_of_a_model_agree(real_model: Callable[[str], Path]) -> None:
    """A network that transcribes notes is published as ONNX and for TensorFlow Lite."""
    pytest.importorskip("tflite")
    sound = np.random.default_rng(0).normal(0, 0.3, (1, 43844, 1)).astype(np.float32)
    found: list[list[Any]] = []
    for name in ("basic-pitch.onnx", "basic-pitch.tflite"):
        path = real_model(name)
        (first,) = relay.load(path).main.params
        program = relay.compile(relay.load(path, shapes={first.name: sound.shape}))
        results = map(np.asarray, program(sound))
        found.append(sorted(results, key=lambda each: (each.shape, each.mean())))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-5)
