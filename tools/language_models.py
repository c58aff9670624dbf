"""Export a language model with both exporters of PyTorch, and decode with the imported models.

    python tools/language_models.py                             compare fresh exports with PyTorch
    python tools/language_models.py --write tests/frontend/language_models

The model is of the Llama family, with random weights: it takes tokens and the cached keys and
values of earlier tokens, whose number is symbolic, and returns scores and the extended cache. A
prompt is passed as a whole, then one token at a time. `--write` stores small exports with the
tokens that PyTorch chooses, for the tests. Exits with 1 if a token differs.
"""

# PyTorch annotates its modules and functions in part.
# pyright: reportUnknownMemberType=none, reportUnknownArgumentType=none
# pyright: reportUnknownVariableType=none

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay

EXPORTERS = {"dynamo": True, "torchscript": False}
"""Whether each exporter of PyTorch is the one of `torch.export`."""


@dataclass(frozen=True)
class Config:
    """The sizes of a model; several query heads share a head of keys and values."""

    layers: int = 1
    heads: int = 4
    key_heads: int = 2
    head_size: int = 4
    hidden: int = 24
    vocabulary: int = 61
    epsilon: float = 1e-5
    base: float = 10000.0

    @property
    def width(self) -> int:
        """Return the number of features of a token."""
        return self.heads * self.head_size

    def empty(self, batch: int) -> list[Tensor]:
        """Return an empty key and value cache for each layer."""
        return [
            torch.zeros(batch, self.key_heads, 0, self.head_size) for _ in range(2 * self.layers)
        ]


