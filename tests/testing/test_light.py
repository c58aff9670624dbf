from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from relay.support.errors import UsageError
from relay.testing.light import LIGHT_MODELS, light_example, light_model


@pytest.mark.onnx
@pytest.mark.parametrize("name", ["squeezenet", "shufflenet"])
def test_the_example_of_a_light_model(name: str) -> None:
    x, expected = light_example(name)
    session = ort.InferenceSession(str(light_model(name)))
    weights = {entry.name for entry in session.get_overridable_initializers()}
    (entry,) = [entry for entry in session.get_inputs() if entry.name not in weights]
    (y,) = map(np.asarray, session.run(None, {entry.name: x}))
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-6)


def test_every_light_model_is_there() -> None:
    assert all(light_model(name).exists() for name in LIGHT_MODELS)


def test_a_package_onnx_without_the_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(UsageError, match=r"has no file 'light_vgg19\.onnx'") as caught:
        light_model("vgg19")
    assert caught.value.code == "U092"
