"""Quantised modules and PT2E programs give PyTorch's integers, up to one quantum."""

from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import agrees, same
from torch import nn
from torch.ao import quantization
from torch.ao.nn.quantized import FloatFunctional

import relay
from relay.frontend.pytorch import import_torch_model
from relay.ir.expr import Operator
from relay.ir.walk import post_order

q: Any = quantization  # which torchao replaces

pytestmark = pytest.mark.filterwarnings("ignore")


class Net(nn.Module):
    """Convolutions, a sum, functions, poolings and a layer, between stubs."""

    def __init__(self) -> None:
        super().__init__()
        self.stub, self.back = q.QuantStub(), q.DeQuantStub()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.second = nn.Conv2d(8, 8, 3, groups=4, padding=1)
        self.sum = FloatFunctional()
        self.join = FloatFunctional()
        self.act = nn.Sequential(nn.Hardswish(), nn.ReLU6())
        self.pool = nn.MaxPool2d(2)
        self.mean = nn.AdaptiveAvgPool2d(1)
        self.last = nn.Linear(16, 5)

    def forward(self, x):
        x = self.first(self.stub(x))
        y = self.pool(self.act(self.sum.add_relu(x, self.second(x))))
        y = self.join.cat([y, self.pool(x).sigmoid()], 1)
        return self.back(self.last(self.mean(y).flatten(1)))


def quantised(channels: bool) -> tuple[Any, torch.Tensor]:
    torch.manual_seed(0)
    net: Any = Net().eval()
    net.first[1].running_var.uniform_(0.5, 2)
    net.qconfig = q.get_default_qconfig("fbgemm" if channels else "qnnpack")
    q.fuse_modules(net.first, [["0", "1", "2"]], inplace=True)
    prepared = q.prepare(net)
    x = torch.randn(16, 3, 8, 8)
    prepared(x)
    return q.convert(prepared), x


@pytest.mark.parametrize("channels", [True, False], ids=["per channel", "per tensor"])
@pytest.mark.parametrize("road", [torch.jit.trace, lambda net, _: torch.jit.script(net)])
def test_a_quantised_module(channels: bool, road: Any):
    net, x = quantised(channels)
    compiled = relay.compile(road(net, x), (x,), threads=1)
    found, expected = np.asarray(compiled(x)), net(x).numpy()
    quanta = np.abs(found - expected) / net.last.scale
    assert quanta.max() < 1.01
    assert np.mean(quanta < 0.01) > 0.8


def test_a_quantised_module_is_in_the_quantised_dialect():
    net, x = quantised(channels=True)
    module, _ = relay.frontend.from_pytorch(torch.jit.trace(net, x), [("x", (16, 3, 8, 8))])
    names = {e.name for e in post_order(module.main) if isinstance(e, Operator)}
    assert {"qnn.quantize", "qnn.conv2d", "qnn.dense", "qnn.requantize"} <= names


def test_a_quantised_leaky_relu_keeps_its_slope():
    leaky: Any = torch.ops.quantized.leaky_relu

    def model(x):
        x = torch.quantize_per_tensor(x, 0.016, 128, torch.quint8)
        return leaky(x, 0.3, False, 0.02, 60).dequantize()

    x = torch.tensor([-2, -1, 0.5, 1, 1.9])
    found = relay.compile(torch.jit.trace(model, x), (x,), threads=1)(x)
    assert np.allclose(found, model(x).numpy())


def test_a_dynamically_quantised_layer():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).eval()
    net = q.quantize_dynamic(net, {nn.Linear})
    x = torch.randn(2, 3, 8)
    found = np.asarray(relay.compile(torch.jit.trace(net, x), (x,), threads=1)(x))
    np.testing.assert_allclose(found, net(x).numpy(), atol=2e-2)


