from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from relay.support.errors import UsageError
from relay.testing import models
from relay.testing.archives import sha256, store
from relay.testing.models import MODELS, fetch


def test_every_entry_says_what_it_is() -> None:
    assert all(name == file.name for name, file in MODELS.items())
    assert all(file.about and file.archive.licence for file in MODELS.values())
    assert all(len(file.sha256) == 64 for file in MODELS.values())


def test_an_unknown_name_suggests_a_known_one() -> None:
    with pytest.raises(UsageError, match=r"did you mean .*swift-f0\.onnx") as caught:
        fetch("swift_f0.onnx")
    assert caught.value.code == "U090"


def test_a_file_in_the_cache_is_not_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAY_MODELS_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    file = MODELS["swift-f0.onnx"]
    store(file.path, b"damaged")
    with pytest.raises(UsageError):
        fetch("swift-f0.onnx")
    monkeypatch.setattr(models, "sha256", lambda _: file.sha256)
    assert fetch("swift-f0.onnx") == file.path


@pytest.mark.network
def test_a_fetched_model_is_the_recorded_one(real_model: Callable[[str], Path]) -> None:
    path = real_model("swift-f0.onnx")
    assert sha256(path.read_bytes()) == MODELS["swift-f0.onnx"].sha256
    assert [entry.name for entry in onnx.load(path).graph.input] == ["audio", "fmin", "fmax"]
