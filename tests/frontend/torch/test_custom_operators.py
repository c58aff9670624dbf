"""An operator that Relay does not know is added from outside, as its error message says."""

from pathlib import Path

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn

import relay


@torch.library.custom_op("mine::swish", mutates_args=())
def swish(x: Tensor, beta: float) -> Tensor:
    return x * torch.sigmoid(beta * x)


@swish.register_fake
def _(x: Tensor, beta: float) -> Tensor:
    return torch.empty_like(x)


class Net(nn.Module):
    def forward(self, x):
        return torch.ops.mine.swish(x, 2.0) + 1


def exported(x: Tensor, _: Path):
    return torch.export.export(Net(), (x,)), None


def traced(x: Tensor, _: Path):
    return torch.jit.trace(Net().eval(), x), [("x", x.shape)]


def saved(x: Tensor, folder: Path):
    path = folder / "net.pt2"
    torch.export.save(exported(x, folder)[0], path)
    return path, None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("road", [exported, traced, saved])
def test_an_operator_from_outside(road, tmp_path):
    x = torch.randn(3)
    model, infos = road(x, tmp_path)
    with pytest.raises(relay.RelayError, match=r"F010.*mine::swish") as found:
        relay.frontend.from_pytorch(model, infos)
    assert 'custom_convert_map={"mine::swish": f}' in (found.value.help or "")
    assert Path(__file__).name in found.value.notes[0]

    def translated(inputs, types):
        data, beta = inputs
        return data * relay.sigmoid(data * relay.const(beta, types[0].dtype))

    own = {"mine::swish": translated, "aten::nope": translated}
    with pytest.warns(UserWarning, match="U326.* no operator aten::nope"):
        module, _ = relay.frontend.from_pytorch(model, infos, own)
    same(np.asarray(relay.compile(module, threads=1)(x)), Net()(x))


def test_what_is_no_model():
    with pytest.raises(relay.RelayError) as found:
        relay.frontend.from_pytorch(3)
    assert found.value.code == "U003"
