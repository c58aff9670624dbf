"""Derivatives of imported programs stop where those of PyTorch do."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import relay
from relay.frontend.torch.gradient_modes import with_kept_detach

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

AT = np.array([0.3, 0.8, -1.1])


class Detached(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sin(x).detach() + self.twice(x.detach() * x)

    def twice(self, x: Tensor) -> Tensor:
        return x.detach() + x


class WithoutGradients(nn.Module):
    """Also writes to a tensor, so that PyTorch traces the exported program again."""

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            y = torch.sin(x) * 2
            if y.shape[0] > 2:
                y = y * x
            z = y + 1
        w = x.clone()
        w += x
        return x * y + z + w


class WithGradientsInside(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            y = torch.sin(x)
            with torch.enable_grad():
                v = y * x
        return x * y + v


def expected(model: nn.Module) -> np.ndarray:
    x = torch.tensor(AT, requires_grad=True)
    model(x).sum().backward()
    return x.grad.numpy()  # pyright: ignore[reportOptionalMemberAccess] - it has one now


@pytest.mark.parametrize("cls", [Detached, WithoutGradients, WithGradientsInside])
def test_exported_programs(cls: type[nn.Module]):
    program = torch.export.export(cls(), (torch.zeros(3, dtype=torch.double),))
    before = program.graph_module.code
    model = relay.load(program)
    found = relay.grad(lambda x: np.sum(model(x)))(AT)
    np.testing.assert_allclose(found, expected(cls()), rtol=1e-12)
    assert program.graph_module.code == before


@pytest.mark.parametrize("cls", [Detached, WithoutGradients])
def test_scripts(cls: type[nn.Module]):
    script = torch.jit.script(cls().eval())
    main = relay.frontend.from_pytorch(script, [("x", ((3,), "float64"))])[0]["main"]
    total = relay.Module.of(relay.Function(main.params, relay.sum(main.body)))
    found = relay.compile(relay.grad(total))(AT)
    np.testing.assert_allclose(found, expected(cls()), rtol=1e-12)


def test_a_script_with_detach_is_copied_without_its_weights():
    script = torch.jit.script(nn.Sequential(nn.Linear(3, 2), Detached(), nn.BatchNorm1d(2)).eval())
    before = str(script.inlined_graph)
    copied = with_kept_detach(script)
    weights, found = script.state_dict(), copied.state_dict()
    assert {name: each.data_ptr() for name, each in found.items()} == {
        name: each.data_ptr() for name, each in weights.items()
    }
    assert "aten::detach(" not in str(copied.inlined_graph)
    assert str(script.inlined_graph) == before
    x = torch.rand(4, 3)
    torch.testing.assert_close(copied(x), script(x))


def test_writes_to_a_detached_tensor_of_a_script_change_the_tensor():
    class Writes(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y = x * 2.0
            y.detach().add_(1.0)
            return y

    script = torch.jit.script(Writes().eval())
    model = relay.frontend.from_pytorch(script, [("x", ((3,), "float64"))])[0]
    np.testing.assert_array_equal(relay.compile(model)(AT), AT * 2 + 1)
