"""Weights in safetensors files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relay import layers
from relay.layers import Linear, Sequential
from relay.layers import safetensors_files as files
from relay.support.errors import UsageError

safetensors: Any = pytest.importorskip("safetensors.numpy")


def test_weights_are_written_by_their_paths_and_read_again(tmp_path: Path) -> None:
    model = Sequential(Linear(3, 4), Linear(4, 2, bias=False))
    weights = layers.initialize(model, seed=3)
    path = tmp_path / "model.safetensors"
    layers.save_safetensors(path, weights)
    found = safetensors.load_file(path)
    assert set(found) == {"layers.0.weight", "layers.0.bias", "layers.1.weight"}
    read = layers.load_safetensors(path, model)
    pairs = zip(layers.leaves(read), layers.leaves(weights), strict=True)
    assert all(np.array_equal(a.value, b.value) for a, b in pairs)


def test_scalars_keep_their_rank(tmp_path: Path) -> None:
    path = tmp_path / "count.safetensors"
    layers.save_safetensors(path, {"count": np.array(3, np.int32)})
    assert layers.load_safetensors(path, {"count": np.array(0, np.int32)})["count"].shape == ()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"weight": np.ones((3, 4), np.float32), "bias": np.ones(3, np.float64)}, "float64"),
        ({"weight": np.ones((4, 3), np.float32), "bias": np.ones(3, np.float32)}, "4, 3"),
        ({"weight": np.ones((3, 4), np.float32)}, "another structure"),
    ],
)
def test_files_of_other_models_are_refused(tmp_path: Path, given: Any, says: str) -> None:
    path = tmp_path / "other.safetensors"
    safetensors.save_file(given, path)
    with pytest.raises(UsageError, match=says) as caught:
        layers.load_safetensors(path, Linear(4, 3))
    assert caught.value.code == "U336"


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.safetensors"
    path.write_text("no tensors", encoding="utf-8")
    for each in (path, tmp_path / "missing.safetensors"):
        with pytest.raises(UsageError, match="cannot be read"):
            layers.load_safetensors(each, Linear(4, 3))


def test_the_package_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"relay-compiler\[training\]") as caught:
        layers.save_safetensors(tmp_path / "x", {})
    assert caught.value.code == "U335"
