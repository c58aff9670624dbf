"""Traced and scripted modules: control flow, lists, dictionaries, writes to variables."""

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn

import relay
from relay.ir.dims import DimVar
from relay.ir.types import TensorType
from relay.semantics.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit")


class Program(nn.Module):
    """A recurrent loop over a list, a dictionary, a branch and a loop that data end."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.Linear(4, 4)

    def forward(self, x, most: int = 4):
        outputs: list[torch.Tensor] = []
        table: dict[str, torch.Tensor] = {}
        h = torch.zeros(x.size(1), 4)
        for i in range(x.size(0)):
            h = torch.tanh(self.cell(x[i]) + h)
            outputs.append(h)
        table["all"] = torch.stack(outputs)
        shown = OrderedDict()
        shown["out"] = table["all"] * 2 if bool(x.sum() > 0) else table["all"] - 1
        y = shown["out"]
        steps = 0
        while bool(y.abs().sum() < 100) and steps < most:
            y = y * 2
            steps += 1
        y += 1
        return y, steps


def test_a_scripted_program_keeps_its_control_flow():
    scripted = torch.jit.script(Program().eval())
    first = torch.rand(5, 3, 4)
    compiled = relay.compile(scripted, (first,), threads=1)
    for x in (first, -first, first * 0, first * 100):
        found, steps = compiled(x)
        expected, count = scripted(x)
        same(np.asarray(found), expected)
        assert int(steps) == count


def test_a_traced_net_runs_from_its_file_at_any_size(tmp_path: Path):
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(8 * 16, 5),
    ).eval()  # fmt: skip
    x = torch.randn(2, 3, 8, 8)
    torch.jit.save(torch.jit.trace(net, x), tmp_path / "net.pt")
    module = relay.load(tmp_path / "net.pt", shapes={"image": (DimVar("n"), 3, 8, 8)})
    compiled = relay.compile(module, threads=1)
    for image in (x, torch.randn(3, 3, 8, 8)):
        same(np.asarray(compiled(image)), net(image))


class Halves(nn.Module):
    """Split an axis whose size is an even number for every batch size."""

    def forward(self, x):
        first, second = torch.cat([x, x * 2]).chunk(2)
        third, fourth = torch.cat([x * 3, x]).tensor_split(2)
        return first - second, third - fourth


def test_symbolic_sizes_are_split_into_parts_that_are_equal_for_every_size():
    net = Halves().eval()
    infos = [("x", ((DimVar("n"), 3), "float32"))]
    module, _ = relay.frontend.from_pytorch(torch.jit.script(net), infos)
    for x in (torch.randn(2, 3), torch.randn(3, 3)):
        results: Any = evaluate(module, x.numpy())
        for found, wanted in zip(results, net(x), strict=True):
            same(found, wanted)


def test_averages_of_any_size_do_not_count_what_rounding_up_adds(tmp_path: Path):
    net = nn.AvgPool1d(4, 3, 2, ceil_mode=True).eval()
    torch.jit.save(torch.jit.trace(net, torch.randn(1, 2, 7)), tmp_path / "net.pt")
    module = relay.load(tmp_path / "net.pt", shapes={"x": (1, 2, DimVar("n"))})
    compiled = relay.compile(module, threads=1)
    for size in (4, 5, 6):
        x = torch.randn(1, 2, size)
        same(np.asarray(compiled(x)), net(x))


def test_the_classic_call_tells_shapes_and_element_types():
    traced = torch.jit.trace(nn.Embedding(5, 3).eval(), torch.tensor([1, 2]))
    module, params = relay.frontend.from_pytorch(traced, [("ids", ((4,), "int64"))])
    assert (params, module.main.params[0].type) == ({}, TensorType((4,), "int64"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("projection", [0, 3])
def test_a_traced_recurrent_layer(projection: int):
    layer = nn.LSTM(4, 5, 2, bidirectional=True, batch_first=True, proj_size=projection).eval()
    x = torch.randn(2, 6, 4)
    found = relay.compile(torch.jit.trace(layer, x), (x,), threads=1)(x)
    output, (h, c) = layer(x)
    for one, other in zip(found, (output, h, c), strict=True):
        same(np.asarray(one), other)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [nn.GRUCell, nn.RNNCell])
def test_scripted_cells(kind: type[nn.GRUCell] | type[nn.RNNCell]):
    for cell in (kind(4, 5), kind(4, 5, bias=False)):
        script = torch.jit.script(cell.eval())
        x, state = torch.randn(2, 4), torch.randn(2, 5)
        same(np.asarray(relay.compile(script, (x, state), threads=1)(x, state)), script(x, state))


class Attention(nn.Module):
    """Attention within one sequence, for which PyTorch has an operator, or from another one."""

    def __init__(self, own: bool) -> None:
        super().__init__()
        self.layer, self.own = nn.MultiheadAttention(8, 2, batch_first=True), own

    def forward(self, x):
        return self.layer(x, x, x) if self.own else self.layer(x, x + 1, x)


@pytest.mark.parametrize("own", [True, False])
def test_scripted_attention(own: bool):
    layer, x = Attention(own).eval(), torch.randn(2, 5, 8)
    found = relay.compile(torch.jit.script(layer), (x,), threads=1)(x)
    for one, other in zip(found, layer(x), strict=True):
        same(np.asarray(one), other)


def test_an_assertion_of_the_model_is_tested():
    @torch.jit.script
    def halves(x):
        if bool(x.sum() < 0.0):
            raise ValueError("negative")
        return x / 2

    compiled = relay.compile(halves, (torch.ones(2),), threads=1)
    assert compiled(np.ones(2, np.float32)).tolist() == [0.5, 0.5]
    with pytest.raises(relay.RelayError, match="negative"):
        compiled(-np.ones(2, np.float32))


def writes_after_an_append(x):
    y = x + 1
    found = [x]
    found.append(y)
    y.add_(1)
    return found[-1]


def writes_to_what_may_be_a_copy(x):
    y = x + 1
    y.reshape(2, 1).add_(1)
    return y


def writes_to_a_part_of_several(x):
    y = x + 1
    first, second = y.chunk(2, 0)
    first.add_(1)
    return y + second


def appends_in_a_branch(x):
    found = [x]
    if bool(x.sum() > 0):
        found.append(x)
    return found[-1]


REFUSED = [
    writes_after_an_append, writes_to_what_may_be_a_copy, writes_to_a_part_of_several,
    appends_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED)
def test_writes_that_others_may_see_are_refused(function):
    with pytest.raises(relay.RelayError, match="F056") as found:
        relay.compile(torch.jit.script(function), (torch.ones(2),))
    assert "torch.export" in (found.value.help or "")


def test_a_script_in_training_mode_and_a_wrong_number_of_inputs_are_refused(tmp_path: Path):
    with pytest.raises(relay.RelayError, match="F036"):
        relay.compile(torch.jit.script(nn.ReLU()), (torch.ones(2),))
    with pytest.raises(relay.RelayError, match="F014"):
        relay.compile(torch.jit.script(nn.ReLU().eval()), ())
    torch.save({"weight": torch.ones(2)}, tmp_path / "weights.pt")
    with pytest.raises(relay.RelayError, match="F055"):
        relay.load(tmp_path / "weights.pt", shapes={"x": (2,)})


def test_a_copy_of_a_list_is_another_list():
    @torch.jit.script
    def shifted(x: torch.Tensor, by: list[int]):
        few = by.copy()
        few[0] = 0
        return x.roll(few, [0, 1]), x.roll(by, [0, 1])

    x = torch.arange(12.0).view(3, 4)
    for one, other in zip(relay.compile(shifted, (x, [1, 2]))(x), shifted(x, [1, 2]), strict=True):
        same(np.asarray(one), other)


class Masked(nn.Module):
    """An encoder in evaluation mode, for which PyTorch has fused operators and nested tensors."""

    def __init__(self, first: bool) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=not first)

    def forward(self, x: Tensor, padding: Tensor, mask: Tensor):
        both = self.encoder(x, src_key_padding_mask=padding)
        return both, self.encoder(x, mask=mask), self.encoder(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("first", "scripted"), [(False, True), (False, False), (True, False)])
def test_an_encoder_of_fused_layers(first: bool, scripted: bool):
    torch.manual_seed(0)
    model = Masked(first).eval().requires_grad_(False)
    padding = torch.tensor([[False, False, False, True], [False, True, True, True]])
    given = torch.randn(2, 4, 8), padding, torch.ones(4, 4).triu(1).bool()
    script = torch.jit.script(model) if scripted else torch.jit.trace(model, given)
    found = relay.compile(script, given, threads=1)(*given)
    for one, other in zip(found, model(*given), strict=True):
        same(np.asarray(one), other)


def spectra(x: Tensor):
    whole = torch.fft.fft2(x)
    return (
        torch.fft.irfft2(torch.fft.rfft2(x, s=[4, 7]), s=[4, 7], norm="forward"),
        torch.fft.irfft(torch.fft.rfft(x, dim=0), dim=0),
        torch.view_as_real(torch.fft.ifft(whole, n=5, norm="ortho").resolve_conj()),
        torch.fft.irfftn(torch.fft.rfftn(x)),
        torch.fft.ifftn(whole).real,
    )


@pytest.mark.filterwarnings("ignore")
def test_fourier_transforms_of_scripts():
    x = torch.randn(4, 6)
    found = relay.compile(torch.jit.trace(spectra, x), (x,), threads=1)(x)
    for one, other in zip(found, spectra(x), strict=True):
        same(np.asarray(one), other)


class Refusing(nn.Module):
    def forward(self, x: Tensor):
        assert x.dtype != torch.float32, "no floats"
        return x


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "code"), [(Refusing(), "F026"), (nn.LSTM(3, 4), "F055")])
def test_scripts_that_cannot_run(model: nn.Module, code: str):
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(torch.jit.script(model.eval()), (torch.ones(2, 2, 3),), threads=1)
    assert caught.value.code == code
