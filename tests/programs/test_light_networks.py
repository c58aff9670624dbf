"""The light networks inside the `onnx` package give the outputs of ONNX's own evaluator."""

import numpy as np
import pytest

import relay
from relay.testing.light import light_example, light_model

SLOW = ("resnet50", "densenet121")
NAMES = ["squeezenet", "shufflenet", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


@pytest.mark.parametrize("name", NAMES)
def test_a_light_network_gives_the_stored_output(name: str) -> None:
    x, expected = light_example(name)
    y = relay.compile(relay.load(light_model(name)))(x)
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-6)
