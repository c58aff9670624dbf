"""The loss of connectionist temporal classification, against PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import agrees, same
from torch import Tensor, nn

import relay
from relay.frontend.pytorch import import_torch_model

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

LOGS = torch.randn(7, 3, 5, generator=torch.Generator().manual_seed(0)).log_softmax(2)
ROWS = torch.tensor([[1, 1, 2], [3, 2, 4], [4, 4, 4]])
STEPS, COUNTS = torch.tensor([7, 5, 2]), torch.tensor([3, 2, 0])


class Loss(nn.Module):
    """A loss of sequences whose lengths are inputs."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.loss = nn.CTCLoss(**options)

    def forward(self, x: Tensor, labels: Tensor, steps: Tensor, counts: Tensor) -> Tensor:
        """Return the loss."""
        return self.loss(x, labels, steps, counts)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_rows_of_labels(reduction: str) -> None:
    agrees(Loss(reduction=reduction, blank=4), (LOGS, ROWS[:, :2] % 4, STEPS, COUNTS % 3))


def test_labels_in_one_vector() -> None:
    agrees(Loss(reduction="none"), (LOGS, torch.tensor([1, 1, 2, 3, 2]), STEPS, COUNTS))


@pytest.mark.parametrize("zero_infinity", [False, True])
def test_sequences_that_are_too_short_for_their_labels(zero_infinity: bool) -> None:
    steps = torch.tensor([3, 5, 2])
    agrees(Loss(reduction="none", zero_infinity=zero_infinity), (LOGS, ROWS, steps, COUNTS))


def test_one_sequence() -> None:
    one = LOGS[:, 0], ROWS[0], torch.tensor(7), torch.tensor(3)
    for reduction in ("none", "mean"):
        agrees(Loss(reduction=reduction), one)


def test_lengths_that_are_part_of_a_script() -> None:
    class Fixed(nn.Module):
        def forward(self, x: Tensor, labels: Tensor) -> Tensor:
            steps: Any = (7, 5, 2)
            counts: Any = (3, 2, 0)
            return nn.functional.ctc_loss(x, labels, steps, counts)

    script: Any = torch.jit.trace(Fixed(), (LOGS, ROWS))
    script.eval()
    found = relay.compile(script, (LOGS, ROWS), threads=1)(LOGS, ROWS)
    same(np.asarray(found), Fixed()(LOGS, ROWS))


def test_the_derivative_is_pytorchs() -> None:
    scores = torch.randn(7, 3, 5, generator=torch.Generator().manual_seed(1), requires_grad=True)

    class Scored(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.ctc_loss(x.log_softmax(2), ROWS, STEPS, COUNTS)

    Scored()(scores).backward()
    module = import_torch_model(Scored(), (scores.detach(),)).module
    found: Any = relay.compile(relay.vjp(module))(scores.detach().numpy(), np.float32(1))
    assert scores.grad is not None
    same(np.asarray(found[1]), scores.grad)
