"""Traces whose tensors have sizes that depend on data, as those of detectors."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor

import relay

pytestmark = pytest.mark.filterwarnings("ignore")


def best(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    kept = scores > 0.2
    size: Any = torch.tensor(scores[kept].size(0))  # traces record it as a tensor
    few: Any = torch.minimum(torch.tensor(count), size)
    values, order = scores[kept].topk(few)
    return values, torch.where(kept)[0][order]


def selected(x: Tensor):
    values, places = best(x.flatten(), 5)
    rows = x[torch.div(places, 4, rounding_mode="floor")]
    corners = rows.reshape(-1, 2, 2)[..., 0].clamp(max=0.5)
    again = rows.reshape(rows.shape)
    low, _, _, high = again.unbind(1)
    return values[:3], corners, low + high, again[1:, :2], places % 4


def merged(x: Tensor):
    _, places = best(x.flatten(), 7)
    row = torch.div(places, 4, rounding_mode="floor")
    whole = torch.zeros(row.size(0), 2, 4)
    index = torch.where(row >= 2)[0].view(-1, 1, 1)
    index = index.expand(index.size(0), 2, 4)
    ones = torch.ones_like(index).to(whole)
    first, second = whole.split([row.size(0) - 1, 1])
    pairs = torch.stack([row, row], 1)[:, row % 2]
    blocks = torch.stack([pairs, pairs + 1], 2)
    return (
        whole.scatter(0, index, ones),
        torch.cat([second, first]),
        blocks.flatten(1),
        pairs.unflatten(1, (1, -1)),
        torch.arange(3).expand_as(torch.stack([row, row, row], 1)),
    )


@pytest.mark.parametrize("function", [selected, merged])
def test_a_trace_with_sizes_that_depend_on_data(function):
    x = torch.rand(6, 4)
    compiled = relay.compile(torch.jit.trace(function, x, check_trace=False), (x,), threads=1)
    for given in (x, x / 4, torch.rand(6, 4) / 3):
        for one, other in zip(compiled(given), function(given), strict=True):
            same(np.asarray(one), other)