class Normal(nn.Module):
    """RMS normalisation: each row divided by the root of the mean of its squares."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """Normalise rows."""
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


class Attention(nn.Module):
    """Attention of new tokens to all, by rotated queries and keys."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        shared = config.key_heads * config.head_size
        self.query = nn.Linear(config.width, config.width, bias=False)
        self.key = nn.Linear(config.width, shared, bias=False)
        self.value = nn.Linear(config.width, shared, bias=False)
        self.output = nn.Linear(config.width, config.width, bias=False)

    def forward(
        self, x: Tensor, places: tuple[Tensor, Tensor], mask: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the result for the new tokens, and the keys and values of all."""
        batch, new = x.shape[:2]

        def split(parts: Tensor) -> Tensor:
            return parts.view(batch, new, -1, self.config.head_size).transpose(1, 2)

        keys = torch.cat([keys, rotated(split(self.key(x)), places)], dim=2)
        values = torch.cat([values, split(self.value(x))], dim=2)
        times = self.config.heads // self.config.key_heads
        mixed = nn.functional.scaled_dot_product_attention(
            rotated(split(self.query(x)), places), repeated(keys, times), repeated(values, times),
            attn_mask=mask,
        )  # fmt: skip
        joined = mixed.transpose(1, 2).reshape(batch, new, self.config.width)
        return self.output(joined), keys, values


class Layer(nn.Module):
    """Attention and a gated feed-forward network, each added to its input."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.before = Normal(config.width, config.epsilon)
        self.attention = Attention(config)
        self.between = Normal(config.width, config.epsilon)
        self.gate = nn.Linear(config.width, config.hidden, bias=False)
        self.up = nn.Linear(config.width, config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, config.width, bias=False)

    def forward(self, x: Tensor, *rest: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Return the new features, and the keys and values of all tokens."""
        mixed, keys, values = self.attention(self.before(x), *rest)
        x = x + mixed
        inner = self.between(x)
        return x + self.down(nn.functional.silu(self.gate(inner)) * self.up(inner)), keys, values


class Llama(nn.Module):
    """A language model with the keys and values of earlier tokens as inputs and outputs."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.last = Normal(config.width, config.epsilon)
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        steps = torch.arange(0, config.head_size, 2).float() / config.head_size
        self.frequencies: Tensor
        self.register_buffer("frequencies", config.base**-steps)

    def forward(self, tokens: Tensor, *past: Tensor) -> tuple[Tensor, ...]:
        """Return the scores of each token, and the keys and values of each layer."""
        old, new = past[0].shape[2], tokens.shape[1]
        numbers = torch.arange(old, old + new)
        angles = numbers[:, None].float() * self.frequencies
        angles = torch.cat([angles, angles], dim=-1)
        mask = torch.full((new, old + new), float("-inf")).triu(old + 1)
        x = self.embedding(tokens)
        present = list[Tensor]()
        for place, layer in enumerate(self.layers):
            state = past[2 * place : 2 * place + 2]
            x, *state = layer(x, (angles.cos(), angles.sin()), mask, *state)
            present += state
        return self.head(self.last(x)), *present


def rotated(x: Tensor, places: tuple[Tensor, Tensor]) -> Tensor:
    """Return heads `(batch, heads, new, size)` with rotary position embedding."""
    first, second = x.chunk(2, dim=-1)
    return x * places[0] + torch.cat([-second, first], dim=-1) * places[1]


def repeated(x: Tensor, times: int) -> Tensor:
    """Return each head repeated several times in a row."""
    batch, heads, length, size = x.shape
    return x[:, :, None].expand(batch, heads, times, length, size).reshape(batch, -1, length, size)


def export(model: Llama, path: Path, *, dynamo: bool) -> None:
    """Export a model with a symbolic batch size and symbolic numbers of new and cached tokens."""
    config = model.config
    names = [f"{what}{place}" for place in range(config.layers) for what in ("keys", "values")]
    past = [torch.rand(2, config.key_heads, 3, config.head_size) for _ in names]
    tokens = torch.ones(2, 4, dtype=torch.int64)
    options: dict[str, Any] = {
        "input_names": ["tokens", *names],
        "output_names": ["scores", *(f"new_{name}" for name in names)],
        "external_data": False,
        "verbose": False,
    }
    if dynamo:
        batch, old, new = (torch.export.Dim(name) for name in ("batch", "old", "new"))
        options["dynamic_shapes"] = ({0: batch, 1: new}, tuple({0: batch, 2: old} for _ in names))
    else:
        axes = {name: {0: "batch", 2: "old"} for name in names}
        options["dynamic_axes"] = {"tokens": {0: "batch", 1: "new"}, **axes}
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(model, (tokens, *past), path, dynamo=dynamo, **options)
    written = onnx.load_model(path)
    for node in written.graph.node:  # where each comes from in Python, which is long
        del node.metadata_props[:]
        node.doc_string = ""
    onnx.save_model(written, path)


Step = Callable[..., Sequence[Any]]
"""One step of decoding: tokens and state to scores and state, as arrays."""


def decode(step: Step, config: Config, prompts: Any, count: int) -> Any:
    """Return the prompts, each followed by its most probable next tokens."""
    tokens, state = prompts, [each.numpy() for each in config.empty(len(prompts))]
    found = [prompts]
    for _ in range(count):
        scores, *state = step(tokens, *state)
        tokens = np.argmax(scores[:, -1:], axis=-1)
        found.append(tokens)
    return np.concatenate(found, axis=1)


def in_torch(model: Llama) -> Step:
    """Return a decoding step by PyTorch."""

    def step(*arrays: Any) -> Sequence[Any]:
        with torch.no_grad():
            return [each.numpy() for each in model(*map(torch.from_numpy, arrays))]

    return step


def main() -> int:
    """Compare the tokens of both exports with PyTorch's, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--tokens", type=int, default=12)
    options = parser.parse_args()
    torch.manual_seed(8)
    config = Config() if options.write else Config(4, 8, 4, 32, 512, 2000)
    model = Llama(config).eval()
    prompts = np.random.default_rng(8).integers(0, config.vocabulary, (2, 5))
    wanted = decode(in_torch(model), config, prompts, options.tokens)
    folder = options.write or Path("build")
    folder.mkdir(parents=True, exist_ok=True)
    different = dict[str, bool]()
    for name, dynamo in EXPORTERS.items():
        path = folder / f"{name}.onnx"
        export(model, path, dynamo=dynamo)
        program: Any = relay.compile(relay.load(path))
        found = decode(program, config, prompts, options.tokens)
        different[name] = not np.array_equal(found, wanted)
        print(f"{name}: {'differs from' if different[name] else 'decodes as'} PyTorch")
    same = list(different.values()).count(False)
    print(f"{same} of {len(different)} exports decode as PyTorch does")
    if options.write:
        np.savez_compressed(folder / "tokens.npz", prompts=prompts, tokens=wanted)
    return int(any(different.values()))


if __name__ == "__main__":
    sys.exit(main())
