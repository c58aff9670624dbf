"""examples/llama.py says what `transformers` says with the same weights."""

import importlib
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
    sys.path.insert(0, str(ROOT / "examples"))
    return importlib.import_module("llama")


@pytest.fixture(scope="module")
def served(example) -> Any:
    config, weights = example.from_gguf(relay.load(FILES / "llama.gguf"))
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


def test_text_is_split_into_the_longest_known_pairs_in_their_order(example):
    letters = [*"helo", "Ġ", "Ã", "©", "1", "2", "_", "<|end|>"]
    words = ["he", "ll", "hell", "hello", "Ġhe", "Ã©"]
    vocabulary = example.Vocabulary.of(
        {
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "smollm",
            "tokenizer.ggml.tokens": [*letters, *words],
            "tokenizer.ggml.token_type": [1] * 10 + [3] + [1] * 6,
            "tokenizer.ggml.merges": ["h e", "Ġ he", "l l", "he ll", "hell o", "Ã ©"],
        }
    )
    text = "hello hello é12_<|end|>he"
    numbers = vocabulary.encode(text)
    found = [vocabulary.tokens[number] for number in numbers]
    assert found == ["hello", "Ġhe", "ll", "o", "Ġ", "Ã©", "1", "2", "_", "<|end|>", "he"]
    assert vocabulary.decode(numbers) == text


@pytest.mark.parametrize("kind", ["Q4_0", "Q4_1", "Q4_K", "Q8_0"])
def test_a_packed_weight_is_multiplied_as_if_it_were_dequantised(example, kind: str):
    stored: Any = relay.load(FILES / "blocks.gguf")
    blocks, weight = example.Blocks.of(stored.packed(kind), kind), stored[kind]
    np.testing.assert_array_equal(blocks.unpacked(), weight)
    x = relay.var("x", shape=(relay.DimVar("rows"), weight.shape[1]))
    rows = relay.var("i", shape=(2,), dtype="int32")
    both = relay.Tuple((blocks.multiply(x), blocks.take(rows)))
    program = relay.compile(relay.Module.of(relay.Function((x, rows), both)))
    data = np.linspace(-1, 1, 2 * weight.shape[1], dtype=np.float32).reshape(2, -1)
    product, taken = program(data, np.array([2, 0], np.int32))
    bound = np.abs(data) @ np.abs(weight).T
    assert (np.abs(product - data @ weight.T) <= 1e-6 * bound).all()
    np.testing.assert_array_equal(taken, weight[[2, 0]])
