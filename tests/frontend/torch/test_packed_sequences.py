"""Recurrent layers over packed sequences, in traces and scripts."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils import _pytree as pytree

import relay

pytestmark = pytest.mark.filterwarnings("ignore")


class Packed(nn.Module):
    def __init__(self, kind: type[nn.LSTM] | type[nn.GRU], is_sorted: bool, layers: int):
        super().__init__()
        self.layer = kind(3, 4, layers, batch_first=True, bidirectional=not is_sorted)
        self.is_sorted = is_sorted

    def forward(self, x: Tensor, lengths: Tensor):
        packed = pack_padded_sequence(
            x, lengths, batch_first=True, enforce_sorted=self.is_sorted
        )  # fmt: skip
        found, state = self.layer(packed)
        whole, counts = pad_packed_sequence(found, batch_first=True, total_length=6)
        short, _ = pad_packed_sequence(found, padding_value=-1.0)
        return whole, short, counts, state


X = torch.randn(3, 6, 3)


@pytest.mark.parametrize("scripted", [False, True])
@pytest.mark.parametrize(
    ("kind", "is_sorted", "layers"), [(nn.LSTM, True, 1), (nn.GRU, False, 1), (nn.LSTM, False, 2)]
)
def test_packed_sequences(kind: Any, is_sorted: bool, layers: int, scripted: bool):
    model = Packed(kind, is_sorted, layers).eval()
    first = torch.tensor([5, 3, 2])
    script = torch.jit.script(model) if scripted else torch.jit.trace(model, (X, first))
    compiled = relay.compile(script, (X, first), threads=1)
    others = [[6, 4, 4], [1, 1, 1]] if is_sorted else [[2, 6, 3], [4, 1, 5]]
    for lengths in map(torch.tensor, others):
        expected = pytree.tree_leaves(model(X, lengths))
        for one, other in zip(pytree.tree_leaves(compiled(X, lengths)), expected, strict=True):
            same(np.asarray(one), other)


def test_lengths_must_be_sorted_and_positive():
    script = torch.jit.script(Packed(nn.GRU, True, 1).eval())
    compiled = relay.compile(script, (X, torch.tensor([5, 3, 2])), threads=1)
    for wrong in ([3, 5, 2], [5, 3, 0], [7, 3, 2]):
        with pytest.raises(relay.RelayError, match="lengths must be positive"):
            compiled(X, torch.tensor(wrong))
