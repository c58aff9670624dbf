"""A language model of the Llama family, written in Relay, from the weights in a file.

The model is one program. It takes new tokens and the keys and values of those before them, its
state, and gives scores for the next token and the new state: a prompt goes in as a whole, then one
token at a time. How many tokens there are is open in both.

    python examples/llama.py model.gguf "The capital of France is" [--packed]

With `--packed`, quantised weights stay as they are in the file.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

import numpy as np
from byte_pairs import Vocabulary
from packed_weights import Blocks, Weight, dense, matrix, take

import relay

Weights = Mapping[str, Weight]


@dataclass(frozen=True)
class Config:
    """The sizes of a model; queries share keys and values where there are fewer of those."""

    layers: int
    heads: int
    key_heads: int
    head_size: int
    epsilon: float = 1e-5
    base: float = 10000.0


def llama(config: Config, weights: Weights) -> relay.Module:
    """Return the program `main(tokens, keys, values) -> (scores, keys, values)`.

    Keys and values are `(layers, heads, tokens, size)`. Weights have the names that GGUF has, and
    places rotate the halves of a head, as in `transformers`.
    """
    new, old = relay.DimVar("new"), relay.DimVar("old")
    tokens = relay.var("tokens", shape=(new,), dtype="int32")
    shape = (config.layers, config.key_heads, old, config.head_size)
    keys, values = relay.var("keys", shape=shape), relay.var("values", shape=shape)
    x = take(weights["token_embd.weight"], tokens)
    places = Places(config, old, new)
    states: list[tuple[relay.Expr, relay.Expr]] = []
    for index in range(config.layers):
        layer = {name: weights[f"blk.{index}.{name}.weight"] for name in LAYER}
        past = [relay.take(each, relay.const(index), axis=0) for each in (keys, values)]
        mixed, state = attention(config, layer, normal(x, layer["attn_norm"], config), past, places)
        x = x + mixed
        x = x + feed_forward(layer, normal(x, layer["ffn_norm"], config))
        states.append(state)
    last = relay.strided_slice(x, begin=(new - 1,), end=(new,), axes=(0,))
    head = weights.get("output.weight", weights["token_embd.weight"])
    final = normal(last, weights["output_norm.weight"], config)
    scores = relay.reshape(dense(final, head), (-1,))
    stacked = [relay.stack([each[i] for each in states], axis=0) for i in range(2)]
    return relay.Module.of(relay.Function((tokens, keys, values), relay.Tuple((scores, *stacked))))


LAYER = (
    "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up",
    "ffn_down",
)  # fmt: skip


class Places:
    """What depends on where tokens stand: how far heads are rotated, and which tokens they see."""

    def __init__(self, config: Config, old: relay.DimVar, new: relay.DimVar) -> None:
        half = config.head_size // 2
        columns = relay.cumsum(relay.ones((old + new,), "int32"), axis=0) - 1
        rows = relay.strided_slice(columns, begin=(old,), end=(old + new,), axes=(0,))
        rows = relay.reshape(rows, (new, 1))
        steps = relay.const(config.base ** (-np.arange(half) / half), "float64")
        angles = relay.cast(rows, "float64") * steps
        self.cosine = relay.cast(relay.cos(angles), "float32")
        self.sine = relay.cast(relay.sin(angles), "float32")
        self.sees = relay.less_equal(columns, rows)
        self.old, self.new = old, new

    def rotated(self, x: relay.Expr) -> relay.Expr:
        """Return heads `(heads, new, size)`, whose halves are the axes of rotations."""
        first, second = relay.split(x, 2, axis=-1)
        return relay.concatenate(
            [
                first * self.cosine - second * self.sine,
                second * self.cosine + first * self.sine,
            ],
            axis=-1,
        )


def attention(
    config: Config,
    layer: Weights,
    x: relay.Expr,
    past: Sequence[relay.Expr],
    places: Places,
) -> tuple[relay.Expr, tuple[relay.Expr, relay.Expr]]:
    """Return what tokens take from those before them, and the keys and values of all."""
    heads, shared, size = config.heads, config.key_heads, config.head_size
    new, whole = places.new, places.old + places.new

    def split(name: str, count: int) -> relay.Expr:
        parts = relay.reshape(dense(x, layer[name]), (new, count, size))
        return relay.transpose(parts, (1, 0, 2))

    queries = places.rotated(split("attn_q", heads)) * (size**-0.5)
    keys = relay.concatenate([past[0], places.rotated(split("attn_k", shared))], axis=1)
    values = relay.concatenate([past[1], split("attn_v", shared)], axis=1)
    grouped = relay.reshape(queries, (shared, heads // shared * new, size))
    scores = relay.nn.batch_matmul(grouped, keys, transpose_b=True)
    scores = relay.reshape(scores, (heads, new, whole))
    scores = relay.where(places.sees, scores, relay.const(np.float32(-1e9)))
    shares = relay.reshape(relay.nn.softmax(scores), (shared, heads // shared * new, whole))
    mixed = relay.nn.batch_matmul(shares, values, transpose_b=False)
    mixed = relay.transpose(relay.reshape(mixed, (heads, new, size)), (1, 0, 2))
    result = dense(relay.reshape(mixed, (new, heads * size)), layer["attn_output"])
    return result, (keys, values)


def feed_forward(layer: Weights, x: relay.Expr) -> relay.Expr:
    """Return what each token makes of itself."""
    gate = relay.nn.silu(dense(x, layer["ffn_gate"]))
    return dense(gate * dense(x, layer["ffn_up"]), layer["ffn_down"])


def normal(x: relay.Expr, weight: Weight, config: Config) -> relay.Expr:
    """Divide each row by the root of the mean of its squares."""
    squares = relay.mean(x * x, axis=-1, keepdims=True)
    return x * relay.rsqrt(squares + config.epsilon) * relay.const(matrix(weight))


def from_gguf(stored: Any, *, packed: bool = False) -> tuple[Config, Weights]:
    """Return the sizes and the weights in a loaded GGUF file of the architecture `llama`.

    There, pairs of neighbours in a head are rotated; the rows of queries and keys are reordered so
    that they are halves. If `packed`, weights in blocks are not dequantised.
    """
    facts = {key.removeprefix("llama."): each for key, each in stored.metadata.items()}
    heads = facts["attention.head_count"]
    config = Config(
        layers=facts["block_count"],
        heads=heads,
        key_heads=facts.get("attention.head_count_kv", heads),
        head_size=facts["embedding_length"] // heads,
        epsilon=facts["attention.layer_norm_rms_epsilon"],
        base=facts.get("rope.freq_base", 10000.0),
    )
    weights: dict[str, Weight] = {}
    for name, kind in stored.kinds.items():
        blocks = Blocks.of(stored.packed(name), kind) if packed else None
        weight = stored[name].astype(np.float32, copy=False) if blocks is None else blocks
        is_rotated = name.endswith(("attn_q.weight", "attn_k.weight"))
        weights[name] = _halved(weight, stored.shape(name)[0], config) if is_rotated else weight
    return config, weights


def _halved(weight: Weight, rows: int, config: Config) -> Weight:
    pairs = np.arange(rows).reshape(-1, config.head_size // 2, 2)
    order = pairs.swapaxes(1, 2).reshape(-1)
    return weight.rows(order) if isinstance(weight, Blocks) else weight[order]


def generate(model: relay.Executable, config: Config, prompt: Sequence[int]) -> Iterator[int]:
    """Give the most probable next tokens, one by one."""
    tokens = np.array(prompt, np.int32)
    shape = (config.layers, config.key_heads, 0, config.head_size)
    keys, values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    while True:
        scores, keys, values = model(tokens, keys, values)
        token = int(scores.argmax())
        yield token
        tokens = np.array([token], np.int32)


def main(arguments: Sequence[str]) -> None:
    """Continue a prompt by 64 tokens, or until the model ends the text."""
    path, prompt, *options = arguments
    stored: Any = relay.load(path)
    vocabulary, end = Vocabulary.of(stored.metadata), stored.metadata["tokenizer.ggml.eos_token_id"]
    config, weights = from_gguf(stored, packed=options == ["--packed"])
    model = relay.compile(llama(config, weights))
    tokens = generate(model, config, vocabulary.encode(prompt))
    print(prompt, end="", flush=True)
    for token in islice(takewhile(lambda token: token != end, tokens), 64):
        print(vocabulary.decode([token]), end="", flush=True)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
