"""Operators by family, evaluated by the definition of the language, against PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from frontend.torch_models import Function, same
from torch import Tensor, nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch.utils import _pytree as pytree

from relay.frontend.pytorch import import_torch_model
from relay.semantics.evaluate import evaluate


def elementwise(x, n):
    y = x.clone()
    y[0, 1] = float("nan")
    return (
        x.sin() + x.erf(),
        n.exp(),
        x.expm1(),
        x.abs().log1p(),
        x.round(decimals=1),
        x.sign(),
        torch.nan_to_num(y / 0),
        x.logit(eps=0.1),
        torch.signbit(x),
        x.frac(),
        n.float().sqrt(),
        F.softplus(x, 2.0, 1.0),
        F.elu(x, 0.5),
        F.hardshrink(x),
        F.glu(x),
        F.gelu(x),
        F.selu(x),
    )


def arithmetic(x, n):
    return (
        x + n,
        x - 2,
        3 - n,
        n * True,
        n / 2,
        x // 0.3,
        x % 0.7,
        torch.fmod(n, 3),
        torch.gcd(n, n.flip(0)),
        torch.lcm(n, n.int() + 3),
        n**2,
        x.pow(3),
        n & 3,
        n << 1,
        (n > 2) & (x > 0),
        torch.atan2(x, n + 0.5),
        torch.maximum(x, n.float()),
        x.clamp(-0.5),
        torch.where(x > 0, x, n),
        x.masked_fill(x > 0, 7),
        torch.lerp(x, x * 2, 0.7),
        torch.floor_divide(n, -2),
        torch.div(n, -2, rounding_mode="trunc"),
        torch.logaddexp(x, x),
        torch.add(x, x, alpha=0.5),
        torch.copysign(x, -x),
        x.addcmul(x, x, value=2),
    )


def reductions(x, n):
    return (
        x.sum(),
        n.sum(0),
        x.mean(1, keepdim=True),
        n.prod(),
        x.amax((0, 1)),
        *x.max(1),
        n.argmin(),
        x.any(),
        (n > 0).all(1),
        x.var(1),
        x.std(correction=0),
        x.logsumexp(0),
        x.norm(),
        *x.median(1),
        torch.linalg.vector_norm(x, 3, dim=1),
        x.cumsum(1),
        n.cumprod(0),
        *x.cummax(1),
        torch.count_nonzero(n),
        *torch.aminmax(x, dim=0),
        x.logcumsumexp(0),
        *torch.var_mean(x, 1),
    )


def shapes(x, n):
    return (
        x.reshape(2, -1),
        x.T,
        x.unsqueeze(1).expand(-1, 2, -1),
        x.flip(0),
        x.roll(1, 1),
        x.repeat(2, 1),
        *x.chunk(3, 1),
        *x.unbind(0),
        torch.cat([x, n], 1),
        torch.stack([x, x], -1),
        x.movedim(0, 1),
        *torch.meshgrid(x[0], x[1], indexing="xy"),
        x.repeat_interleave(2, 1),
        x.diagonal(),
        x.tril(),
        F.pad(x, (1, -1, 0, 2), value=3),
        x.unfold(1, 2, 2),
        torch.diag_embed(x),
        x.triu(1),
        F.pixel_shuffle(x.reshape(1, 4, 1, 3), 2),
        torch.arange(1, 7, 2),
        torch.eye(2),
        x.view(12),
    )


def indexing(x, n):
    i = n[0] % 3
    y, z = x.clone(), x.clone()
    y[1, ::2] = 0
    y[:, 1] += 1
    z[z > 0] = -1
    return (
        x[i],
        x[:, i],
        x[i, i],
        x[None, i],
        x[n > 100],
        y,
        z,
        x.gather(0, n % 3),
        x.index_add(0, i, x[i]),
        x.scatter(0, n % 3, 1.0),
        x.scatter_add(0, n % 3, x),
        *x.topk(2, 1),
        *x.sort(1, descending=True),
        torch.searchsorted(x[0].sort()[0], x),
        F.one_hot(i, 3),
        x.take(i),
        x.index_put((i,), x[i]),
        x.scatter_reduce(0, n % 3, x, "mean", include_self=False),
        x.masked_scatter(x > 0, x),
        torch.argsort(x, 1),
        x.index_select(1, i),
        x[1:, :-1],
        x[..., 0],
        torch.nonzero(n).float(),
    )


def images(x):
    values, places = F.max_pool2d(x, 2, 1, return_indices=True)
    return (
        values,
        places,
        F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
        F.avg_pool2d(x, 2, 2, 1, ceil_mode=True),  # no window begins in the padding at the end
        F.max_pool2d(x, 2, 2, 1, ceil_mode=True),
        F.avg_pool2d(x, (7, 6), 2, ceil_mode=True),
        F.adaptive_avg_pool2d(x, (2, 3)),
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, (5, 7), mode="bilinear"),
        F.interpolate(x, (5, 3), mode="bicubic", align_corners=True),
        F.pad(x, (1, 2, 1, 0), "reflect"),
        F.conv_transpose2d(x, torch.ones(4, 2, 2, 2), stride=2),
        F.unfold(x, 2),
        F.avg_pool1d(x[0], 2),
        F.fold(F.unfold(x, 2), (6, 5), 2),
        F.instance_norm(x),
        F.group_norm(x, 2),
        F.rms_norm(x, (5,)),
        F.conv2d(x, torch.ones(4, 2, 3, 3), padding="same", groups=2),
        F.layer_norm(x, (6, 5)),
        torch.grid_sampler(x, x[:, :2].movedim(1, -1), 0, 1, False),
    )


def products(x, y):
    q = x.reshape(1, 2, 3, 2)
    mask = torch.tensor([[True, False, True], [True, True, True], [False, False, True]])
    return (
        x @ y,
        torch.bmm(x, y),
        x[0] @ y[0][:, 0],
        torch.einsum("bij,bjk->ik", x, y),
        x[0, 0] @ y[0],
        torch.addmm(x[0], x[0], y[0][:, :2], beta=2),
        torch.outer(x[0, 0], x[1, 1]),
        F.scaled_dot_product_attention(q, q, q, attn_mask=mask),
        torch.cdist(x, x),
        F.scaled_dot_product_attention(q, q, q, is_causal=True, scale=0.3),
        x.softmax(-1).log_softmax(0),
    )


CASES = {
    "elementwise": (elementwise, "matrices"),
    "arithmetic": (arithmetic, "matrices"),
    "reductions": (reductions, "matrices"),
    "shapes": (shapes, "matrices"),
    "indexing": (indexing, "matrices"),
    "images": (images, "image"),
    "products": (products, "batches"),
}


def inputs(kind: str) -> tuple[Tensor, ...]:
    torch.manual_seed(0)
    match kind:
        case "image":
            return (torch.randn(2, 4, 6, 5),)
        case "batches":
            return torch.randn(2, 3, 2), torch.randn(2, 2, 3)
        case _:
            return torch.randn(3, 4), torch.arange(-2, 10).reshape(3, 4)


@pytest.mark.parametrize("name", CASES)
def test_a_family_of_operators(name: str):
    function, kind = CASES[name]
    given = inputs(kind)
    imported = import_torch_model(Function(function), given)
    found: Any = evaluate(imported.module, *(x.numpy() for x in given))
    expected = pytree.tree_leaves(function(*(x.clone() for x in given)))
    for one, other in zip(found, expected, strict=True):
        same(np.asarray(one), other, 1e-4)


class Branch(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))


class While(nn.Module):
    def forward(self, x):
        i = torch.zeros((), dtype=torch.int64)
        return torch.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, x * 2), (i, x))


@pytest.mark.parametrize("model", [Branch(), While()], ids=["cond", "while_loop"])
@pytest.mark.parametrize("sign", [1, -1])
def test_control_flow(model: nn.Module, sign: int):
    imported = import_torch_model(model, (torch.ones(3),))
    x = sign * torch.rand(3)
    found = evaluate(imported.module, x.numpy())
    listed = found if isinstance(found, tuple) else [found]
    for one, other in zip(listed, pytree.tree_leaves(model(x)), strict=True):
        same(np.asarray(one), other)


def test_products_of_small_integers_have_wide_sums():
    a, b = (torch.randint(-128, 128, shape).to(torch.int8) for shape in ((17, 32), (32, 8)))
    product: Any = torch.ops.aten._int_mm.default
    imported = import_torch_model(Function(product), (a, b))
    same(np.asarray(evaluate(imported.module, a.numpy(), b.numpy())), product(a, b))


class Scan(nn.Module):
    def forward(self, x):
        rows = x.reshape(3, 1) * torch.arange(1.0, 3.0)
        return scan(lambda h, row: (h + row, h * row), rows[0], rows, reverse=True)


class Map(nn.Module):
    def forward(self, x):
        def shifted(row: Any, y: Any) -> Any:
            return torch.sin(row) - y

        return map_rows(shifted, x.reshape(3, 1), x.sum())


class AssociativeScan(nn.Module):
    def forward(self, x):
        return associative_scan(torch.add, x, dim=0, combine_mode="generic")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model", [Scan(), Map(), AssociativeScan()], ids=lambda m: type(m).__name__
)
def test_loops_over_rows(model: nn.Module):
    x = torch.tensor([0.5, -1.0, 2.0])
    found = evaluate(import_torch_model(model, (x,)).module, x.numpy())
    listed = found if isinstance(found, tuple) else [found]
    for one, other in zip(listed, pytree.tree_leaves(model(x)), strict=True):
        same(np.asarray(one), other)


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count += 1
        return x * self.count


def test_a_buffer_that_is_written_to_goes_in_and_out():
    imported = import_torch_model(Counter(), (torch.ones(2),))
    x = np.array([1, 2], np.float32)
    first: Any = evaluate(imported.module, x, imported.state["count"])
    once, count = first
    second: Any = evaluate(imported.module, x, count)
    twice, _ = second
    assert (np.asarray(once).tolist(), np.asarray(twice).tolist()) == ([1, 2], [2, 4])
