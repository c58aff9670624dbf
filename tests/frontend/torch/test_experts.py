"""Products of groups of rows and attention in 16 bits, as mixtures of experts compute them."""

import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn

import relay

pytestmark = pytest.mark.filterwarnings("ignore")


class Products(nn.Module):
    """Products whose groups are rows, pairs of matrices, and rows and columns."""

    def forward(self, x: Tensor, weights: Tensor, ends: Tensor) -> list[Tensor]:
        rows = nn.functional.grouped_mm(x, weights, offs=ends)
        columns = nn.functional.grouped_mm(weights.mT, x.mT.contiguous(), offs=ends)
        both = nn.functional.grouped_mm(x.mT, rows, offs=ends)
        pairs = nn.functional.grouped_mm(weights, weights.mT)
        return [each.float() for each in (rows, columns, both, pairs)]


def test_grouped_products_of_any_number_of_rows():
    torch.manual_seed(0)
    weights = torch.randn(3, 8, 16).bfloat16()

    def examples(*ends: int) -> tuple[Tensor, Tensor, Tensor]:
        return torch.randn(ends[-1], 8).bfloat16(), weights, torch.tensor(ends, dtype=torch.int32)

    rows = torch.export.Dim("rows", min=2, max=64) * 8
    exported = torch.export.export(
        Products(), examples(8, 8, 16), dynamic_shapes=({0: rows}, None, None)
    )
    program = relay.compile(exported)
    given = examples(0, 16, 24)
    for found, wanted in zip(program(*given), Products()(*given), strict=True):
        same(found, wanted, 3e-2)


def test_attention_in_16_bits():
    attention = nn.functional.scaled_dot_product_attention
    x = torch.randn(1, 2, 4, 8).bfloat16()
    found = torch.compile(attention, backend="relay")(x, x, x)
    same(found.float().numpy(), attention(x, x, x).float(), 3e-2)


def test_attention_with_symbolic_numbers_and_sizes_of_heads():
    attention = nn.functional.scaled_dot_product_attention
    compiled = torch.compile(attention, backend="relay", dynamic=True)
    for heads, length, size in [(2, 4, 8), (3, 5, 16), (7, 2, 5)]:
        q, k, v = torch.randn(3, 2, heads, length, size, requires_grad=True)
        wanted, found = attention(q, k, v), compiled(q, k, v)
        same(found.detach().numpy(), wanted.detach())
        slopes = [torch.autograd.grad(each.square().sum(), (q, k, v)) for each in (found, wanted)]
        for ours, theirs in zip(*slopes, strict=True):
            same(ours.numpy(), theirs, 1e-4)
