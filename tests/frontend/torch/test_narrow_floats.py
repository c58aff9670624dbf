"""Floats of 8 bits: conversions, weights, inputs and results, against PyTorch's."""

from typing import Any, Self

import numpy as np
import pytest
import torch
from frontend.torch_models import Function, agrees, same
from torch import Tensor, nn
from torch.nn.functional import ScalingType, scaled_mm

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


@pytest.mark.parametrize("scales", [((), (1, 1)), ((8, 1), (1, 16))])
def test_products_with_scales(scales: tuple[tuple[int, ...], tuple[int, ...]]):
    def product(x: Tensor, y: Tensor, first: Tensor, second: Tensor, bias: Tensor) -> list[Tensor]:
        scaled: Any = torch.ops.aten._scaled_mm.default
        kind = ScalingType.RowWise if first.numel() > 1 else ScalingType.TensorWise
        again: Any = scaled_mm(x, y, first, kind, second, kind, output_dtype=torch.bfloat16)
        return [scaled(x, y, first, second, bias, None, torch.bfloat16).float(), again.float()]

    torch.manual_seed(0)
    x, y = torch.randn(8, 32).to(KINDS[0]), torch.randn(16, 32).to(KINDS[0]).t()
    given = [x, y, *(torch.rand(shape) for shape in scales), torch.randn(16).bfloat16()]
    found = relay.compile(Function(product), given)(*given)
    for one, other in zip(found, product(*given), strict=True):
        same(one, other, 1e-2)


class Scaled(Tensor):
    """A weight of 8-bit floats with a scale, as a subclass of tensors."""

    codes: Tensor
    scale: Tensor

    def __new__(cls, codes: Tensor, scale: Tensor) -> Self:
        make: Any = Tensor._make_wrapper_subclass
        found = make(cls, codes.shape, dtype=scale.dtype)
        found.codes, found.scale = codes, scale
        return found

    def __tensor_flatten__(self) -> Any:
        return ["codes", "scale"], None

    @classmethod
    def __tensor_unflatten__(cls, inner: Any, *_: object) -> "Scaled":
        return cls(inner["codes"], inner["scale"])

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.nn.functional.linear:
            x, weight = args
            return x @ (weight.codes.float() * weight.scale).t()
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in (torch.ops.aten.detach.default, torch.ops.aten.alias.default):
            return cls(*(func(each) for each in (args[0].codes, args[0].scale)))
        raise NotImplementedError(func)


def test_a_weight_that_is_a_tensor_subclass():
    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            codes = torch.randn(4, 3).to(torch.float8_e4m3fn)
            self.weight = nn.Parameter(Scaled(codes, torch.tensor(0.5)), requires_grad=False)

        def forward(self, x: Tensor) -> Tensor:
            return torch.nn.functional.linear(x, self.weight)

    agrees(Layer(), (torch.randn(2, 3),))


def test_results_share_the_memory_of_tensors():
    class Rounded(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.to(torch.float8_e4m3fn)

    wanted = Rounded()(NUMBERS)
    found = torch.compile(Rounded(), backend="relay")(NUMBERS)
    assert found.dtype is wanted.dtype
    assert np.array_equal(found.view(torch.uint8), wanted.view(torch.uint8))
