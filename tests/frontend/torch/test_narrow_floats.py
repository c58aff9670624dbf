"""Floats of 8 bits: conversions, weights, inputs and results, against PyTorch's."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn

import relay

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBERS = torch.tensor(
    [0, -0.0, 1.5, -3, 463.9, 465, -1e9, 57345, 70000, 1e-9, torch.inf, torch.nan]
)
KINDS = [
    torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz,
    torch.float8_e8m0fnu,
]  # fmt: skip


class Conversions(nn.Module):
    """Conversions of floats, doubles and integers to floats of 8 bits, and a weight of them."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(12).to(torch.float8_e4m3fn), requires_grad=False)

    def forward(self, x: Tensor, y: Tensor) -> list[Tensor]:
        integers = y.to(torch.int32) * 300
        found = [each.to(kind).float() for each in (x, x.double(), integers) for kind in KINDS]
        return [*found, self.weight.to(torch.float32) * y.float(), y.to(torch.bfloat16)]


@pytest.mark.parametrize("traces", [False, True])
def test_conversions(traces: bool):
    module = Conversions().eval()
    examples = (NUMBERS, torch.arange(12).to(torch.float8_e5m2))
    made: Any = (
        torch.jit.trace(module, examples, check_trace=False)
        if traces
        else torch.export.export(module, examples)
    )
    program = relay.compile(relay.load(made, example_inputs=examples))
    *found, last = program(*examples)
    *wanted, rounded = module(*examples)
    for one, other in zip(found, wanted, strict=True):
        same(one, other)
    same(last.astype(np.float32), rounded.float())


def test_results_share_the_memory_of_tensors():
    class Rounded(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.to(torch.float8_e4m3fn)

    wanted = Rounded()(NUMBERS)
    found = torch.compile(Rounded(), backend="relay")(NUMBERS)
    assert found.dtype is wanted.dtype
    assert np.array_equal(found.view(torch.uint8), wanted.view(torch.uint8))
