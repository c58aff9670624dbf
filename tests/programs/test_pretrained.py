"""Real models answer real questions: the type of a file, the pitch of a tone, a word read aloud.

The questions are those of `benchmarks.answers`; the light networks inside the `onnx` package are
compared with the outputs of ONNX's own evaluator.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import relay
from benchmarks.answers import QUESTIONS, Run
from relay.support.errors import UsageError
from relay.testing.light import light_example, light_model

QUESTIONS_ASKED = (
    "mnist",
    "kws",
    "yunet",
    "swift-f0",
    "basic-pitch",
    "g2p",
    "silero",
    "tinyocr",
    "magika",
    "thai2rom",
)


def compiled(path: Path) -> Run:
    """Return a model, compiled, as a judge wants it: inputs by name, outputs in order."""
    executable = relay.compile(relay.load(path))
    return lambda feeds: list(executable.run(**feeds).values())


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS_ASKED)
def test_a_pretrained_model_gives_the_right_answer(name: str) -> None:
    question = QUESTIONS[name]
    try:
        paths = question.models()
    except UsageError as error:
        if error.code != "U091" or os.environ.get("CI"):
            raise
        pytest.skip(error.message)
    verdict = question.judge(*map(compiled, paths))
    assert verdict.right, verdict.found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squeezenet", "shufflenet", "resnet50", "densenet121"])
def test_a_light_network_gives_the_stored_output(name: str) -> None:
    x, expected = light_example(name)
    y = relay.compile(relay.load(light_model(name)))(x)
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-6)
