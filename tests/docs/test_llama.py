"""examples/llama.py says what `transformers` says with the same weights."""

import importlib.util
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay

ROOT = Path(__file__).parents[2]
FILES = ROOT / "tests/frontend/parameters"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("llama", ROOT / "examples/llama.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["llama"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def served(example) -> Any:
    config, weights = example.from_gguf(FILES / "llama.gguf")
    return config, relay.compile(example.llama(config, weights))


def test_a_prompt_is_continued_as_transformers_does(example, served):
    config, model = served
    wanted = np.load(FILES / "llama.npz")
    prompt = wanted["prompt"]
    count = len(wanted["tokens"]) - len(prompt)
    found = [*islice(example.generate(model, config, prompt), count)]
    assert [*prompt, *found] == [*wanted["tokens"]]


def test_one_call_with_all_tokens_gives_the_last_scores(served):
    config, model = served
    wanted = np.load(FILES / "llama.npz")
    empty = np.zeros((config.layers, config.key_heads, 0, config.head_size), np.float32)
    scores, keys, _ = model(wanted["tokens"].astype(np.int32), empty, empty)
    np.testing.assert_allclose(scores, wanted["scores"][-1], rtol=1e-4, atol=1e-4)
    assert keys.shape == (config.layers, config.key_heads, len(wanted["tokens"]), config.head_size)