@pytest.mark.parametrize("road", ["export", "trace"])
def test_a_module_that_is_trained_for_quantisation(road: str):
    torch.manual_seed(0)
    net: Any = nn.Sequential(q.QuantStub(), nn.Conv2d(3, 4, 3), nn.ReLU(), q.DeQuantStub()).train()
    net.qconfig = q.get_default_qat_qconfig("fbgemm")
    net, x = q.prepare_qat(net), torch.randn(2, 3, 6, 6)
    net(x)
    if road == "export":
        with pytest.raises(relay.RelayError, match="observers of the model") as caught:
            import_torch_model(net.eval(), (x,))
        assert caught.value.code == "F036"
    net.apply(q.disable_observer).eval()
    model = net if road == "export" else torch.jit.trace(net, x)
    same(np.asarray(relay.compile(model, (x,), threads=1)(x)), net(x))


class Program(nn.Module):
    """A convolution as `convert_pt2e` writes it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (4, 3, 3, 3), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(4) * 0.01 + 0.001)
        self.register_buffer("zeros", torch.zeros(4, dtype=torch.int64))

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        x = ops.quantize_per_tensor(x, 0.03, 2, -128, 127, torch.int8)
        x = ops.dequantize_per_tensor(x, 0.03, 2, -128, 127, torch.int8)
        weight = ops.dequantize_per_channel(
            self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8
        )
        y = torch.relu(nn.functional.conv2d(x, weight))
        y = ops.quantize_per_tensor(y, 0.05, -100, -100, 100, torch.int8)
        return ops.dequantize_per_tensor(y, 0.05, -100, -100, 100, torch.int8)


class Dynamic(nn.Module):
    """An activation that is quantised by its range, or row by row."""

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        scale, zero = ops.choose_qparams(x, -128, 127, 1e-6, torch.int8)
        y = ops.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8)
        y = ops.dequantize_per_tensor(y, scale, zero, -128, 127, torch.int8)
        scales, zeros = ops.choose_qparams_per_token(x, torch.int8)
        z = ops.quantize_per_token(x, scales, zeros, -128, 127, torch.int8)
        z = ops.dequantize_per_token(z, scales, zeros, -128, 127, torch.int8, torch.float32)
        return y, z


@pytest.mark.parametrize("model", [Program(), Dynamic()], ids=["static", "dynamic"])
def test_a_quantised_program(model: nn.Module):
    torch.manual_seed(0)
    agrees(model, (torch.randn(2, 3, 6, 6),))


class Recurrent(nn.Module):
    """Two bidirectional layers and a cell over packed sequences."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LSTM(4, 5, num_layers=2, bidirectional=True)
        self.cell = nn.GRUCell(10, 3)

    def forward(self, x):
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([6, 4, 2]))
        steps, (hidden, _) = self.layers(packed)
        return self.cell(nn.utils.rnn.pad_packed_sequence(steps)[0][1]), hidden


@pytest.mark.parametrize("stored", [torch.qint8, torch.float16], ids=str)
def test_dynamically_quantised_recurrent_layers(stored: torch.dtype):
    torch.manual_seed(0)
    kinds = {nn.LSTM, nn.GRUCell} if stored is torch.qint8 else {nn.LSTM}
    net = q.quantize_dynamic(Recurrent().eval(), kinds, stored)
    x = 3 * torch.randn(6, 3, 4)
    with torch.no_grad():
        traced, expected = torch.jit.trace(net, (x,)), net(x)
    found = relay.compile(traced, (x,), threads=1)(x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-5)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("name", ["Conv", "ConvTranspose"])
def test_quantised_convolutions_of_signals_images_and_volumes(name: str, rank: int):
    torch.manual_seed(0)
    transposed = name == "ConvTranspose"
    options = {"output_padding": 1} if transposed else {}
    layer = getattr(nn, f"{name}{rank}d")(4, 6, 3, stride=2, padding=1, groups=2, **options)
    net: Any = nn.Sequential(q.QuantStub(), layer, q.DeQuantStub()).eval()
    net.qconfig = q.default_qconfig
    prepared, x = q.prepare(net), torch.randn(2, 4, *(4,) * rank)
    prepared(x)
    net = q.convert(prepared)
    found = relay.compile(torch.jit.trace(net, (x,)), (x,), threads=1)(x)
    np.testing.assert_allclose(found, net(x).numpy(), atol=1.01 * net[1].scale)
