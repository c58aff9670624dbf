"""Traces whose tensors have sizes that depend on data, as those of detectors."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn

import relay
from relay.semantics.evaluate import evaluate

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


class Resized(nn.Module):
    """An image of a size that is computed from data."""

    def __init__(self, mode: str, corners: bool | None) -> None:
        super().__init__()
        self.mode, self.corners = mode, corners

    def forward(self, x: Tensor, size: Tensor):
        shape = [int(size[0]), int(size[1])]
        return nn.functional.interpolate(x, shape, mode=self.mode, align_corners=self.corners)


def test_a_part_whose_start_depends_on_data():
    @torch.jit.script
    def part(x: Tensor):
        start = int(x.argmax())
        return x.narrow(0, start, 1), x.narrow(0, 0, start + 1)

    compiled = relay.compile(part, (torch.rand(5),), threads=1)
    for x in (torch.rand(5), torch.rand(5)):
        for one, other in zip(compiled(x), part(x), strict=True):
            same(np.asarray(one), other)


MODES = (
    ("nearest", None), ("nearest-exact", None), ("bilinear", False), ("bilinear", True),
    ("bicubic", False),
)  # fmt: skip


@pytest.mark.parametrize(("mode", "corners"), MODES)
def test_images_of_sizes_that_depend_on_data(mode: str, corners: bool | None):
    script = torch.jit.script(Resized(mode, corners).eval())
    x, size = torch.randn(1, 2, 5, 6), torch.tensor([7, 3])
    compiled = relay.compile(script, (x, size), threads=1)
    for each in (size, torch.tensor([5, 13]), torch.tensor([1, 1])):
        same(np.asarray(compiled(x, each)), script(x, each), 1e-4)


def test_images_of_sizes_that_depend_on_data_are_scaled():
    def doubled(x: Tensor):
        wide = x[:, :, :, torch.where(x[0, 0, 0] > 0)[0]]
        return nn.functional.interpolate(wide, scale_factor=(2.0, 1.5), mode="bilinear")

    x = torch.rand(1, 2, 3, 9) - 0.3
    compiled = relay.compile(torch.jit.trace(doubled, x, check_trace=False), (x,), threads=1)
    for each in (x, x + 0.2):
        same(np.asarray(compiled(each)), doubled(each), 1e-4)


def test_a_list_of_results_grows_in_a_loop():
    @torch.jit.script
    def grown(x: Tensor, count: Tensor):
        rows = torch.zeros([0, 3])
        places = torch.zeros([0], dtype=torch.int64)
        for i in range(int(count)):
            rows = torch.cat((rows, x[i : i + 1] * 2))
            places = torch.cat((places, x[i].argmax().unsqueeze(0)))
        return rows, places

    x = torch.randn(20, 3)
    compiled = relay.compile(grown, (x, torch.tensor(4)), threads=1)
    for count in (4, 0, 20):
        for one, other in zip(compiled(x, np.array(count)), grown(x, torch.tensor(count)),
                              strict=True):  # fmt: skip
            same(np.asarray(one), other)


class OfAnySize(nn.Module):
    """Rotations, windows and masks of an axis of dynamic size."""

    def forward(self, x: Tensor, past: Tensor) -> tuple[Tensor, ...]:
        whole = torch.cat([past, x])
        mask = torch.ones(x.shape[0], whole.shape[0], dtype=torch.bool).tril(past.shape[0])
        return x.roll((-1, 2), (0, 1)), x.roll(3), x.unfold(0, 3, 2), torch.eye(x.shape[0]), mask


def test_rotations_windows_and_masks_of_dynamic_sizes():
    rows = [{0: torch.export.Dim(name, min=3, max=9)} for name in ("n", "p")]
    net, inputs = OfAnySize().eval(), (torch.randn(4, 2), torch.randn(6, 2))
    program = torch.export.export(net, inputs, dynamic_shapes=tuple(rows))
    module, _ = relay.frontend.from_pytorch(program)
    for x in (inputs[0], torch.randn(7, 2)):
        found: Any = evaluate(module, x.numpy(), inputs[1].numpy())
        for one, other in zip(found, net(x, inputs[1]), strict=True):
            same(np.asarray(one), other)
