"""The name generator as in PyTorch's tutorial."""

import torch
from torch import nn

from benchmarks.programs.char_rnn.case import LETTERS, STEPS, Sizes
from benchmarks.programs.torch_parts import linear
from benchmarks.programs.workload import Weights


class Generator(nn.Module):
    """The network and the loop around it."""

    def __init__(self, sizes: Sizes, weights: Weights) -> None:
        super().__init__()
        self.size = sizes.hidden
        self.i2h = linear(weights["to_state"], weights["state_bias"])
        self.i2o = linear(weights["to_output"], weights["output_bias"])
        self.o2o = linear(weights["to_letter"], weights["letter_bias"])
        self.softmax = nn.LogSoftmax(dim=1)

    def step(
        self, category: torch.Tensor, letter: torch.Tensor, hidden: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the probabilities of letters, and the next state."""
        read = torch.cat((category, letter, hidden), 1)
        hidden = self.i2h(read)
        output = self.o2o(torch.cat((hidden, self.i2o(read)), 1))
        return self.softmax(output), hidden

    def forward(
        self, category: torch.Tensor, letter: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letters and the last state."""
        category, hidden = category[None], torch.zeros(1, self.size)
        letters: list[torch.Tensor] = []
        for _ in range(STEPS):
            one_hot = nn.functional.one_hot(letter.long().reshape(1), LETTERS).float()
            output, hidden = self.step(category, one_hot, hidden)
            letter = output.topk(1)[1][0, 0]
            letters.append(letter)
        return torch.stack(letters).int(), hidden[0]


def build(sizes: Sizes, weights: Weights) -> nn.Module:
    """Return the generator."""
    return Generator(sizes, weights)
