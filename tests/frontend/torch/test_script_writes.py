"""Writes to views in traced and scripted functions change all tensors that share their memory."""

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor

import relay

pytestmark = pytest.mark.filterwarnings("ignore")


def parts(x: Tensor):
    y = torch.zeros(3, 4)
    column = y[:, 1]
    row = y[2]
    y[1:, 2] = x[0, :2]
    y[0] += 1
    row.mul_(3).add_(x[0])
    y.t()[3].fill_(7)
    return y, column + 1, row


def shapes(x: Tensor):
    y = x.clone()
    flat = y.view(-1)
    flat[3:5] = 0
    y.unsqueeze(0).transpose(1, 2)[0, 1].neg_()
    y.permute(1, 0)[0] *= 2
    y.diagonal().zero_()
    return y * 2, flat


def unread(x: Tensor):
    y = torch.relu(x)
    return y.flatten().mul_(2) + 1


def halves(x: Tensor):
    y = x + 1
    first, second = y.chunk(2, 1)
    z = first + second
    y[0] = 5
    return y, z


def counted(x: Tensor):
    y = torch.zeros(4, dtype=torch.int64)
    for i in range(3):
        y[i] = i
        y[i + 1] += y[i]
    return y + x[0].long()


def listed(x: Tensor):
    y = x + 1
    y.add_(1)
    return torch.cat([y, x])


@pytest.mark.parametrize("function", [parts, shapes, unread, halves, counted, listed])
@pytest.mark.parametrize("road", [torch.jit.script, lambda f: torch.jit.trace(f, torch.ones(3, 4))])
def test_a_write_to_a_view(function, road):
    x = torch.randn(3, 4)
    expected = function(x)
    found = relay.compile(road(function), (x,), threads=1)(x)
    listed = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found if isinstance(found, tuple) else (found,), listed, strict=True):
        same(np.asarray(one), other)


class Pyramid(torch.nn.Module):
    levels: list[Tensor]

    def __init__(self):
        super().__init__()
        self.levels = [torch.zeros(1)]

    def forward(self, x: Tensor):
        self.levels = [x]
        for i in range(2, 8, 3):
            self.levels.append(self.levels[-1] * i)
        return self.levels[1:], x.shape[-2:]


class Kept(torch.nn.Module):
    """A module with buffers that forward changes in several ways."""

    count: Tensor
    total: Tensor
    last: Tensor

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("last", torch.zeros(2, 3))

    def forward(self, x: Tensor):
        before, part = self.total, self.total[1:]
        self.total.add_(x)
        self.total[0] = 7
        self.count += 1
        self.last = torch.cat([self.last[1:], x[None]])
        return before * self.count, part, self.last.mean(0)


class Grown(Kept):
    def forward(self, x: Tensor):
        self.last = torch.cat([self.last, x[None]])
        return self.last


class Branched(Kept):
    def forward(self, x: Tensor):
        if bool(x.sum() > 0):
            self.total.add_(x)
        return self.total


class Rebound(Kept):
    def forward(self, x: Tensor):
        self.total.add_(x)
        self.total = x
        return self.total


class Number(Kept):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor):
        self.calls += 1
        return x * self.calls


def test_attributes_that_a_call_sets_first():
    scripted, x = torch.jit.script(Pyramid().eval()), torch.rand(2, 3)
    *found, rows, columns = relay.compile(scripted, (x,), threads=1)(x)
    expected, _ = Pyramid()(x)
    for one, other in zip(found, expected, strict=True):
        same(np.asarray(one), other)
    assert (int(rows), int(columns)) == (2, 3)


def test_buffers_that_one_call_changes_for_the_next():
    scripted = torch.jit.script(Kept().eval())
    compiled = relay.compile(scripted, (torch.rand(3),), threads=1)
    module, state = relay.frontend.from_pytorch(scripted, [("x", (3,))])
    assert {*state} == {"count", "total", "last"}
    assert module.main.attrs["outputs"][-3:] == tuple(e.name for e in module.main.params[1:])
    state = []
    for _ in range(3):
        x = torch.rand(3)
        expected = scripted(x)
        *found, a, b, c = compiled(x, *state)
        state = [a, b, c]
        for one, other in zip(found, expected, strict=True):
            same(np.asarray(one), other)


@pytest.mark.parametrize("model", [Grown, Branched, Rebound, Number])
def test_changes_of_attributes_that_are_refused(model: type[torch.nn.Module]):
    scripted = torch.jit.script(model().eval())
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(scripted, (torch.rand(3),), threads=1)
    assert caught.value.code == "F056"
    assert caught.value.help
