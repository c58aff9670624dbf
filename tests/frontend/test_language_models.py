"""Exports of a language model by both exporters of PyTorch decode to PyTorch's tokens.

`python tools/language_models.py --write tests/frontend/language_models` makes the files.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay

FOLDER = Path(__file__).with_name("language_models")


@pytest.mark.parametrize(
    "exporter", ["torchscript", pytest.param("dynamo", marks=pytest.mark.slow)]
)
def test_an_export_decodes_token_by_token(exporter: str) -> None:
    program: Any = relay.compile(relay.load(FOLDER / f"{exporter}.onnx"), threads=1)
    stored = np.load(FOLDER / "tokens.npz")
    wanted, prompts = stored["tokens"], stored["prompts"]
    keys = program.signature.inputs[1:]
    state = [np.zeros((len(prompts), spec.shape[1], 0, spec.shape[3]), np.float32) for spec in keys]
    tokens, found = prompts, [prompts]
    for _ in range(wanted.shape[1] - prompts.shape[1]):
        scores, *state = program(tokens, *state)
        tokens = np.argmax(scores[:, -1:], axis=-1)
        found.append(tokens)
    np.testing.assert_array_equal(np.concatenate(found, axis=1), wanted)
