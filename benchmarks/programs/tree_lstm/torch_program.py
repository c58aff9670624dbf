"""The TreeLSTM as a recursive method that batches the children of a node."""

import torch
from torch import nn

from benchmarks.programs.torch_parts import linear
from benchmarks.programs.tree_lstm.case import Node, Sizes
from benchmarks.programs.workload import Weights

State = tuple[torch.Tensor, torch.Tensor]


class Encoder(nn.Module):
    """The network."""

    def __init__(self, sizes: Sizes, weights: Weights) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(torch.tensor(weights["vectors"]))
        self.of_word = linear(weights["w"], weights["b"])
        self.of_children = linear(weights["u"])
        self.keep_word = linear(weights["w_keep"], weights["b_keep"])
        self.keep_child = linear(weights["u_keep"])
        self.empty = torch.zeros(1, sizes.hidden)
        self.cell = self.node

    def node(self, word: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> State:
        """Return the state of a node from those of its children."""
        x = self.embedding(word)
        gates = self.of_word(x) + self.of_children(h.sum(dim=0, keepdim=True))
        entry, exit_, content = gates.chunk(3, dim=1)
        keep = torch.sigmoid(self.keep_word(x) + self.keep_child(h))
        cell = torch.sigmoid(entry) * torch.tanh(content) + (keep * c).sum(dim=0, keepdim=True)
        return torch.sigmoid(exit_) * torch.tanh(cell), cell

    def encode(self, tree: Node) -> State:
        """Return the state of a tree."""
        word = torch.tensor([tree.word])
        if not tree.children:
            return self.cell(word, self.empty, self.empty)
        h, c = zip(*map(self.encode, tree.children), strict=True)
        return self.cell(word, torch.cat(h), torch.cat(c))

    def forward(self, tree: Node) -> State:
        """Return the state of a tree as two vectors."""
        h, c = self.encode(tree)
        return h[0], c[0]


def build(sizes: Sizes, weights: Weights) -> nn.Module:
    """Return the network."""
    return Encoder(sizes, weights)


def compiled(program: Encoder) -> Encoder:
    """Compile the computation of one node, since the compiler would unroll the whole recursion."""
    program.cell = torch.compile(program.node, dynamic=True)
    return program
