"""The light networks inside the `onnx` package give the outputs of ONNX's own evaluator."""

import numpy as np
import pytest

import relay
from relay.testing.light import light_example, light_model


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squeezenet", "shufflenet", "resnet50", "densenet121"])
def test_a_light_network_gives_the_stored_output(name: str) -> None:
    x, expected = light_example(name)
    y = relay.compile(relay.load(light_model(name)))(x)
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-6)
