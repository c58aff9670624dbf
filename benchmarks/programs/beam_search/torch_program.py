"""Beam search as PyTorch users write it, with the library's GRU cell."""

import torch
from torch import nn

from benchmarks.programs.beam_search.case import Sizes
from benchmarks.programs.torch_parts import linear
from benchmarks.programs.workload import Weights


class Search(nn.Module):
    """The decoder and the loop around it."""

    first_scores: torch.Tensor

    def __init__(self, sizes: Sizes, weights: Weights) -> None:
        super().__init__()
        self.sizes = sizes
        self.embedding = nn.Embedding.from_pretrained(torch.tensor(weights["vectors"]))
        self.cell = nn.GRUCell(sizes.input, sizes.hidden)
        names = {"weight_ih": "w", "weight_hh": "u", "bias_ih": "b", "bias_hh": "d"}
        values = {long: torch.tensor(weights[short].T.copy()) for long, short in names.items()}
        self.cell.load_state_dict(values)
        self.to_symbol = linear(weights["to_symbol"], weights["symbol_bias"])
        self.register_buffer("first_scores", torch.tensor(sizes.scores))

    def forward(self, start: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the best sequences and their scores."""
        width, symbols = self.sizes.width, self.sizes.symbols
        h, scores = start.expand(width, -1), self.first_scores
        last = torch.zeros(width, dtype=torch.long)
        found = torch.zeros(width, 0, dtype=torch.long)
        for _ in range(self.sizes.steps):
            h = self.cell(self.embedding(last), h)
            longer = scores[:, None] + torch.log_softmax(self.to_symbol(h), dim=1)
            scores, best = longer.reshape(-1).topk(width)
            beams, last = best // symbols, best % symbols
            h, found = h[beams], torch.cat([found[beams], last[:, None]], 1)
        return found.int(), scores


def build(sizes: Sizes, weights: Weights) -> nn.Module:
    """Return the search."""
    return Search(sizes, weights)
