"""Exported programs become Relay's operators, and give what PyTorch gives."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from frontend.torch_models import Function, agrees, same
from torch import nn

import relay
from relay.frontend.pytorch import import_torch_model, translated_operators
from relay.frontend.torch.registry import TRANSLATIONS
from relay.interop.torch import TorchModule
from relay.ir.expr import Constant, Operator
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate


def operators(imported) -> list[str]:
    found = post_order(imported.module.main)
    return [each.name for each in found if isinstance(each, Operator)]


def perceptron() -> nn.Module:
    layers = nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4), nn.Softmax(-1)
    return nn.Sequential(*layers)


def small_net() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding="same", groups=2), nn.Hardswish(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(8, 8), nn.Dropout(0.2, inplace=True), nn.Linear(8, 5),
    )  # fmt: skip


def test_a_perceptron_is_made_of_our_operators():
    imported = agrees(perceptron(), (torch.randn(3, 8),))
    assert set(operators(imported)) == {
        "nn.dense", "add", "nn.gelu", "nn.layer_norm", "nn.softmax",
    }  # fmt: skip


def test_a_small_net_runs_at_any_batch():
    batch = torch.export.Dim("batch", min=2, max=64)
    one, other = torch.randn(2, 3, 16, 16), torch.randn(5, 3, 16, 16)
    imported = agrees(small_net(), (one,), (other,), dynamic_shapes=({0: batch},))
    assert "nn.conv2d" in operators(imported)
    assert "nn.batch_norm" in operators(imported)
    assert str(imported.module.main.params[0].tensor_type.shape[0]) == "input_0"


def test_weights_are_the_memory_of_the_tensors():
    model = perceptron()
    imported = import_torch_model(model, (torch.randn(3, 8),))
    constants = [e.data for e in post_order(imported.module.main) if isinstance(e, Constant)]
    pointers = {array.__array_interface__["data"][0] for array in constants}
    assert {p.data_ptr() for p in model.parameters()} <= pointers


def test_a_file_holds_a_program(tmp_path: Path):
    x = torch.randn(3, 8)
    model = perceptron()
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "m.pt2")
    module = relay.load(tmp_path / "m.pt2")
    same(np.asarray(relay.compile(module, threads=1)(x)), model(x))


def test_a_module_is_compiled_in_one_step():
    x = torch.randn(2, 3, 16, 16)
    model = small_net().eval()
    same(np.asarray(relay.compile(model, (x,), threads=1)(x)), model(x))
    module, params = relay.frontend.from_pytorch(torch.export.export(model, (x,)))
    assert (params, module.main.params[0].name) == ({}, "input")


def test_without_pytorch_it_is_said_what_to_install(tmp_path: Path):
    (tmp_path / "m.pt2").write_bytes(b"")
    program = (
        "import sys, importlib.util as u; import relay\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)\n"
        "try: relay.load(sys.argv[1])\n"
        "except relay.RelayError as error: print(error)\n"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m.pt2")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "F050" in done.stdout
    assert "relay-compiler[torch]" in done.stdout


class Branches(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x


class Force(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.energy = nn.Linear(2, 1)

    def forward(self, x):
        x.requires_grad_(True)
        return torch.autograd.grad(self.energy(x).square().sum(), x)[0]


class Unknown(nn.Module):
    def forward(self, x):
        return torch.special.airy_ai(x) + torch.special.airy_ai(x + 1)


WRONG = [
    (lambda path: relay.load(path / "m.pt2"), "F054", "a readable exported program"),
    (lambda _: relay.load(perceptron()), "U003", "example_inputs"),
    (lambda _: relay.compile(Branches(), (torch.ones(2),)), "F051", "Branches"),
    (lambda _: relay.compile(Unknown(), (torch.ones(2),)), "F010", "airy_ai: 2 × ("),
    (lambda _: relay.frontend.from_pytorch(perceptron(), [("x", (1,))]), "U003", "TorchScript"),
    (lambda _: relay.compile(nn.ReLU, (torch.ones(2),)), "U003", "make a module of it: ReLU(…)"),
    (lambda _: relay.compile(nn.ReLU(), (np.ones(2),)), "U003", "torch.from_numpy(x)"),
    (lambda _: relay.compile(Force(), (torch.ones(2),)), "F051", "inside torch.enable_grad()"),
]


@pytest.mark.filterwarnings("ignore:.*torch.jit")
@pytest.mark.parametrize(("source", "code", "text"), WRONG, ids=[code for _, code, _ in WRONG])
def test_what_is_wrong_is_said_with_a_code(tmp_path: Path, source, code: str, text: str):
    (tmp_path / "m.pt2").write_bytes(b"nothing")
    with pytest.raises(relay.RelayError) as found:
        source(tmp_path)
    assert found.value.code == code
    assert text in str(found.value)


def test_a_translation_of_another_type_is_found(monkeypatch: pytest.MonkeyPatch):
    assert "aten::relu" in translated_operators()

    def wrong(node):
        node.ignore("self")
        return Constant(np.zeros(3, np.int32))

    monkeypatch.setitem(TRANSLATIONS, "aten::relu", wrong)
    with pytest.raises(relay.RelayError, match="F053"):
        relay.load(nn.ReLU(), example_inputs=(torch.ones(2),))
    own = {"aten::relu": lambda _inputs, _types: Constant(np.zeros(3, np.int32))}
    with pytest.raises(relay.RelayError, match=r"F057.*your translation"):
        import_torch_model(nn.ReLU(), (torch.ones(2),), custom_convert_map=own)


def test_an_argument_that_nobody_reads_is_an_error(monkeypatch: pytest.MonkeyPatch):
    assert "aten::relu" in translated_operators()
    monkeypatch.setitem(TRANSLATIONS, "aten::elu", lambda node: node.tensor("self"))
    relay.load(nn.ELU(), example_inputs=(torch.ones(2),))
    with pytest.raises(relay.RelayError, match=r"F052.*alpha=2") as found:
        relay.load(nn.ELU(alpha=2.0), example_inputs=(torch.ones(2),))
    assert "custom_convert_map" in (found.value.help or "")


def test_an_operator_is_translated_by_a_users_function():
    def doubled(inputs, types):
        assert types == [TensorType((2,), "float32")]
        return inputs[0] + inputs[0]

    exported = torch.export.export(Unknown(), (torch.ones(2),))
    module, _ = relay.frontend.from_pytorch(
        exported, custom_convert_map={"aten::special_airy_ai": doubled}
    )
    found = relay.compile(module, threads=1)(np.array([1, 2], np.float32))
    assert found.tolist() == [2 + 4, 4 + 6]


def _add_in_place(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = x * 2
    old = total + 1
    total += y
    total.relu_().mul_(3)
    return old + total


def _write_to_a_view(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = x * 2
    row = total[0]
    row += y[0]
    return total


def _write_under_a_view(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = x * 2
    turned = total.t()
    total += y
    return turned


def _write_with_promotion(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = x.half()
    total += y
    return total


def _write_to_an_input(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x += y
    return x * 2


@pytest.mark.parametrize(
    ("function", "decomposed"),
    [
        (_add_in_place, False), (_write_to_a_view, True), (_write_under_a_view, True),
        (_write_with_promotion, True), (_write_to_an_input, True),
    ],
)  # fmt: skip
def test_only_writes_to_shared_memory_are_decomposed(function, decomposed, monkeypatch):
    class Model(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return function(x, y)

    calls: list[object] = []
    original = torch.export.ExportedProgram.run_decompositions

    def counted(self, *args):
        calls.append(self)
        return original(self, *args)

    inputs = torch.randn(3, 3), torch.randn(3, 3)
    monkeypatch.setattr(torch.export.ExportedProgram, "run_decompositions", counted)
    imported = import_torch_model(Model(), inputs)
    found = relay.compile(imported.module, threads=1)(*(each.clone().numpy() for each in inputs))
    result = found[0] if isinstance(found, tuple) else found
    same(np.asarray(result), Model()(*(each.clone() for each in inputs)))
    assert bool(calls) == decomposed


def without_gradients(x):
    with torch.no_grad():
        y = x * 2
    return y + 1


def in_half_precision(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x.T
    return y.dtype == torch.bfloat16, y.float()


def mapped(x):
    return torch.vmap(lambda row, other: row.dot(other))(x, x + 1)


@torch.compiler.nested_compile_region
def region(x):
    return torch.sin(x) * 2


def regions(x):
    return region(region(x))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [without_gradients, in_half_precision, mapped, regions])
def test_regions_with_other_rules(function):
    x = torch.randn(3, 4)
    exported = torch.export.export(Function(function), (x,), strict=function is regions)
    found = relay.compile(exported, threads=1)(x)
    listed = found if isinstance(found, tuple) else (found,)
    expected = function(x)
    same(np.asarray(listed[-1]), expected[-1] if isinstance(expected, tuple) else expected, 1e-2)


def test_a_branch_that_depends_on_a_size():
    def chosen(x):
        def small(x):
            return x.mean(0) * 2

        few = torch.cond(x.shape[0] > 4, lambda x: x.sum(0), small, (x,))
        return torch.cond(x.shape[0] == 5, lambda x: x + 1, lambda x: x - 1, (few,))

    size = torch.export.Dim("size", min=2, max=10)
    inputs = [(torch.randn(n, 4),) for n in (3, 5, 6)]
    agrees(Function(chosen), *inputs[:1], *inputs, dynamic_shapes=(({0: size},),))


def require_positive(x):
    torch.ops.aten._assert_async(x.sum() > 0, "the sum must be positive")
    return x * 2


def test_assertions_on_data_are_kept():
    x = np.ones(3, np.float32)
    module = import_torch_model(Function(require_positive), (torch.ones(3),)).module
    same(np.asarray(evaluate(module, x)), torch.full((3,), 2.0))
    with pytest.raises(relay.RelayError, match="the sum must be positive"):
        evaluate(module, -x)


class Counter(nn.Module):
    count: torch.Tensor

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.full((3,), 5.0))

    def forward(self, x):
        self.count.add_(1)
        return x * self.count


def test_a_loaded_module_keeps_its_initial_state(tmp_path: Path):
    x = torch.ones(3, requires_grad=True)
    torch.export.save(torch.export.export(Counter(), (x,)), tmp_path / "counter.pt2")
    loaded = relay.load(tmp_path / "counter.pt2")
    relay.save(loaded, tmp_path / "counter.relay")
    for module in (relay.IRModule(loaded), relay.load(tmp_path / "counter.relay")):
        product, count = relay.compile(module, threads=1)(x.detach())
        assert product.tolist() == count.tolist() == [6, 6, 6]
    product, _ = TorchModule(loaded, threads=1)(x)
    product.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 6, 6]
