"""Numbers in traces are constant tensors, whose element type counts less than that of tensors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import relay
from relay.semantics.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit", "ignore::torch.jit.TracerWarning")


class Numbers(nn.Module):
    """Numbers with integers, with a float scalar, and a tensor of the value of a number."""

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        wide = x + torch.tensor(1.5, dtype=torch.float64)
        return wide, x + 1.5, x * 2.5, x / 3.0, y.mean() * 0.5


@pytest.mark.parametrize("from_file", [False, True])
def test_numbers_of_a_trace_do_not_widen_its_tensors(from_file: bool, tmp_path: Path):
    x, y = torch.arange(4), torch.randn(3)
    traced: Any = torch.jit.trace(Numbers().eval(), (x, y))
    if from_file:
        torch.jit.save(traced, tmp_path / "net.pt")
        traced = torch.jit.load(tmp_path / "net.pt")
    infos = [("x", ((4,), "int64")), ("y", ((3,), "float32"))]
    module, _ = relay.frontend.from_pytorch(traced, infos)
    found: Any = evaluate(module, x.numpy(), y.numpy())
    for one, other in zip(found, Numbers()(x, y), strict=True):
        assert np.asarray(one).dtype == other.numpy().dtype
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-6, atol=1e-6)
