"""Functions along axes whose sizes are symbolic."""

from collections.abc import Callable

import pytest
import torch
from frontend.torch_models import agrees
from torch import Tensor, nn

import relay

pytestmark = pytest.mark.filterwarnings("ignore")

pad = nn.functional.pad


def square(x: Tensor) -> Tensor:
    return x.mT @ x


FUNCTIONS: dict[str, Callable[[Tensor], Tensor | tuple[Tensor, ...]]] = {
    "circular padding": lambda x: pad(x, (1, 2), mode="circular"),
    "circular padding that crops": lambda x: pad(x, (2, -1), mode="circular"),
    "median": lambda x: tuple(x.median(-1)),
    "median of all": lambda x: x.median(),
    "nanmedian": lambda x: tuple(x.nanmedian(-1)),
    "kthvalue": lambda x: tuple(x.kthvalue(2, -1, keepdim=True)),
    "diagonals": lambda x: (square(x).diagonal(1, 1, 2), square(x).diagonal(-1, 1, 2)),
    "diagonal_scatter": lambda x: square(x).diagonal_scatter(x[:, 0], 0, 1, 2),
    "diag_embed": lambda x: torch.diag_embed(x, -2, 0, 2),
    "diag": lambda x: (torch.diag(square(x[0]), 1), torch.diag(x[0, 0], 1)),
    "trace": lambda x: torch.trace(square(x[0])),
}


class Module(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor | tuple[Tensor, ...]]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, ...]:
        return self.function(x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str):
    size = torch.export.Dim("size", min=3, max=64)
    module, others = Module(FUNCTIONS[name]), (torch.randn(2, 3, 3), torch.randn(2, 3, 12))
    first = torch.randn(2, 3, 7)
    agrees(module, (first,), *[(each,) for each in others], dynamic_shapes=({2: size},))


def test_a_function_that_needs_a_fixed_size():
    size = torch.export.Dim("size", min=3, max=64)
    strided = Module(lambda x: torch.as_strided(x, (2, 2), (1, 2)))
    exported = torch.export.export(strided, (torch.ones(2, 3),), dynamic_shapes=({1: size},))
    with pytest.raises(relay.RelayError, match="the strides must be known at compile time"):
        relay.compile(exported)
