"""Attention whose scores and mask are functions of positions."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import relay

pytestmark = pytest.mark.filterwarnings("ignore")


class Attention(nn.Module):
    """Attention with a learned bias, within documents; the last query sees no key."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(4, 11))
        self.documents = torch.tensor([0, 0, 0, 1, 1, 1])

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Any:
        def score(s: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
            return torch.tanh(s / 5) * 5 + self.bias[h, i - j + 5] * (b + 1)

        def mask(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
            return (i >= j) & (self.documents[i] == self.documents[j]) & (i < 5)

        blocks = create_block_mask(mask, 2, None, 6, 6, device="cpu")
        attention: Any = flex_attention
        return attention(q, k, v, score, blocks, enable_gqa=True, return_lse=True)


def test_scores_and_masks_are_functions():
    model = Attention().eval()
    args = torch.randn(2, 4, 6, 8), torch.randn(2, 2, 6, 8), torch.randn(2, 2, 6, 8)
    found = relay.compile(model, args, threads=1)(*args)
    for one, other in zip(found, model(*args), strict=True):
        same(np.asarray(one), other)


def test_attention_without_functions():
    args = tuple(torch.randn(1, 2, 4, 8) for _ in range(3))

    class Plain(nn.Module):
        def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Any:
            return flex_attention(q, k, v)

    same(np.asarray(relay.compile(Plain().eval(), args, threads=1)(*args)), Plain()(*args))
