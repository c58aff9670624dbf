"""Views that address memory by strides: those of programs of `torch.export`, and of traces."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import agrees, same
from torch import Tensor, nn

import relay
from relay.ir.expr import Call
from relay.ir.walk import post_order
from relay.ops.tensor.gather import Take
from relay.semantics.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore")


class View(nn.Module):
    """A view of a permuted tensor by strides; a size of 0 is that of the batch."""

    def __init__(self, order: Any, size: Any, stride: Any, offset: int | None = None) -> None:
        super().__init__()
        self.order, self.size, self.stride, self.offset = order, size, stride, offset

    def forward(self, x: Tensor) -> Tensor:
        size = [each or x.size(0) for each in self.size]
        return x.contiguous().permute(self.order).as_strided(size, self.stride, self.offset) + 1


VIEWS = {
    "the tensor": View((0, 1, 2), (0, 8, 3), (24, 3, 1)),
    "another shape": View((0, 1, 2), (0, 24), (24, 1)),
    "its memory in another order": View((2, 0, 1), (3, 0, 8), (1, 24, 3)),
    "overlapping windows": View((0, 1, 2), (0, 3, 4, 3), (24, 6, 3, 1)),
    "windows of a permuted tensor": View((0, 2, 1), (0, 3, 4, 3), (24, 6, 3, 1)),
    "a diagonal": View((0, 1, 2), (0, 3), (24, 4)),
    "a part": View((0, 1, 2), (0, 5, 2), (24, 3, 1), 4),
    "repeated rows": View((0, 1, 2), (0, 4, 3), (24, 0, 1)),
    "rows over the border of a batch": View((0, 1, 2), (3, 24), (12, 1), 6),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_traced_functions(name: str):
    view, x = VIEWS[name], torch.randn(3, 8, 3)

    def function(x: Tensor) -> Tensor:
        return view(x)

    module = relay.load(torch.jit.trace(function, x), example_inputs=(x,))
    same(np.asarray(evaluate(module, x.numpy())), view(x))


@pytest.mark.parametrize("name", ["windows of a permuted tensor", "its memory in another order"])
def test_views_of_any_batch(name: str):
    torch.manual_seed(0)
    x, other = torch.randn(3, 8, 3), torch.randn(2, 8, 3)
    batch = torch.export.Dim("batch", min=2, max=9)
    agrees(VIEWS[name], (x,), (other,), dynamic_shapes=({0: batch},))


def test_windows_are_rows_that_are_looked_up():
    x = torch.randn(2, 512, 64)
    view = View((0, 1, 2), (2, 7, 128, 64), (512 * 64, 64 * 64, 64, 1))
    module, _ = relay.frontend.from_pytorch(torch.export.export(view, (x,)))
    calls = [e for e in post_order(module.main) if isinstance(e, Call)]
    (places,) = [e.args[1] for e in calls if isinstance(e.op, Take)]
    assert places.tensor_type.shape == (7, 128)


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: x[:, ::2].as_strided((2, 3), (8, 1)), "F030"),
        (lambda x: x.expand(4, 8, 3).as_strided((2, 3), (3, 1)), "F030"),
        (lambda x: x[:, 4:].contiguous()[:, :1].as_strided((1, 4), (12, 3)), "F030"),
    ],
)
def test_memory_that_is_not_that_of_the_tensor(function: Any, code: str):
    x = torch.randn(1, 8, 3)
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(torch.jit.trace(function, x), (x,))
    assert caught.value.code == code
    assert caught.value.help


def test_a_module_of_torchscript_does_not_know_strides():
    view, x = VIEWS["overlapping windows"], torch.randn(3, 8, 3)
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(torch.jit.trace(view.eval(), x), (x,))
    assert caught.value.code == "F030"
    assert "torch.export" in str(caught.value.help)
